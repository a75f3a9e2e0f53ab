package refine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// field is the camera region of these tests.
func field(poseWB spatial.Pose) *render.CameraRegion {
	return render.NewCameraRegion(poseWB, mgl64.Vec3{-10, -7, 0}, mgl64.Vec3{10, 7, 2})
}

// pieces cuts a mesh and returns the levels and the triangles of each.
func pieces(b *render.Body, mesh *render.Mesh) (levels []Level, cut [][][3]mgl32.Vec3) {
	var all [][3]mgl32.Vec3
	levels = Levels(b, len(mesh.Indices), func(i int) Corner { return Corner{Pos: mesh.Vertices[mesh.Indices[i]].Pos} },
		func(i, j Corner) Corner { return Corner{Pos: Middle(i.Pos, j.Pos)} }, func(i, j, k Corner) bool {
			all = append(all, [3]mgl32.Vec3{i.Pos, j.Pos, k.Pos})
			return true
		})
	for _, l := range levels {
		cut = append(cut, all[:l.Triangles])
		all = all[l.Triangles:]
	}
	return levels, cut
}

// A solid partly inside of the camera region stays closed at every level: neighbours are cut at the same places, and
// nothing is lost. No edge is longer than its level allows, or than what the nearest camera sees as straight.
func TestPiecesFitTogether(t *testing.T) {
	pose := spatial.Planar(9, 3, 0.7)
	mesh := shapes.Box(14, 2, 1)
	b := &render.Body{Cameras: field(pose)}
	random := rand.New(rand.NewPCG(1, 2))
	levels, cut := pieces(b, &mesh)
	if len(levels) != len(Edges)+1 {
		t.Fatalf("%d levels", len(levels))
	}
	coarse := 0
	for i, triangles := range cut {
		open, volume := map[[2]mgl32.Vec3]int{}, 0.0
		for _, c := range triangles {
			volume += float64(c[0].Dot(c[1].Cross(c[2]))) / 6
			for k := range c {
				p, q := c[k], c[(k+1)%3]
				open[[2]mgl32.Vec3{p, q}]++
				open[[2]mgl32.Vec3{q, p}]--
				if i == 0 {
					continue
				}
				length := float64(p.Sub(q).Len())
				eye := mgl64.Vec3{20*random.Float64() - 10, 14*random.Float64() - 7, 2 * random.Float64()}
				from := pose.Inverse().Apply(eye)
				near := math.Min(spatial.Vec64(p).Sub(from).Len(), spatial.Vec64(q).Sub(from).Len())
				if length > Edges[i-1] {
					coarse++
					if bend := sharpest * math.Pow(length/near, 2) / 8; !(bend < 1.1*Flat) {
						t.Fatalf("level %d: an edge of %.2f m, seen from %.2f m, lies %.2f px off its curve", i, length,
							near, bend)
					}
				}
			}
		}
		for edge, n := range open {
			if n != 0 {
				t.Fatalf("level %d: the edge %v has no neighbour", i, edge)
			}
		}
		if !(math.Abs(volume-14*2*1) < 1e-2) {
			t.Errorf("level %d: volume %v", i, volume)
		}
	}
	if coarse == 0 {
		t.Error("nothing far away was left coarse")
	}
	t.Logf("levels %+v", levels)
}

// If cameras may be anywhere, all of a body is cut to each level's edge.
func TestBodiesThatMoveAreCutEverywhere(t *testing.T) {
	mesh := shapes.Box(2, 1, 0.5)
	levels, cut := pieces(&render.Body{}, &mesh)
	for i := 1; i < len(cut); i++ {
		longest := 0.0
		for _, c := range cut[i] {
			for k := range c {
				longest = max(longest, float64(c[k].Sub(c[(k+1)%3]).Len()))
			}
		}
		if longest != levels[i].Edge || longest > Edges[len(Edges)-len(levels)+i] {
			t.Errorf("level %d of %d: longest edge %v, said to be %v", i, len(levels), longest, levels[i].Edge)
		}
	}
}

// The cost of a body outside of the camera region grows with the logarithm of its size: ten times the size costs little
// more, not a hundred times as much.
func TestCostGrowsWithTheLogarithmOfSize(t *testing.T) {
	cost := func(size float32, eyes *render.CameraRegion) int {
		s := &render.Scene{Meshes: []render.Mesh{{
			Vertices: []render.Vertex{{Pos: mgl32.Vec3{11, -size, 0}}, {Pos: mgl32.Vec3{11, size, 0}},
				{Pos: mgl32.Vec3{11, 0, size}}},
			Indices: []uint32{0, 1, 2},
		}}}
		b := &render.Body{Parts: []render.Part{{PoseBP: spatial.Identity()}}, Cameras: eyes}
		return CostOf(s, b, 1<<31).Cut
	}
	var last int
	for _, size := range []float32{10, 100, 1000, 10_000} {
		n := cost(size, field(spatial.Identity()))
		if last > 0 && n > last+200_000 {
			t.Errorf("a wall of %v m costs %d triangles, a tenth of it %d", size, n, last)
		}
		last = n
	}
	if here := cost(10, nil); here < 2*cost(10, field(spatial.Identity())) {
		t.Errorf("a wall of 10 m costs %d triangles among cameras", here)
	}
}

// Counting stops at the limit, for any size.
func TestCountingEnds(t *testing.T) {
	mesh := shapes.Box(1e5, 1e5, 1e5)
	s := &render.Scene{Meshes: []render.Mesh{mesh}}
	b := &render.Body{Parts: []render.Part{{PoseBP: spatial.Identity()}}}
	const most = 4 << 20
	if c := CostOf(s, b, most); c.Bytes() <= most || c.Bytes() > most+1000 {
		t.Errorf("%+v takes %d bytes", c, c.Bytes())
	}
}

func ExampleCostOf() {
	s := &render.Scene{Meshes: []render.Mesh{shapes.Box(1, 1, 1)}}
	b := &render.Body{Parts: []render.Part{{PoseBP: spatial.Identity()}}}
	c := CostOf(s, b, 256<<20)
	fmt.Printf("%d triangles, %d after cuts, %d KiB\n", c.Triangles, c.Cut, c.Bytes()>>10)
	// Output: 12 triangles, 32772 after cuts, 7267 KiB
}
