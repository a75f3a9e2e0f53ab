package main

import (
	"fmt"
	"syscall"

	"github.com/omnipitch/omnipitch/worlds"
)

// How many open files programs on the wire take.
const (
	filesOfRun    = 64 // of a run or a master with its first clients. Measured: 42 with all wires and renderers
	filesOfMaster = 8  // more, of a robot's own master with the node at it. Measured: 7
)

// enoughFiles refuses to open wires under a limit of open files that leaves calls to a master, which takes no more
// connections, without an answer. The world is nil of a master alone.
func enoughFiles(w *worlds.World) error {
	need := uint64(filesOfRun)
	if w != nil {
		for i := range w.Robots {
			if w.Robots[i].ROS1.MasterPort != 0 {
				need += filesOfMaster
			}
		}
	}
	return mayOpen(need)
}

// mayOpen says with lacking where the machine lets a process open fewer files than need. Go's runtime has raised the soft limit to
// the hard one.
func mayOpen(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // a system without the limit
	}
	if limit.Cur < need {
		return lacking{fmt.Errorf("open files: at most %d: must be at least %d; ulimit -n sets the limit", limit.Cur, need)}
	}
	return nil
}
