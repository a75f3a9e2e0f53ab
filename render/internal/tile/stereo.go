package tile

// #include "call.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
)

// matching is the memory for the images of a stereo pair.
type matching struct {
	kernel *C.kernels
	of     *C.matching // outside of Go's heap
	depth  *C.float    // the result; nil for the first half of the passes
	done   chan struct{}
	helper func() // the method backward, so that starting it allocates nothing
}

// idleMatchings holds memory that was used and is kept for further pairs, the oldest first.
var (
	idleMatchings []*matching
	idleMutex     sync.Mutex
)

// mostIdle is the largest number of idleMatchings. It is a guess: the number of pairs that are computed at once.
const mostIdle = 8

// Match implements render.Matcher by semi-global matching, with two threads.
func Match(left, right *render.Image, s *render.Stereo, into *render.Depth) error {
	k, err := kernel()
	if err != nil {
		return err
	}
	return match(k, left, right, s, into)
}

func match(k *C.kernels, left, right *render.Image, s *render.Stereo, into *render.Depth) error {
	if err := s.Validate(into.Width, into.Height); err != nil {
		return fmt.Errorf("stereo: %w", err)
	}
	const vector = 32
	m := takeMatching(C.int32_t(into.Width), C.int32_t(into.Height),
		C.int32_t((s.Disparities()+vector-1)/vector*vector))
	if m == nil {
		return errMemory
	}
	defer m.put()
	of := m.of
	m.kernel = k
	of.scale, of.near, of.far = C.float(s.Focal*s.Baseline), C.float(s.Min), C.float(s.Max)
	of.unique, of.texture = C.int32_t(256/(1-s.Uniqueness)), C.int32_t(math.Round(s.Texture*C.LEVEL))
	C.call_take_census(k, of, (*C.uint8_t)(&left.Pix[0]), (*C.uint8_t)(&right.Pix[0]))
	for _, m.depth = range [2]*C.float{nil, (*C.float)(&into.Z[0])} {
		go m.helper()
		C.call_match_half(k, of, 0, m.depth)
		<-m.done
	}
	C.call_finish(k, of, m.depth)
	m.depth = nil
	return nil
}

// backward does the part of the backward pass.
func (m *matching) backward() {
	C.call_match_half(m.kernel, m.of, 1, m.depth)
	m.done <- struct{}{}
}

// takeMatching returns memory that nobody uses, for images of a size. It returns nil if the machine has too little.
func takeMatching(w, h, disparities C.int32_t) *matching {
	fits := func(m *matching) bool { return m.of.width == w && m.of.height == h && m.of.disparities == disparities }
	idleMutex.Lock()
	i := slices.IndexFunc(idleMatchings, fits)
	if i < 0 && len(idleMatchings) == mostIdle {
		i = 0
	}
	var m *matching
	if i >= 0 {
		m = idleMatchings[i]
		idleMatchings = slices.Delete(idleMatchings, i, i+1)
	}
	idleMutex.Unlock()
	if m == nil {
		m = &matching{of: (*C.matching)(C.calloc(1, C.sizeof_matching)), done: make(chan struct{})}
		m.helper = m.backward
	}
	if m.of == nil || !fits(m) && C.allocate_matching(m.of, w, h, disparities) == 0 {
		C.free(unsafe.Pointer(m.of))
		return nil
	}
	return m
}

// put keeps the memory for another pair, unless enough is kept.
func (m *matching) put() {
	idleMutex.Lock()
	defer idleMutex.Unlock()
	if len(idleMatchings) < mostIdle {
		idleMatchings = append(idleMatchings, m)
		return
	}
	C.free_matching(m.of)
	C.free(unsafe.Pointer(m.of))
}
