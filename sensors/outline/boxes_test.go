package outline

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// solid is a mesh under construction.
type solid struct{ mesh render.Mesh }

// quad adds a rectangle with its front on the side from which its corners are anticlockwise.
func (s *solid) quad(a, b, c, d mgl64.Vec3) {
	n := uint32(len(s.mesh.Vertices))
	for _, p := range []mgl64.Vec3{a, b, c, d} {
		s.mesh.Vertices = append(s.mesh.Vertices, render.Vertex{Pos: spatial.Vec32(p), Normal: mgl32.Vec3{0, 0, 1}})
	}
	s.mesh.Indices = append(s.mesh.Indices, n, n+1, n+2, n, n+2, n+3)
}

// extrude adds the upright sides over a plan, anticlockwise, and caps made of convex plans.
func (s *solid) extrude(plan []mgl64.Vec2, bottom, top float64, caps ...[]mgl64.Vec2) *solid {
	for i, a := range plan {
		b := plan[(i+1)%len(plan)]
		s.quad(a.Vec3(bottom), b.Vec3(bottom), b.Vec3(top), a.Vec3(top))
	}
	for _, c := range caps {
		for i := 2; i < len(c); i++ {
			s.quad(c[0].Vec3(top), c[i-1].Vec3(top), c[i].Vec3(top), c[i].Vec3(top))
			s.quad(c[0].Vec3(bottom), c[i].Vec3(bottom), c[i-1].Vec3(bottom), c[i-1].Vec3(bottom))
		}
	}
	return s
}

func rectangle(x0, y0, x1, y1 float64) []mgl64.Vec2 {
	return []mgl64.Vec2{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

func (s *solid) group() *render.Group {
	return &render.Group{Meshes: []render.Mesh{s.mesh}, Materials: make([]render.Material, 1),
		Parts: []render.Part{{PoseBP: spatial.Identity()}}}
}

func box(x0, y0, z0, x1, y1, z1 float64) *render.Group {
	plan := rectangle(x0, y0, x1, y1)
	return new(solid).extrude(plan, z0, z1, plan).group()
}

// arch is a door frame in one piece: an extruded outline in the y-z plane, turned upright.
func arch() *render.Group {
	outline := []mgl64.Vec2{{-0.6, 0}, {-0.5, 0}, {-0.5, 2}, {0.5, 2}, {0.5, 0}, {0.6, 0}, {0.6, 2.1}, {-0.6, 2.1}}
	s := new(solid).extrude(outline, -0.05, 0.05, rectangle(-0.6, 0, -0.5, 2.1), rectangle(0.5, 0, 0.6, 2.1),
		rectangle(-0.5, 2, 0.5, 2.1))
	for i := range s.mesh.Vertices {
		p := &s.mesh.Vertices[i].Pos
		*p = mgl32.Vec3{p[2], p[0], p[1]}
	}
	return s.group()
}

func column(sides int, radius float64) *render.Group {
	plan := make([]mgl64.Vec2, sides)
	for i := range plan {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		plan[i] = mgl64.Vec2{radius * cos, radius * sin}
	}
	return new(solid).extrude(plan, 0, 1, plan).group()
}

// crate is a box without a lid, with walls without thickness that are visible from both sides.
func crate() *render.Group {
	s := new(solid)
	plan := rectangle(-0.3, -0.2, 0.3, 0.2)
	s.extrude(plan, 0, 0.4)
	s.extrude([]mgl64.Vec2{plan[0], plan[3], plan[2], plan[1]}, 0, 0.4)
	s.quad(plan[0].Vec3(0), plan[1].Vec3(0), plan[2].Vec3(0), plan[3].Vec3(0))
	return s.group()
}

// The boxes of a body contain its solid parts, and nothing around them by more than a tolerance.
func TestBoxes(t *testing.T) {
	turned := spatial.RPY(mgl64.Vec3{}, 0, 0, 0.7).Rot
	for name, c := range map[string]struct {
		group        *render.Group
		rot          mgl64.Quat
		boxes        int // 0: any number
		full, hollow []mgl64.Vec3
	}{
		"box": {box(0, 0, 0, 1, 0.5, 2), mgl64.QuatIdent(), 1, []mgl64.Vec3{{0.02, 0.02, 0.02}, {0.98, 0.48, 1.98}},
			[]mgl64.Vec3{{-0.01, 0.2, 1}, {0.5, 0.51, 1}, {0.5, 0.2, 2.01}}},
		"turned box": {box(0, 0, 0, 1, 0.5, 2), turned, 1, []mgl64.Vec3{{0.02, 0.02, 0.02}, {0.98, 0.48, 1.98}},
			[]mgl64.Vec3{{-0.01, 0.2, 1}, {0.5, 0.51, 1}, {0.5, 0.2, 2.01}}},
		"door frame": {arch(), turned, 3, []mgl64.Vec3{{0, -0.55, 0.01}, {0, 0.55, 1}, {0, 0, 2.05}},
			[]mgl64.Vec3{{0, -0.48, 0.01}, {0, 0.48, 1}, {0, 0, 1.98}}},
		"column": {column(24, 0.3), turned, 12, []mgl64.Vec3{{0, 0, 0.5}, {0.27, 0, 0.5}, {0.19, 0.19, 0.5}},
			[]mgl64.Vec3{{0.32, 0, 0.5}, {0.24, 0.24, 0.5}, {-0.24, 0.24, 0.5}}},
		"open crate": {crate(), turned, 5, []mgl64.Vec3{{0.3, 0, 0.2}, {0, -0.2, 0.2}, {0, 0, 0}},
			[]mgl64.Vec3{{0, 0, 0.2}, {0.28, 0, 0.2}}},
		"panel": {func() *render.Group {
			s := new(solid)
			s.quad(mgl64.Vec3{0, -1, 0}, mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, 1, 1}, mgl64.Vec3{0, -1, 1})
			return s.group()
		}(), turned, 1, []mgl64.Vec3{{0, 0.9, 0.9}}, []mgl64.Vec3{{0.01, 0, 0.5}, {-0.01, 0, 0.5}}},
	} {
		t.Run(name, func(t *testing.T) {
			boxes, deepest := Boxes(c.group, c.rot)
			if c.boxes > 0 && len(boxes) != c.boxes || len(boxes) > mostBoxes {
				t.Errorf("got %d boxes, want %d: %+v", len(boxes), c.boxes, boxes)
			}
			if !(deepest <= exact) {
				t.Errorf("the surface lies %v m inside of the boxes, want at most %v", deepest, exact)
			}
			in := func(p mgl64.Vec3) bool {
				p = c.rot.Rotate(p)
				return slices.ContainsFunc(boxes, func(b spatial.UprightBox) bool { return contains(&b, p) })
			}
			for _, p := range c.full {
				if !in(p) {
					t.Errorf("%v is in no box, want it in the body", p)
				}
			}
			for _, p := range c.hollow {
				if in(p) {
					t.Errorf("%v is in a box, want it outside of the body", p)
				}
			}
		})
	}
}

func contains(b *spatial.UprightBox, p mgl64.Vec3) bool {
	d := spatial.Pose{Rot: spatial.RotZ(b.Heading)}.Unrotate(p.Sub(b.Centre))
	return math.Abs(d[0]) <= b.Half[0] && math.Abs(d[1]) <= b.Half[1] && math.Abs(d[2]) <= b.Half[2]
}

// A body of many pieces or many triangles gets a bounded number of boxes, in a bounded time.
func TestBoxesAreBounded(t *testing.T) {
	many := new(solid)
	for i := range 1000 {
		x := float64(i%40) * 0.1
		y := float64(i/40) * 0.1
		plan := rectangle(x, y, x+0.05, y+0.05)
		many.extrude(plan, 0, 0.1, plan)
	}
	for name, g := range map[string]*render.Group{"pieces": many.group(), "triangles": column(5000, 3)} {
		if boxes, _ := Boxes(g, mgl64.QuatIdent()); len(boxes) == 0 || len(boxes) > mostBoxes {
			t.Errorf("%s: got %d boxes, want 1 to %d", name, len(boxes), mostBoxes)
		}
	}
}

// TestBodiesOfManyTriangles checks that a body of too many triangles is the box around it.
func TestBodiesOfManyTriangles(t *testing.T) {
	v := func(x, y, z float32) render.Vertex { return render.Vertex{Pos: mgl32.Vec3{x, y, z}} }
	mesh := render.Mesh{Vertices: []render.Vertex{v(0, 0, 0), v(2, 0, 0), v(0, 4, 0), v(0, 0, 1)}}
	for range mostTriangles/4 + 1 {
		mesh.Indices = append(mesh.Indices, 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
	}
	g := &render.Group{Meshes: []render.Mesh{mesh}, Materials: make([]render.Material, 1),
		Parts: []render.Part{{PoseBP: spatial.Identity()}}}
	boxes, deepest := Boxes(g, mgl64.QuatIdent())
	want := spatial.UprightBox{Centre: mgl64.Vec3{1, 2, 0.5}, Half: mgl64.Vec3{1, 2, 0.5}}
	if len(boxes) != 1 || boxes[0] != want {
		t.Errorf("got %v, want %v", boxes, want)
	}
	if !(math.Abs(deepest-1) < 1e-6) { // the slanted side is 1 m high
		t.Errorf("deepest %v, want 1", deepest)
	}
}
