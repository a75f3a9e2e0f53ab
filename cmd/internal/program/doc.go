// Package program starts the programs that a world names, waits until they are ready, and leaves no process behind.
//
// Each program has a supervisor: this executable, started again with the hidden command supervise, in its own session.
// If the program starts a process, such as a daemon, and then ends, the supervisor becomes the parent of this process
// (PR_SET_CHILD_SUBREAPER). The supervisor kills the program and all these processes when its stdin is closed. The run
// closes it, or the system does if the run was killed. Supervisors need no special rights, only Linux.
//
//	report, err := program.Run(ctx, sim, pace, program.Options{Errs: os.Stderr}) // err may wrap a *Failure
package program
