package main

import (
	"syscall"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/worlds"
)

// How many open files programs on the wire take.
const (
	filesOfRun    = 64 // of a run or a master with its first clients. Measured: 42 with all wires and renderers
	filesOfMaster = 8  // more, of a robot's own master with the node at it. Measured: 7
)

// filesOf is how many open files a run takes. The world is nil of a master alone.
func filesOf(w *worlds.World) uint64 {
	need := uint64(filesOfRun)
	if w != nil {
		for i := range w.Robots {
			if w.Robots[i].ROS1.MasterPort != 0 {
				need += filesOfMaster
			}
		}
	}
	return need
}

// enoughFiles fails under a limit of open files with which connections would wait for ever to be accepted. Go's runtime
// has raised the soft limit to the hard one.
func enoughFiles(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= need {
		return nil // or a system without the limit
	}
	return exit.Lackingf("open files: at most %d: must be at least %d; ulimit -n sets the limit", limit.Cur, need)
}
