package tile

// #include <stdlib.h>
import "C"

import "unsafe"

// spare is the number of elements behind an array that vectors may read.
const spare = 16

// memory is what the kernels read, outside of Go's heap: C keeps pointers to it.
type memory struct{ blocks []unsafe.Pointer }

// newArray returns n zeros, with spare ones behind them, until the memory is freed.
func newArray[T any](m *memory, n int) []T {
	var x T
	p := C.calloc(C.size_t(n+spare), C.size_t(unsafe.Sizeof(x)))
	if p == nil {
		panic("render/tile: out of memory")
	}
	m.blocks = append(m.blocks, p)
	return unsafe.Slice((*T)(p), n)
}

// copied returns an array of its own with the same elements.
func copied[T any](m *memory, from []T) []T {
	to := newArray[T](m, len(from))
	copy(to, from)
	return to
}

// numbers is an array of numbers that grows.
type numbers struct {
	memory unsafe.Pointer
	room   int
}

// grow makes room for n, which are lost. It fails if memory runs out.
func (f *numbers) grow(n int) error {
	if n <= f.room {
		return nil
	}
	f.free()
	// Vectors read what no pixel is computed from: it must be numbers all the same.
	if f.memory = C.calloc(C.size_t(n), C.sizeof_float); f.memory == nil {
		return errMemory
	}
	f.room = n
	return nil
}

// at returns a pointer to a number.
func (f *numbers) at(i int) *C.float { return (*C.float)(unsafe.Add(f.memory, i*C.sizeof_float)) }

func (f *numbers) free() {
	C.free(f.memory)
	*f = numbers{}
}

// free frees all arrays.
func (m *memory) free() {
	for _, p := range m.blocks {
		C.free(p)
	}
	m.blocks = nil
}
