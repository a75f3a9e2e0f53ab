package scenery

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Seams are where the panels of a truncated icosahedron meet. The oracle is the formula of the pattern football: a
// direction is in a pentagon if the second and the third largest cosine to the icosahedron's corners add up to less
// than 1.32235 times the largest. Other directions are in the hexagon of the nearest face.
func TestSeamsAreBetweenPanels(t *testing.T) {
	faces := panelFaces()
	panel := func(at mgl64.Vec3) mgl64.Vec3 { // its middle
		var first, second, third float64
		var pentagon, hexagon mgl64.Vec3
		for _, c := range faces {
			if middle := c[0].Add(c[1]).Add(c[2]); at.Dot(middle) > at.Dot(hexagon) {
				hexagon = middle
				near := []float64{at.Dot(c[0]), at.Dot(c[1]), at.Dot(c[2])}
				pentagon = c[slices.Index(near, slices.Max(near))]
				slices.Sort(near)
				third, second, first = near[0], near[1], near[2]
			}
		}
		if second+third < 1.32235*first {
			return pentagon
		}
		return hexagon
	}
	random := rand.New(rand.NewPCG(7, 1))
	seams, panels := 0, 0
	for range 5000 {
		share := mgl64.Vec3{random.Float64(), random.Float64(), random.Float64()}
		share = share.Mul(1 / (share[0] + share[1] + share[2]))
		c := faces[random.IntN(len(faces))]
		at := c[0].Mul(share[0]).Add(c[1].Mul(share[1])).Add(c[2].Mul(share[2])).Normalize()
		right := at.Cross(mgl64.Vec3{0.3, 0.5, 0.8}).Normalize()
		up := at.Cross(right)
		differ := false
		const near = 0.05
		for i := range 16 {
			sin, cos := math.Sincos(float64(i) * math.Pi / 8)
			next := at.Add(right.Mul(near * cos)).Add(up.Mul(near * sin)).Normalize()
			differ = differ || panel(next) != panel(at)
		}
		switch d := toSeam(share); {
		case d < 0.6*near && !differ:
			t.Fatalf("%v is %.3f from a seam, but the panel around it is one", share, d)
		case d > 1.4*near && differ:
			t.Fatalf("%v is %.3f from a seam, but there are two panels around it", share, d)
		case d < 0.6*near:
			seams++
		case d > 1.4*near:
			panels++
		}
	}
	if seams < 200 || panels < 200 {
		t.Errorf("%d points at seams, %d on panels", seams, panels)
	}
}

// A ball with panels has the colour that it was given, also after a key frame.
func TestPanelsKeepTheirColour(t *testing.T) {
	w := must.Get(worlds.Load("nubot-single"))(t)
	w.Ball.Pattern = worlds.PanelsPattern
	s, other := New(w, w.Model()), New(w, w.Model())
	must.Do(t, s.PaintBall("#e6f03c"))
	want := must.Get(render.Color("#e6f03c").Linear())(t)
	saved := keyframe.Append(nil)
	s.Exchange(saved)
	must.Do(t, other.PaintBall("#e0602a"))
	restored := keyframe.Restore(saved.Data())
	other.Exchange(restored)
	must.Do(t, restored.End())
	for i, s := range []*Scenery{s, other} {
		if got := s.Shading().Materials[leather]; got.Color != want || got.Color2 != want || got.Texture == nil {
			t.Errorf("scenery %d: colours %v and %v, want %v", i, got.Color, got.Color2, want)
		}
	}
}
