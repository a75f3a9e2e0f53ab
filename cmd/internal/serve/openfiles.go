package serve

import (
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

// Numbers of files that a process which serves ROS has open at the same time.
const (
	filesOfRun    = 64 // for a run or a master with its first clients. Measured: 42 with all servers and renderers
	filesOfMaster = 8  // for each master of a robot with its node. Measured: 7
)

// CheckOpenFiles returns an error if this process may open too few files for a run of the world w. A nil w means a
// master without a run.
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

// NeedOpenFiles returns an error if this process may open fewer than need files: connections would then never be
// accepted. The Go runtime has already raised the soft limit to the hard limit.
func NeedOpenFiles(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= need {
		return nil // nil on systems without the limit
	}
	return console.Unavailablef("open files: at most %d: must be at least %d; ulimit -n sets the limit", limit.Cur,
		need)
}
