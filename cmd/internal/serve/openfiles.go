package serve

import (
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

// How many open files a process takes that serves ROS.
const (
	filesOfRun    = 64 // of a run or a master with its first clients. Measured: 42 with all wires and renderers
	filesOfMaster = 8  // more, of a robot's own master with the node at it. Measured: 7
)

// CheckOpenFiles fails under a limit of open files at which a run of a world, or a master alone where that is nil,
// could not accept connections.
func CheckOpenFiles(w *worlds.World) error {
	need := uint64(filesOfRun)
	if w != nil {
		for i := range w.Robots {
			if w.Robots[i].ROS1.MasterPort != 0 {
				need += filesOfMaster
			}
		}
	}
	return NeedOpenFiles(need)
}

// NeedOpenFiles fails under a lower limit of open files: connections would wait for ever to be accepted. Go's runtime
// has raised the soft limit to the hard one.
func NeedOpenFiles(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= need {
		return nil // or a system without the limit
	}
	return console.Unavailablef("open files: at most %d: must be at least %d; ulimit -n sets the limit", limit.Cur,
		need)
}
