package raster

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/refine"
)

// cut is the mesh of a part, subdivided for all levels of detail. It is immutable.
type cut struct {
	vertices []Vertex // vertices that subdivision has added to the mesh's own vertices
	indices  []uint32 // indices of vertices, counted from the part's first vertex
	levels   []Level  // levels, whose First counts from the part's first index
}

// partMesh is the mesh of a part.
type partMesh struct {
	vertices []Vertex // in B
	indices  []uint32
}

// cutBody returns the cuts of a body's parts, whose meshes are given. It keeps them for other processes.
func cutBody(body *render.Body, meshes []partMesh) (cuts []cut) {
	var all cut
	var counts []int64 // for each part, the numbers of its vertices, indices and levels
	kept.Get(keptAs(body, meshes), func() {
		for i := range meshes {
			c := cutOf(body, &meshes[i])
			all.vertices, all.indices = append(all.vertices, c.vertices...), append(all.indices, c.indices...)
			all.levels = append(all.levels, c.levels...)
			counts = append(counts, int64(len(c.vertices)), int64(len(c.indices)), int64(len(c.levels)))
		}
	}, kept.Slice(&all.vertices), kept.Slice(&all.indices), kept.Slice(&all.levels), kept.Slice(&counts))
	for ; len(counts) > 0; counts = counts[3:] {
		v, i, l := counts[0], counts[1], counts[2]
		cuts = append(cuts, cut{all.vertices[:v:v], all.indices[:i:i], all.levels[:l:l]})
		all.vertices, all.indices, all.levels = all.vertices[v:], all.indices[i:], all.levels[l:]
	}
	return cuts
}

// keptAs returns the key under which the cuts of a body are kept.
func keptAs(body *render.Body, meshes []partMesh) kept.Key {
	var of [][]byte
	for i := range meshes {
		of = append(of, kept.Bytes(meshes[i].vertices), kept.Bytes(meshes[i].indices))
	}
	if body.Cameras != nil {
		of = append(of, kept.Bytes([]render.CameraRegion{*body.Cameras}))
	}
	return kept.KeyOf("cuts", of...)
}

// cutOf returns the cut of a part of a body.
func cutOf(body *render.Body, mesh *partMesh) *cut {
	key := keyOf(mesh.vertices, mesh.indices, body.Cameras)
	c, keep := cuts.get(key)
	if c == nil {
		c = newCut(body, mesh)
		if keep && len(c.vertices) >= leastOfAPart && len(c.vertices) <= mostOfAPart {
			cuts.put(key, c)
		}
	}
	return c
}

// newCut subdivides the mesh of a part of a body.
func newCut(body *render.Body, mesh *partMesh) *cut {
	own := mesh.vertices
	s := subdivision{vertices: slices.Clone(own), middles: map[[2]uint32]uint32{}}
	end := int32(0)
	for _, l := range refine.Levels(body, len(mesh.indices),
		func(i int) refine.Corner { return s.corner(mesh.indices[i]) },
		func(i, j refine.Corner) refine.Corner { return s.corner(s.middle(i.Index, j.Index)) },
		func(i, j, k refine.Corner) bool {
			s.indices = append(s.indices, i.Index, j.Index, k.Index)
			return true
		}) {
		level := Level{Edge: l.Edge, First: end, Count: int32(3 * l.Triangles)}
		end += level.Count
		for _, i := range s.indices[level.First:end] {
			level.Vertices = max(level.Vertices, int(i)+1)
		}
		s.levels = append(s.levels, level)
	}
	return &cut{s.vertices[len(own):], s.indices, s.levels}
}

// subdivision is a cut in the making.
type subdivision struct {
	vertices []Vertex // the mesh's own vertices, and then the added vertices
	indices  []uint32
	levels   []Level
	middles  map[[2]uint32]uint32 // vertices in the middle of edges, by edge
}

func (s *subdivision) corner(i uint32) refine.Corner {
	return refine.Corner{Pos: s.vertices[i].Pos, Index: i}
}

// middle returns the index of the vertex halfway between two vertices, and adds it if there is none.
func (s *subdivision) middle(i, j uint32) uint32 {
	key := [2]uint32{min(i, j), max(i, j)}
	if m, ok := s.middles[key]; ok {
		return m
	}
	s.vertices = append(s.vertices, middle(&s.vertices[i], &s.vertices[j]))
	m := uint32(len(s.vertices) - 1)
	s.middles[key] = m
	return m
}

// cutKey identifies a cut by the mesh's baked vertices, its indices, and the region where cameras are expected.
type cutKey struct {
	content           uint64
	vertices, indices int
	static            bool
	cameras           render.CameraRegion // of a static body
}

var contentSeed = maphash.MakeSeed()

func keyOf(vertices []Vertex, indices []uint32, cameras *render.CameraRegion) cutKey {
	var h maphash.Hash
	h.SetSeed(contentSeed)
	h.Write(kept.Bytes(vertices))
	h.Write(kept.Bytes(indices))
	k := cutKey{content: h.Sum64(), vertices: len(vertices), indices: len(indices), static: cameras != nil}
	if cameras != nil {
		k.cameras = *cameras
	}
	return k
}

// Limits of cutCache.
const (
	mostKept     = 500_000 // vertices: about 40 MB, enough for the parts of a hall, its goals and ten robots
	mostOfAPart  = mostKept / 4
	leastOfAPart = 100 // vertices; computing a smaller cut takes no longer than hashing its key
	mostAsked    = 10_000
)

// cutCache stores the cuts of parts. Worlds that run one after the other mostly have the same parts, and so do several
// renderers of one world. The cache stores a cut only when the cut is computed for the second time. So a process with
// one renderer needs no memory for it. Any goroutine may use it.
type cutCache struct {
	mu       sync.Mutex
	asked    map[cutKey]bool
	cuts     map[cutKey]*cut
	order    []cutKey // keys of the stored cuts, oldest first
	vertices int      // of the stored cuts
}

var cuts cutCache

// get returns the stored cut for a key. If there is none, get returns nil, and the caller must compute the cut. keep
// then reports whether the caller should store the cut with put.
func (k *cutCache) get(key cutKey) (c *cut, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cuts == nil {
		k.asked, k.cuts = map[cutKey]bool{}, map[cutKey]*cut{}
	}
	if c = k.cuts[key]; c != nil {
		return c, false
	}
	keep = k.asked[key]
	if len(k.asked) >= mostAsked {
		clear(k.asked)
	}
	k.asked[key] = true
	return nil, keep
}

// put stores a cut. To make room, it drops the oldest cuts.
func (k *cutCache) put(key cutKey, c *cut) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cuts[key] != nil {
		return
	}
	for k.vertices+len(c.vertices) > mostKept {
		k.vertices -= len(k.cuts[k.order[0]].vertices)
		delete(k.cuts, k.order[0])
		k.order = k.order[1:]
	}
	k.cuts[key] = c
	k.order, k.vertices = append(k.order, key), k.vertices+len(c.vertices)
}
