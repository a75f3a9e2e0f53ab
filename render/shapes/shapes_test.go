package shapes

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// polygonArea is the area of a regular polygon with n corners at distance r.
func polygonArea(n int, r float64) float64 {
	return float64(n) / 2 * r * r * math.Sin(2*math.Pi/float64(n))
}

func solids() map[string]struct {
	mesh   render.Mesh
	volume float64
	share  float64 // relative amount by which the volume may be below the formula
} {
	type s = struct {
		mesh   render.Mesh
		volume float64
		share  float64
	}
	return map[string]s{
		"two boxes": {Join(Box(0.1, 0.1, 0.1), Transform(Box(0.2, 0.2, 0.2),
			spatial.Translation(mgl64.Vec3{1, 0, 0}))), 0.009, 1e-6},
		"box":          {Box(0.2, 0.3, 0.5), 0.03, 1e-6},
		"grid box":     {GridBox(0.2, 0.3, 0.5, 0.06, 0.1), 0.03, 1e-6},
		"bevelled box": {BevelledBox(0.2, 0.3, 0.5, 0.02), bevelledVolume(0.2, 0.3, 0.5, 0.02), 1e-5},
		"prism":        {Prism(Polygon(8, 0.25), 0.1, 0.4, 0), polygonArea(8, 0.25) * 0.3, 1e-6},
		"cylinder":     {Cylinder(0.1, 0.4, 24), polygonArea(24, 0.1) * 0.4, 1e-6},
		"cone":         {Lathe([]mgl64.Vec2{{0.1, 0}, {0, 0.4}}, 24), polygonArea(24, 0.1) * 0.4 / 3, 1e-6},
		"lathe": {Lathe([]mgl64.Vec2{{0.1, 0}, {0.2, 0.1}}, 24), polygonArea(24, 1) * 0.1 / 3 *
			(0.01 + 0.02 + 0.04), 1e-6},
		// corners on the sphere, faces inside
		"sphere":  {Sphere(0.11, 3), 4.0 / 3 * math.Pi * 0.11 * 0.11 * 0.11, 0.02},
		"segment": {Segment(0.11, 5, 8), 4.0 / 3 * math.Pi * 0.11 * 0.11 * 0.11 / 8, 0.03},
		"loft": {Loft(12, Ellipse{mgl64.Vec3{0, 0, 1}, 0.2, 0.1}, Ellipse{mgl64.Vec3{0.3, 0, 2}, 0.2, 0.1}),
			polygonArea(12, 1) * 0.02, 1e-6},
		"tube":      {Tube(mgl64.Vec3{0, 0, 0}, mgl64.Vec3{1, 2, -2}, 0.01, 12), polygonArea(12, 0.01) * 3, 1e-4},
		"tube down": {Tube(mgl64.Vec3{0, 0, 1}, mgl64.Vec3{0, 0, 0}, 0.01, 12), polygonArea(12, 0.01), 1e-4},
	}
}

// bevelledVolume integrates the area of the horizontal cross-sections, rectangles with four corners cut off.
func bevelledVolume(x, y, z, b float64) float64 {
	const steps = 100000
	sum := 0.0
	for i := range steps {
		h := (float64(i) + 0.5) / steps * z
		in := math.Max(0, b-math.Min(h, z-h))
		// Moving the slanted sides inwards by in shortens the cut at each corner.
		cut := b - in*(2-math.Sqrt2)
		sum += (x-2*in)*(y-2*in) - 2*cut*cut
	}
	return sum * z / steps
}

func TestSolids(t *testing.T) {
	for name, s := range solids() {
		t.Run(name, func(t *testing.T) {
			// Each directed edge must occur once with its opposite: the mesh is closed and consistently oriented.
			type edge [2]mgl32.Vec3
			edges := map[edge]int{}
			volume := 0.0
			v := s.mesh.Vertices
			for i := 0; i < len(s.mesh.Indices); i += 3 {
				var p [3]mgl32.Vec3
				var n mgl32.Vec3
				for k := range p {
					p[k] = v[s.mesh.Indices[i+k]].Pos
					n = n.Add(v[s.mesh.Indices[i+k]].Normal)
				}
				for k := range p {
					edges[edge{p[k], p[(k+1)%3]}]++
					edges[edge{p[(k+1)%3], p[k]}]--
				}
				volume += float64(p[0].Dot(p[1].Cross(p[2]))) / 6
				if face := p[1].Sub(p[0]).Cross(p[2].Sub(p[0])); !(face.Dot(n) > 0) {
					t.Errorf("triangle %d: normals point against its winding", i/3)
				}
			}
			for e, count := range edges {
				if count != 0 {
					t.Fatalf("edge %v is met %+d times more than its opposite", e, count)
				}
			}
			for i := range v {
				if l := float64(v[i].Normal.Len()); !scalar.EqualWithinAbs(l, 1, 1e-5) {
					t.Errorf("normal of vertex %d has length %v", i, l)
				}
			}
			if !(volume <= s.volume*(1+1e-5)) || !(volume >= s.volume*(1-s.share)) {
				t.Errorf("volume = %v, want %v within %v", volume, s.volume, s.share)
			}
		})
	}
}
