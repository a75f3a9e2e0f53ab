package console

import (
	"fmt"
	"runtime"
)

// Machine describes this machine in a few words, for reports of measurements.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
