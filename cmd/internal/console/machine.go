package console

import (
	"fmt"
	"runtime"
)

// Machine returns a text that describes this machine: system, cores and Go version. Reports of measurements contain it.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
