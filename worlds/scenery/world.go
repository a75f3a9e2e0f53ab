package scenery

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// New builds the scenery of a world, whose physics sees it as model: with its light, its hall, its boards and its props.
func New(w *worlds.World, model *physics.Model) *Scenery {
	s := Build(model, appearancesOf(w), boardsOf(w)...)
	s.Light(w.Light)
	s.Furnish(w.Hall)
	for i := range w.Props {
		p := &w.Props[i]
		s.add(p.Name, p.Group(), p.Hang.Spatial())
	}
	return s
}

// appearancesOf returns what each robot's sensors add to its appearance.
func appearancesOf(w *worlds.World) []Appearance {
	all := make([]Appearance, len(w.Robots))
	for i := range w.Robots {
		r := &w.Robots[i]
		appearance := Appearance{Keeper: r.Kicker == nil}
		for j := range r.Sensors {
			c := &r.Sensors[j]
			switch c.Kind {
			case sensors.OmniKind:
				if m, err := c.Catadioptric(); err == nil { // else the sensor itself says why
					appearance.OmniFocusZ, appearance.Mirror = c.Mount.Z, m
				}
			case sensors.CameraKind, sensors.KinectKind:
				appearance.Cameras = append(appearance.Cameras, c.Mount.Pose().Mul(spatial.BodyToOptical()))
			}
		}
		all[i] = appearance
	}
	return all
}

// boardsOf returns which chessboards hang where.
func boardsOf(w *worlds.World) []Board {
	all := make([]Board, len(w.Boards))
	for i := range w.Boards {
		b := &w.Boards[i]
		all[i] = Board{Name: b.Name, Columns: b.Columns, Rows: b.Rows, Square: b.Square, PoseWB: b.Hang.Spatial()}
	}
	return all
}
