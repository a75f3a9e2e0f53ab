package worlds

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Map is a map of the ROS map server whose occupied cells are walls.
type Map struct {
	File     string   `toml:"file" required:"true" fixed:"true" doc:"a map.yaml, relative to the folder of this file, or one that ships: maps/office.yaml. Cells that the ROS map server gives the value 100 become walls. The map's frame is the world's"`
	Height   float64  `toml:"height_m" range:"[0.05, 20]" doc:"height of the walls"`
	Material Material `toml:"material"`
	plan     *plan
}

// plan is what was read from a map's files.
type plan struct {
	grid  *occupancy.Grid
	boxes []spatial.UprightBox // of height 1
}

// SetDefaults sets walls of a building.
func (m *Map) SetDefaults() {
	m.Height = 2.5
	m.Material.SetDefaults()
}

// BindNode also reads the map and its image. Errors in these files therefore point at the map's name in the world file.
func (m *Map) BindNode(n *schema.Node) error {
	err := n.Bind(m)
	key := n.Get("file")
	if err != nil || key == nil || m.File == "" {
		return err
	}
	if m.plan, err = sourcesOf(n).plan(m.File, key.File()); err != nil {
		return key.Errorf("%w", err)
	}
	return nil
}

// mapFile is the path of a map.yaml, on this machine, in a bundle or among the files that ship.
type mapFile struct {
	path  string
	ships bool
}

// plan reads a map, each only once. from is the world file that refers to it.
func (s *sources) plan(name, from string) (*plan, error) {
	var file mapFile
	file.path, file.ships = propFile(s.models.In, name, from)
	if p := s.plans[file]; p != nil {
		return p, nil
	}
	grid, err := file.read(s.models.In)
	if err != nil {
		return nil, err
	}
	p := &plan{grid: grid}
	if p.boxes, err = grid.Boxes(0, 1); err != nil {
		return nil, err
	}
	if s.plans == nil {
		s.plans = map[mapFile]*plan{}
	}
	s.plans[file] = p
	return p, nil
}

// read reads the files of a map.
func (f mapFile) read(in *files.FS) (*occupancy.Grid, error) {
	if f.ships {
		return occupancy.Read(f.path, func(name string, _ int) ([]byte, error) { return shipped.ReadFile(name) })
	}
	return occupancy.Read(f.path, in.Read)
}

// piece returns the walls of the map.
func (m *Map) piece() Piece {
	p := Piece{Name: "map", Material: m.Material, Path: "map", form: physics.WallForm}
	if m.plan != nil {
		p.Boxes = slices.Clone(m.plan.boxes)
	}
	for i := range p.Boxes {
		p.Boxes[i].Centre[2], p.Boxes[i].Half[2] = m.Height/2, m.Height/2
	}
	return p
}

// describe says what became of a map that was read.
func (m *Map) describe() string {
	g, n, boxes := m.plan.grid, len(m.plan.boxes), "boxes"
	if n == 1 {
		boxes = "box"
	}
	return fmt.Sprintf("map %s: %.4g × %.4g m, %d × %d cells; its occupied cells are walls of %d %s", m.File,
		float64(g.Width)*g.Resolution, float64(g.Height)*g.Resolution, g.Width, g.Height, n, boxes)
}

// defaultHeight is the height of a map of a world without lasers, m.
const defaultHeight = 0.2

// LaserHeight returns the height of the world's first laser scanner above the floor, m.
func (w *World) LaserHeight() float64 {
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[j]; s.Laser != nil {
				return s.Mount.Pose().Pos[2]
			}
		}
	}
	return defaultHeight
}
