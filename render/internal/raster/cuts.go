package raster

import (
	"hash/maphash"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
)

// cut is what a part's mesh becomes at all levels. Nothing of it changes.
type cut struct {
	vertices []Vertex // but for the mesh's own
	indices  []uint32 // from the part's first vertex
	levels   []Level  // whose First counts from the part's first index
}

// cutKey is what a cut depends on: the mesh's vertices as they are baked, its indices, and where cameras are expected.
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

// bytesOf returns the memory of numbers without gaps.
func bytesOf[T Vertex | uint32](of []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(of))), len(of)*int(unsafe.Sizeof(t)))
}

// Of what cuts are kept.
const (
	mostKept     = 500_000 // vertices: about 40 MB, which the parts of a hall, its goals and ten robots take
	mostOfAPart  = mostKept / 4
	leastOfAPart = 100 // vertices: below, a cut takes no longer than its key
	mostAsked    = 10_000
)

// known keeps the cuts of parts, as worlds that run one after the other, and several renderers of one world, mostly
// have the same. It keeps a cut from the second time on that it is made: a process with one renderer gives no memory
// for it. Any goroutine may use it.
type known struct {
	mu    sync.Mutex
	asked map[cutKey]bool
	of    map[cutKey]*cut
	order []cutKey // of those that are kept, as they came
	kept  int      // vertices
}

var cuts known

// get returns a cut that is kept, or nil; then keep tells whether it shall be.
func (k *known) get(key cutKey) (c *cut, keep bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.asked, k.of = map[cutKey]bool{}, map[cutKey]*cut{}
	}
	if c = k.of[key]; c != nil {
		return c, false
	}
	keep = k.asked[key]
	if len(k.asked) >= mostAsked {
		clear(k.asked)
	}
	k.asked[key] = true
	return nil, keep
}

// put keeps a cut, and forgets the oldest for it.
func (k *known) put(key cutKey, c *cut) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of[key] != nil {
		return
	}
	for k.kept+len(c.vertices) > mostKept {
		k.kept -= len(k.of[k.order[0]].vertices)
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
	k.of[key] = c
	k.order, k.kept = append(k.order, key), k.kept+len(c.vertices)
}
