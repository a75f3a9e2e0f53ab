package tile

// #cgo CFLAGS: -std=c11 -Wall -Wextra -Wno-psabi -Werror=incompatible-pointer-types -Werror=implicit-function-declaration
// #cgo !race CFLAGS: -O3
// #cgo race CFLAGS: -O1 -DBASE_ALONE
// #cgo LDFLAGS: -lm
// #include "kernels.h"
import "C"

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// InstructionsVariable is the environment variable that keeps the kernels from using better instructions than it names.
const InstructionsVariable = "OMNIPITCH_SIMD"

// kernelsHere returns the kernels that the processor has, best first. Builds with the race detector, which looks at Go alone, have just those for any
// processor: compiling the others takes longer than the tests.
var kernelsHere = sync.OnceValue(func() []*C.kernels {
	list := unsafe.Slice(C.all_kernels(), 4)
	return list[:slices.Index(list, nil)]
})

// nameOf returns the name of the instructions that kernels use.
func nameOf(k *C.kernels) string { return C.GoString(k.name) }

// kernel returns the kernels of this process.
var kernel = sync.OnceValues(func() (*C.kernels, error) {
	most := os.Getenv(InstructionsVariable)
	var names []string
	for _, k := range kernelsHere() {
		if most == "" || most == nameOf(k) {
			return k, nil
		}
		names = append(names, nameOf(k))
	}
	return nil, fmt.Errorf("%s = %q: must be one of %s, which this processor has", InstructionsVariable, most, strings.Join(names, ", "))
})

// Instructions returns the name of the instructions that the kernels of this process use: avx512, avx2 or base. It fails if
// InstructionsVariable names none that the processor has.
func Instructions() (string, error) {
	k, err := kernel()
	if err != nil {
		return "", err
	}
	return nameOf(k), nil
}
