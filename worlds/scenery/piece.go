package scenery

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// Parameters of the meshes of a place. Both are guesses.
const (
	mostSquares = 40_000  // about the number of squares for which light is computed
	mostCut     = 300_000 // about the number of triangles for images with curved edges
)

// fineness is how finely the surfaces of a place are divided.
type fineness struct {
	cell    float64 // edge of the squares for which light is computed, m
	nearest float64 // distance of cameras for whose curved images edges are divided, m
}

// finenessOf returns the fineness for pieces. It decreases with their total surface and with their number.
func finenessOf(pieces []worlds.Piece) fineness {
	area := 0.0
	for i := range pieces {
		for k := range pieces[i].Boxes {
			h := &pieces[i].Boxes[k].Half
			area += 8 * (h[0]*h[1] + h[1]*h[2] + h[2]*h[0])
		}
	}
	// Edges are halved until they appear straight, which they do if they are shorter than 0.06 of their distance: see
	// package render/refine. A triangle then has an eighth of the square of this length.
	fine := fineness{max(1, math.Sqrt(area/20_000)), math.Sqrt(8*area/mostCut) / 0.06}
	for fine.cell < 20 && fine.squares(pieces) > mostSquares {
		fine.cell *= 1.25
	}
	return fine
}

// squares returns into how many squares the sides of all boxes are divided.
func (f fineness) squares(pieces []worlds.Piece) (sum int) {
	for i := range pieces {
		for k := range pieces[i].Boxes {
			box := &pieces[i].Boxes[k]
			h, foot := &box.Half, footOf(box)
			x, y := shapes.Squares(2*h[0], f.cell), shapes.Squares(2*h[1], f.cell)
			z := shapes.Squares(2*h[2]-foot, f.cell)
			if foot > 0 {
				z++
			}
			sum += 2 * (x*y + y*z + z*x)
		}
	}
	return sum
}

// footOf returns the height of render.NearFloor above a box's bottom, m. It returns 0 if the box does not extend
// through that height.
func footOf(box *spatial.UprightBox) float64 {
	if foot := render.NearFloor - box.Bottom(); foot > 0 && foot < 2*box.Half[2] {
		return foot
	}
	return 0
}

// cylinderSides is the number of sides of a cylinder's mesh. The sides of a column with a radius of 0.5 m are within 2
// mm of the cylinder.
const cylinderSides = 36

// addPiece adds a wall, a box or a cylinder and returns its index in the render.Scene.
func (s *Scenery) addPiece(p *worlds.Piece, fine fineness) int {
	b := builder{scene: s.Scene}
	b.startBody(p.Name)
	surface := b.material(p.Surface())
	poseWB, bottom := poseOf(p.Boxes), math.Inf(1)
	for i := range p.Boxes {
		bottom = min(bottom, p.Boxes[i].Bottom())
	}
	for i := range p.Boxes {
		box := &p.Boxes[i]
		mesh := meshOf(box, fine.cell)
		at := poseWB.Inverse().Mul(spatial.Pose{Pos: box.Centre, Rot: spatial.RotZ(box.Heading)})
		b.add("", textured(mesh, &p.Material, at, bottom, box.Round), surface, at)
	}
	b.body.Static, b.body.Cameras = true, cameraRegion(s.physics, poseWB)
	b.body.Cameras.Nearest = fine.nearest
	s.hung, s.begun = append(s.hung, poseWB), append(s.begun, poseWB)
	return len(s.Scene.Bodies) - 1
}

// meshOf returns the mesh of a box or a cylinder around the origin.
func meshOf(box *spatial.UprightBox, cell float64) render.Mesh {
	h, foot := &box.Half, footOf(box)
	switch {
	case !box.Round:
		return shapes.GridBox(2*h[0], 2*h[1], 2*h[2], cell, foot)
	case foot > 0:
		return shapes.Lathe([]mgl64.Vec2{{h[0], -h[2]}, {h[0], foot - h[2]}, {h[0], h[2]}}, cylinderSides)
	}
	return shapes.Cylinder(h[0], 2*h[2], cylinderSides)
}

// textured returns a mesh at poseBP with places in the texture of a material, if that has one. The texture begins at
// the height bottom of the body.
func textured(mesh render.Mesh, m *worlds.Material, poseBP spatial.Pose, bottom float64, round bool) render.Mesh {
	if width, height := m.TextureSize(); width > 0 {
		return shapes.Texture(mesh, poseBP, width, height, bottom, round)
	}
	return mesh
}

// poseOf returns the pose of a body that consists of boxes: on the floor, in the middle between the farthest boxes. A
// single box has its own heading.
func poseOf(boxes []spatial.UprightBox) spatial.Pose {
	switch len(boxes) {
	case 0: // openings leave nothing of a wall
		return spatial.Identity()
	case 1:
		return spatial.Planar(boxes[0].Centre[0], boxes[0].Centre[1], boxes[0].Heading)
	}
	lo, hi := boxes[0].Centre, boxes[0].Centre
	for i := range boxes {
		for k, c := range boxes[i].Centre {
			lo[k], hi[k] = min(lo[k], c), max(hi[k], c)
		}
	}
	return spatial.Planar((lo[0]+hi[0])/2, (lo[1]+hi[1])/2, 0)
}
