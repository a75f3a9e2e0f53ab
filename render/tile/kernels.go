package tile

// #cgo CFLAGS: -std=c11 -O3 -Wall -Wextra -Wno-psabi
// #cgo LDFLAGS: -lm
// #include "kernels.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"
)

// InstructionsVariable is the environment variable that keeps the kernels from using better instructions than it names.
const InstructionsVariable = "OMNIPITCH_SIMD"

// kernel returns the kernels of this process.
var kernel = sync.OnceValues(func() (*C.kernels, error) {
	most := os.Getenv(InstructionsVariable)
	list := unsafe.Slice(C.all_kernels(), 4)
	var names []string
	for _, k := range list {
		if k == nil {
			break
		}
		name := C.GoString(k.name)
		if most == "" || most == name {
			return k, nil
		}
		names = append(names, name)
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
	return C.GoString(k.name), nil
}
