package raster

import (
	"reflect"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The reported cost of a scene is that of its baked geometry.
func TestBodiesCostWhatIsBaked(t *testing.T) {
	s := &render.Scene{
		Meshes:  []render.Mesh{shapes.Box(3, 2, 1), shapes.Sphere(0.5, 2)},
		Shading: render.Shading{Materials: []render.Material{{}}},
	}
	parts := []render.Part{{Mesh: 0, PoseBP: spatial.Planar(4, 1, 0.3)},
		{Mesh: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 3})}}
	for name, eyes := range map[string]*render.CameraRegion{
		"anywhere":  nil,
		"somewhere": render.NewCameraRegion(spatial.Planar(1, 2, 3), mgl64.Vec3{-1, -1, 0}, mgl64.Vec3{1, 1, 2}),
	} {
		body := &render.Body{Parts: parts, Cameras: eyes}
		s.Bodies = []render.Body{*body}
		b := Bake(s)
		baked := b.Bodies[0]
		cost := refine.CostOf(s, body, 1<<31)
		if len(b.Indices) != 3*cost.Cut || cost.Parts != len(baked.Parts) ||
			cost.Triangles != len(s.Meshes[0].Indices)/3+len(s.Meshes[1].Indices)/3 {
			t.Errorf("%s: %d indices baked, said to cost %+v", name, len(b.Indices), cost)
		}
		for _, p := range baked.Parts {
			for i, l := range p.Levels {
				if i > 0 && (l.Edge > p.Levels[i-1].Edge || l.First != p.Levels[i-1].First+p.Levels[i-1].Count) {
					t.Errorf("%s: levels %+v", name, p.Levels)
				}
			}
		}
	}
}

// Each level's triangles use exactly the first Vertices vertices of the part. Normals point outwards, and positions in
// the mesh's frame are those of the mesh.
func TestLevelsUseTheFirstVertices(t *testing.T) {
	const radius = 0.5
	s := &render.Scene{
		Meshes:  []render.Mesh{shapes.Box(3, 2, 1), shapes.Sphere(radius, 2)},
		Shading: render.Shading{Materials: []render.Material{{}, {}}},
	}
	centre := mgl64.Vec3{0, 0, 3}
	parts := []render.Part{{Mesh: 0, PoseBP: spatial.Planar(4, 1, 0.3)},
		{Mesh: 1, Material: 1, PoseBP: spatial.Translation(centre)}}
	s.Bodies = []render.Body{{Parts: parts}, {Parts: parts, Static: true}}
	g := Bake(s)
	end := 0
	for _, p := range g.Bodies[0].Parts {
		if p.FirstVertex != end || len(p.Levels) < 2 {
			t.Errorf("part %d begins at vertex %d, has %d levels", p.Material, p.FirstVertex, len(p.Levels))
		}
		for _, l := range p.Levels {
			most := 0
			for _, i := range g.Indices[l.First : l.First+l.Count] {
				if int(i) < p.FirstVertex {
					t.Fatalf("part %d uses vertex %d, begins at %d", p.Material, i, p.FirstVertex)
				}
				most = max(most, int(i)-p.FirstVertex+1)
			}
			if l.Vertices != most {
				t.Errorf("part %d: a level says that it uses %d vertices, uses %d", p.Material, l.Vertices, most)
			}
		}
		end = p.FirstVertex + p.Levels[len(p.Levels)-1].Vertices
		if got, want := g.Painted[p.Material], (Run{p.FirstVertex, end - p.FirstVertex}); len(got) != 1 ||
			got[0] != want {
			t.Errorf("material %d paints %v, want %v", p.Material, got, want)
		}
	}
	must.Equal(t, end, len(g.Vertices), "end of the parts")
	for i := g.Bodies[0].Parts[1].FirstVertex; i < end; i++ {
		v := &g.Vertices[i]
		out := spatial.Vec64(v.Pos).Sub(centre)
		if off := out.Sub(spatial.Vec64(v.PosM)).Len(); !(off < 1e-6) {
			t.Fatalf("vertex %d lies %v from the mesh's origin in B, %v in M", i, out, v.PosM)
		}
		if cos := out.Normalize().Dot(spatial.Vec64(v.UnitNormal())); !(cos > 0.99) || !(cos < 1.001) {
			t.Fatalf("vertex %d: normal %v, outwards %v", i, v.UnitNormal(), out)
		}
	}
	if &g.Bodies[0].Parts[0] != &g.Bodies[1].Parts[0] || !g.Bodies[1].Static {
		t.Error("bodies with the same parts do not share baked geometry")
	}
}

// A cached cut equals a new one. A part that differs in anything that a cut depends on does not use it.
func TestKeptCutsAreThoseThatAreMade(t *testing.T) {
	scene := func(size float64, color float32, eyes *render.CameraRegion) *render.Scene {
		s := &render.Scene{Meshes: []render.Mesh{shapes.Box(0.1, 0.1, 0.1), shapes.Box(size, 0.7, 0.9)},
			Shading: render.Shading{Materials: []render.Material{{}}}}
		s.Materials[0].Color[0] = color
		parts := []render.Part{{Mesh: 1, PoseBP: spatial.Planar(1, 2, 0.3)}, {Mesh: 0, PoseBP: spatial.Identity()},
			{Mesh: 1, PoseBP: spatial.Planar(4, 1, 0.3)}}
		s.Bodies = []render.Body{{Parts: parts, Cameras: eyes}}
		return s
	}
	near := render.NewCameraRegion(spatial.Identity(), mgl64.Vec3{-1, -1, 0}, mgl64.Vec3{1, 1, 2})
	far := render.NewCameraRegion(spatial.Identity(), mgl64.Vec3{30, -1, 0}, mgl64.Vec3{40, 1, 2})
	all := []*render.Scene{scene(1.2, 0.1, nil), scene(1.3, 0.1, nil), scene(1.2, 0.2, nil), scene(1.2, 0.1, near),
		scene(1.2, 0.1, far)}
	var first []*Geometry
	for _, s := range all {
		cuts = cutCache{}
		first = append(first, Bake(s))
	}
	cuts = cutCache{}
	for time := range 4 { // the first time two scenes share a part
		for i, s := range all {
			if got := Bake(s); !reflect.DeepEqual(got, first[i]) {
				t.Fatalf("scene %d is baked otherwise the time %d", i, time)
			}
		}
		if got := len(cuts.cuts); time == 0 && got > 1 || time > 0 && got < 2*3 {
			t.Errorf("the time %d: %d cuts are kept", time, got)
		}
	}
}

// The cache is bounded and drops the oldest cut.
func TestKeptCutsAreBounded(t *testing.T) {
	var k cutCache
	k.get(cutKey{})
	for i := range 10 {
		k.put(cutKey{content: uint64(i)}, &cut{vertices: make([]Vertex, mostOfAPart)})
		if k.vertices > mostKept || len(k.cuts) != len(k.order) {
			t.Fatalf("%d vertices, %d cuts, %d in order", k.vertices, len(k.cuts), len(k.order))
		}
	}
	if c, _ := k.get(cutKey{content: 9}); c == nil || k.cuts[cutKey{content: 0}] != nil {
		t.Error("the newest is forgotten, or the oldest is kept")
	}
}
