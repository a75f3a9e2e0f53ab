package tile

// #include "call.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	_ "github.com/omnipitch/omnipitch/render/internal/tile/kernels" // the C code of all_kernels
)

// InstructionsVariable is the environment variable that limits the instruction sets. The best set that the kernels may
// use is the one that it names.
const InstructionsVariable = "OMNIPITCH_SIMD"

// supportedKernels returns the kernels that this processor can run, best first.
var supportedKernels = sync.OnceValue(func() []*C.kernels {
	var list []*C.kernels
	for p := C.all_kernels(); *p != nil; p = (**C.kernels)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		list = append(list, *p)
	}
	return list
})

// nameOf returns the name of a kernel set's instructions.
func nameOf(k *C.kernels) string { return C.GoString(k.name) }

// kernel returns the set of kernels that this process uses.
var kernel = sync.OnceValues(func() (*C.kernels, error) {
	most := os.Getenv(InstructionsVariable)
	var names []string
	for _, k := range supportedKernels() {
		if most == "" || most == nameOf(k) {
			return k, nil
		}
		names = append(names, nameOf(k))
	}
	return nil, fmt.Errorf("%s = %q: must be one of %s, which this processor has", InstructionsVariable, most,
		strings.Join(names, ", "))
})

// Instructions returns the name of the instruction set that this process uses: avx512, avx2 or base. It fails if the
// processor does not support the instruction set that InstructionsVariable names.
func Instructions() (string, error) {
	k, err := kernel()
	if err != nil {
		return "", err
	}
	return nameOf(k), nil
}
