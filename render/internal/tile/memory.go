package tile

// #include <stdlib.h>
import "C"

import "unsafe"

// spare is the number of elements beyond the end of an array that vector loads may read.
const spare = 16

// memory holds the data of the kernels outside of Go's heap, because C code keeps pointers to it.
type memory struct{ blocks []unsafe.Pointer }

// newArray returns n zero elements, which are valid until the memory is freed. After these it allocates as many zero
// elements as the constant spare.
func newArray[T any](m *memory, n int) []T {
	var x T
	p := C.calloc(C.size_t(n+spare), C.size_t(unsafe.Sizeof(x)))
	if p == nil {
		panic("render/tile: out of memory")
	}
	m.blocks = append(m.blocks, p)
	return unsafe.Slice((*T)(p), n)
}

// copied returns a copy of an array.
func copied[T any](m *memory, from []T) []T {
	to := newArray[T](m, len(from))
	copy(to, from)
	return to
}

// numbers is a growing array of floats.
type numbers struct {
	memory unsafe.Pointer
	room   int
}

// grow makes room for n floats, and discards the content. It fails if the machine runs out of memory.
func (f *numbers) grow(n int) error {
	if n <= f.room {
		return nil
	}
	f.free()
	// calloc, because vector loads also read numbers that no pixel depends on, and these must not be uninitialised
	if f.memory = C.calloc(C.size_t(n), C.sizeof_float); f.memory == nil {
		return errMemory
	}
	f.room = n
	return nil
}

// pointer returns a pointer to the float at index i.
func (f *numbers) pointer(i int) *C.float { return (*C.float)(unsafe.Add(f.memory, i*C.sizeof_float)) }

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
