// Package kernels has what package tile does for each pixel, in C, for several sets of instructions. It imports nothing
// of Go's side, so that C is compiled again only when C changes.
package kernels

// #cgo CFLAGS: -std=c11 -Wall -Wextra -Wno-psabi -Werror=incompatible-pointer-types -Werror=implicit-function-declaration
// #cgo !race CFLAGS: -O3
// #cgo race CFLAGS: -O1 -DBASE_ALONE
// #cgo LDFLAGS: -lm
// #include "kernels.h"
import "C"

import "unsafe"

// All returns those that the processor has, best first: each points to a constant of type kernels of kernels.h. Builds
// with the race detector, which looks at Go alone, have just those for any processor: compiling the others takes longer
// than the tests.
func All() []unsafe.Pointer {
	var all []unsafe.Pointer
	for p := C.all_kernels(); *p != nil; p = (**C.kernels)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		all = append(all, unsafe.Pointer(*p))
	}
	return all
}
