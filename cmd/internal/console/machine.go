package console

import (
	"fmt"
	"runtime"
)

// Machine says in a few words what a command runs on, for reports of what was measured.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}
