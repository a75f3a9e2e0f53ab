package mujoco

// #cgo CFLAGS: -O2
// #cgo LDFLAGS: -ldl -lm
// #include <stdlib.h>
// #include "world.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/physics"
)

// libraries are the names of libmujoco's files, the preferred one first.
var libraries = []string{"libmujoco.so.2.2.2", "libmujoco.so.2.3.1"}

// library loads libmujoco when it is called for the first time.
var library = sync.OnceValue(func() error { return load(libraries) })

// load loads the first of the libraries that is there.
func load(names []string) error {
	var first error
	for _, name := range names {
		var text [300]C.char
		c := C.CString(name)
		failed := C.omni_mj_open(c, &text[0], C.int(len(text))) != 0
		C.free(unsafe.Pointer(c))
		if !failed {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("physics.engine = mujoco: %s: %w", C.GoString(&text[0]), physics.ErrNoMuJoCo)
		}
	}
	return first
}

// loading is locked while MuJoCo loads a model, which replaces the handler of errors for all threads meanwhile. Steps
// hold it for reading.
var loading sync.RWMutex
