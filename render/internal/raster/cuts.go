package raster

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
)

// cut is the mesh of a part, subdivided for all levels of detail. It is immutable.
type cut struct {
	vertices []Vertex // vertices that subdivision has added to the mesh's own vertices
	indices  []uint32 // indices of vertices, counted from the part's first vertex
	levels   []Level  // levels, whose First counts from the part's first index
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
	h.Write(bytesOf(vertices))
	h.Write(bytesOf(indices))
	k := cutKey{content: h.Sum64(), vertices: len(vertices), indices: len(indices), static: cameras != nil}
	if cameras != nil {
		k.cameras = *cameras
	}
	return k
}

// bytesOf returns the memory of a slice whose elements have no padding.
func bytesOf[T Vertex | uint32](of []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(t)))
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
