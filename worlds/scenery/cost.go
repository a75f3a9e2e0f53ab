package scenery

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// maxFurniture is the most memory of a renderer, in bytes, that the props, boards and obstacles of a world may take. A
// world without props, boards and obstacles takes about 400 MB with llvmpipe.
const maxFurniture = 256 << 20

// CheckCost returns an error if the props, boards and obstacles of a world together exceed maxFurniture. The error
// names the object at which the sum exceeds the limit. CheckCost needs no renderer, and less memory than maxFurniture.
// The root package's New calls it.
func CheckCost(w *worlds.World) error {
	if !w.NoErrorAt("") {
		return nil // CheckCost needs most of the world to have been read
	}
	_, err := FurnitureCost(w)
	return err
}

// FurnitureCost returns the cost of the props, boards and obstacles of a world. If the cost exceeds the limit,
// FurnitureCost stops adding, and returns the sum so far and an error.
func FurnitureCost(w *worlds.World) (sum refine.Cost, err error) {
	scene, seen := w.Model(), map[*render.Texture]bool{}
	add := func(path, key string, value any, s *render.Scene, body int) error {
		left := maxFurniture - sum.Bytes()
		c := refine.CostOf(s, &s.Bodies[body], left)
		for _, p := range s.Bodies[body].Parts {
			if t := s.Materials[p.Material].Texture; t != nil && !seen[t] {
				seen[t] = true
				for _, l := range t.Levels {
					c.Texels += l.Width * l.Height
				}
			}
		}
		sum.Add(c)
		if c.Bytes() <= left {
			return nil
		}
		return w.Locate(&schema.Violation{Path: path, Key: key, Value: value, Rule: fmt.Sprintf(
			"%s takes more of a renderer's memory than the %d MiB that are left of %d MiB for all props, walls, boxes, "+
				"cylinders, boards and obstacles: cut for curved pictures it has %d triangles and more",
			s.Bodies[body].Name, left>>20, maxFurniture>>20, max(c.Cut, c.Triangles))})
	}
	for i := range w.Props {
		p := &w.Props[i]
		if p.Group() == nil {
			return sum, w.Locate(&schema.Violation{Path: fmt.Sprintf("prop[%d]", i), Key: "file", Value: p.File,
				Rule: "has not been read, as worlds.Load does"})
		}
		s := &render.Scene{}
		body := s.Add(p.Name, p.Group())
		s.Bodies[body].Cameras = cameraRegion(scene, p.Hang.Spatial())
		if err := add(fmt.Sprintf("prop[%d]", i), "scale", p.Scale, s, body); err != nil {
			return sum, err
		}
	}
	pieces := w.Pieces()
	fine := finenessOf(pieces)
	for i := range pieces {
		s, p := Scenery{Scene: &render.Scene{}, physics: scene}, &pieces[i]
		if err := add(p.Path, "name", p.Name, s.Scene, s.addPiece(p, fine)); err != nil {
			return sum, err
		}
	}
	alone := physics.Model{Field: scene.Field}
	for i, b := range boardsOf(w) {
		s := Build(&alone, nil, b).Scene
		if err := add(fmt.Sprintf("board[%d]", i), "square_m", b.Square, s, len(s.Bodies)-1); err != nil {
			return sum, err
		}
	}
	all := w.AllObstacles()
	for i := range scene.Obstacles {
		alone.Obstacles = scene.Obstacles[i : i+1]
		s := new(Cache).build(&alone, &looks{obstacles: all[i : i+1]})
		if err := add(all[i].Path(), "name", alone.Obstacles[0].Name, s.Scene,
			s.Obstacle(0)); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
