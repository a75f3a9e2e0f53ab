package models

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"
)

const bench = "../../worlds/props/bench.gltf"

// The bench's seat is 2.4 m wide along y, 0.36 m deep along x and 0.455 m high; its back is behind it.
func TestABenchStandsUpright(t *testing.T) {
	g, err := new(Library).Load(bench, 1)
	if err != nil {
		t.Fatal(err)
	}
	box := func(name string) (lo, hi mgl32.Vec3) {
		lo, hi = mgl32.Vec3{9, 9, 9}, mgl32.Vec3{-9, -9, -9}
		for _, p := range g.Parts {
			if p.Name != name {
				continue
			}
			for _, v := range g.Meshes[p.Mesh].Vertices {
				for i := range lo {
					lo[i], hi[i] = min(lo[i], v.Pos[i]), max(hi[i], v.Pos[i])
				}
			}
		}
		return lo, hi
	}
	for _, c := range []struct {
		name   string
		lo, hi mgl32.Vec3
	}{
		{"seat", mgl32.Vec3{-0.18, -1.2, 0.405}, mgl32.Vec3{0.18, 1.2, 0.455}},
		{"back", mgl32.Vec3{-0.205, -1.2, 0.61}, mgl32.Vec3{-0.175, 1.2, 0.83}},
	} {
		if lo, hi := box(c.name); !(lo.Sub(c.lo).Len() <= 1e-5) || !(hi.Sub(c.hi).Len() <= 1e-5) {
			t.Errorf("%s from %v to %v, want %v to %v", c.name, lo, hi, c.lo, c.hi)
		}
	}
	if c := g.Materials[g.Parts[0].Material].Color; c != (mgl32.Vec3{0.45, 0.23, 0.09}) {
		t.Errorf("the seat's colour is %v", c)
	}
	// Closed and oriented outwards: the volume by the divergence theorem equals that of the boxes.
	volume := 0.0
	for _, p := range g.Parts {
		m := g.Meshes[p.Mesh]
		for i := 0; i < len(m.Indices); i += 3 {
			a, b, c := m.Vertices[m.Indices[i]].Pos, m.Vertices[m.Indices[i+1]].Pos, m.Vertices[m.Indices[i+2]].Pos
			volume += float64(a.Dot(b.Cross(c))) / 6
			if n := b.Sub(a).Cross(c.Sub(a)); !(n.Dot(m.Vertices[m.Indices[i]].Normal) > 0) {
				t.Fatal("a normal looks inwards")
			}
		}
	}
	want := 2.4*0.05*0.36 + 2.4*0.22*0.03 + 2*0.05*0.05*(0.41+0.82) + 0.4*0.3*0.3 + 0.07*0.18*0.07
	if !scalar.EqualWithinAbs(volume, want, 1e-5) {
		t.Errorf("volume %v m³, want %v", volume, want)
	}
}
