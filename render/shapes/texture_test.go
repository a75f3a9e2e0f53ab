package shapes

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// An image as large as a side of a box stands upright on it, seen from outside: from the lower left corner to the upper
// right one. On the upper side x is to its right. Around a cylinder of a radius of 0.5 m, an image of 1 m goes 3 times.
func TestTexture(t *testing.T) {
	const width, height = 2.0, 1.5
	poseBP := spatial.Pose{Pos: mgl64.Vec3{0.3, -0.2, 1}, Rot: spatial.RotZ(0.7)}
	for name, c := range map[string]struct {
		mesh  render.Mesh
		round bool
	}{
		"box":      {GridBox(width, width, height, 0.6, 0.25), false},
		"cylinder": {Cylinder(0.5, height, 24), true},
	} {
		got := Texture(c.mesh, spatial.Translation(poseBP.Pos), width, height, 1-height/2, false)
		if c.round {
			got = Texture(c.mesh, poseBP, 1, height, 1-height/2, true)
		}
		lo, hi := math.Inf(1), math.Inf(-1) // across the image, on upright sides
		for i, index := range c.mesh.Indices {
			v := got.Vertices[got.Indices[i]]
			if v != c.mesh.Vertices[index] {
				t.Fatalf("%s: corner %d is %v, want %v", name, i, v, c.mesh.Vertices[index])
			}
			uv, p, n := got.UV[got.Indices[i]], v.Pos, v.Normal
			if n[2] > 0.9 && !c.round {
				if x := float64(p[0]) + poseBP.Pos[0]; !(math.Abs(float64(uv[0])-x/width-0.5) < 1e-6) {
					t.Errorf("%s: %v has u = %v on top", name, p, uv[0])
				}
			}
			if math.Abs(float64(n[2])) > 0.9 {
				continue
			}
			if want := 0.5 - float64(p[2])/height; !(math.Abs(float64(uv[1])-want) < 1e-6) {
				t.Errorf("%s: %v has v = %v, want %v", name, p, uv[1], want)
			}
			lo, hi = min(lo, float64(uv[0])), max(hi, float64(uv[0]))
			if i%3 == 0 {
				continue
			}
			// from the triangle's first corner, seen from outside, right is to the left of the normal's shadow
			first := c.mesh.Vertices[c.mesh.Indices[i-i%3]]
			right := p.Sub(first.Pos).Dot(first.Normal.Add(n).Normalize().Cross([3]float32{0, 0, -1}))
			along := uv[0] - got.UV[got.Indices[i-i%3]][0]
			want := float64(right) / width
			if c.round {
				want = 3 / (2 * math.Pi) * 2 * math.Asin(float64(right)) // a chord of half a metre
			}
			if !(math.Abs(float64(along)-want) < 1e-5) {
				t.Errorf("%s: from %v to %v u grows by %v, want %v", name, first.Pos, p, along, want)
			}
		}
		if c.round && !(hi-lo > 2.99 && hi-lo < 3.2) {
			t.Errorf("%s: u spans %v, want 3", name, hi-lo)
		}
	}
}
