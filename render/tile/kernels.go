package tile

// #include "call.h"
import "C"

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/omnipitch/omnipitch/render/tile/kernels"
)

// InstructionsVariable is the environment variable that keeps the kernels from using better instructions than it names.
const InstructionsVariable = "OMNIPITCH_SIMD"

// kernelsHere returns the kernels that the processor has, best first.
var kernelsHere = sync.OnceValue(func() []*C.kernels {
	var list []*C.kernels
	for _, k := range kernels.All() {
		list = append(list, (*C.kernels)(k))
	}
	return list
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
	return nil, fmt.Errorf("%s = %q: must be one of %s, which this processor has", InstructionsVariable, most,
		strings.Join(names, ", "))
})

// Instructions returns the name of the instructions that the kernels of this process use: avx512, avx2 or base. It
// fails if InstructionsVariable names none that the processor has.
func Instructions() (string, error) {
	k, err := kernel()
	if err != nil {
		return "", err
	}
	return nameOf(k), nil
}
