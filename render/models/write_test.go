package models

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// corner is the position and appearance of a triangle's corner in the world.
type corner struct {
	pos, normal mgl64.Vec3
	uv          mgl32.Vec2
	color       mgl32.Vec3
}

// cornersOf lists the corners of a body's triangles, by materials in order of first use, which is the order in the
// file.
func cornersOf(parts []render.Part, meshes []render.Mesh, materials []render.Material,
	poseWB spatial.Pose) (all []corner) {
	var order []int
	seen := map[int]bool{}
	for _, p := range parts {
		if !seen[p.Material] {
			seen[p.Material], order = true, append(order, p.Material)
		}
	}
	for _, material := range order {
		for _, p := range parts {
			if p.Material != material {
				continue
			}
			m, pose := &meshes[p.Mesh], poseWB.Mul(p.PoseBP)
			for _, i := range m.Indices {
				v := &m.Vertices[i]
				c := corner{pos: pose.Apply(spatial.Vec64(v.Pos)), normal: pose.Rotate(spatial.Vec64(v.Normal)),
					color: materials[p.Material].Color}
				if m.UV != nil {
					c.uv = m.UV[i]
				}
				if m.Colors != nil {
					c.color = m.Colors[i]
				}
				if materials[p.Material].Metal {
					c.color = materials[p.Material].F0
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// Library, which is tested with files of other programs, reads back what Write wrote: the same triangles, positions and
// colours.
func TestWrittenIsRead(t *testing.T) {
	im := render.NewImage(4, 2)
	for i := range im.Pix {
		im.Pix[i] = byte(40 * i)
	}
	texture := render.NewTexture(im, [2]render.Wrap{render.ClampToEdge, render.MirroredRepeat})
	box := shapes.Box(0.2, 0.3, 0.4)
	bears := shapes.Box(1, 2, 3)
	for i := range bears.Vertices {
		bears.UV = append(bears.UV, mgl32.Vec2{float32(i) / 24, 0.5})
	}
	painted, mean := shapes.Box(0.1, 0.1, 0.1), mgl32.Vec3{}
	for i := range painted.Vertices {
		painted.Colors = append(painted.Colors, mgl32.Vec3{float32(i) / 24, 0.5, 0})
		mean = mean.Add(painted.Colors[i].Mul(1 / float32(len(painted.Vertices))))
	}
	s := &render.Scene{
		Meshes: []render.Mesh{box, shapes.Sphere(0.11, 3), bears, painted},
		Shading: render.Shading{Materials: []render.Material{
			{Color: mgl32.Vec3{0.1, 0.2, 0.3}, Roughness: 0.25},
			{Color: mgl32.Vec3{0.5, 0.5, 0.5}, F0: mgl32.Vec3{0.9, 0.8, 0.7}, Roughness: 0.3, Metal: true},
			{Color: texture.Mean, Color2: mgl32.Vec3{1, 1, 1}, Pattern: render.Textured, Texture: texture,
				Roughness: 1},
			{Color: mean, Pattern: render.VertexColors, Roughness: 0.5},
		}},
	}
	turned := spatial.RPY(mgl64.Vec3{0.3, -0.2, 0.5}, 0.1, 0.2, 0.3)
	parts := []render.Part{{Mesh: 0, Material: 0, PoseBP: turned}, {Mesh: 1, Material: 1, PoseBP: spatial.Identity()},
		{Mesh: 0, Material: 0, PoseBP: spatial.Identity()}}
	s.Bodies = []render.Body{
		{Name: "one", Parts: parts}, {Name: "alike", Parts: parts}, {Name: "none", Static: true},
		{Name: "still", Static: true, Parts: []render.Part{{Mesh: 2, Material: 2, PoseBP: spatial.Identity()}}},
		{Name: "painted", Parts: []render.Part{{Mesh: 3, Material: 3, PoseBP: turned}}},
	}
	poses := []spatial.Pose{spatial.Planar(1, 2, 0.5), spatial.RPY(mgl64.Vec3{-3, 4, 0.2}, 1, -0.5, 2),
		spatial.Identity(), spatial.Planar(5, 0, -1), spatial.Planar(-5, 0, 1)}
	data := must.Get(Write(s, poses))(t)
	read := must.Get(build(data, &store{room: len(data), read: map[string][]byte{}, pixels: maxPixels}, 1, size{}))(t)
	var want []corner
	for i := range s.Bodies {
		want = append(want, cornersOf(s.Bodies[i].Parts, s.Meshes, s.Materials, poses[i])...)
	}
	var got []corner
	for _, p := range read.Parts {
		got = append(got, cornersOf([]render.Part{p}, read.Meshes, read.Materials, spatial.Identity())...)
	}
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d corners, want %d", len(got), len(want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if !(g.pos.Sub(w.pos).Len() <= 1e-5) || !(g.normal.Sub(w.normal).Len() <= 1e-5) ||
			!(g.uv.Sub(w.uv).Len() <= 1e-6) || !(g.color.Sub(w.color).Len() <= 1e-6) {
			t.Fatalf("corner %d: %+v, want %+v", i, g, w)
		}
	}
	for i, k := range []int{0, 1, 2, read.Parts[len(read.Parts)-1].Material} {
		g, w := read.Materials[k], s.Materials[i]
		if !(math.Abs(float64(g.Roughness-w.Roughness)) <= 1e-6) || g.Metal != w.Metal || g.Pattern != w.Pattern {
			t.Errorf("material %d: %+v, want %+v", i, g, w)
		}
	}
	if g := read.Materials[2].Texture; g == nil || g.Wrap != texture.Wrap || string(g.Levels[0].Pix) != string(im.Pix) {
		t.Errorf("the texture is %+v", g)
	}

	// Bodies with the same parts share them, and moving bodies are counted.
	doc, _, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Meshes) != 3 || len(doc.Meshes[0].Primitives) != 2 || *doc.Nodes[1].Mesh != *doc.Nodes[2].Mesh {
		t.Errorf("%d meshes, of which the first has %d primitives", len(doc.Meshes), len(doc.Meshes[0].Primitives))
	}
	must.Refuse(Write(s, poses[:1]))(t, "", "poses of other bodies are taken")
}
