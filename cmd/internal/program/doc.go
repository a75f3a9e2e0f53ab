// Package program starts the programs that a world names, waits until they are ready, and leaves no process behind.
//
// Each program has a supervisor: this executable, started again with the hidden command supervise, in its own session.
// Processes that the program starts, including daemons, become children of the supervisor when their parents end
// (PR_SET_CHILD_SUBREAPER). The supervisor kills all of them when its stdin is closed: by the run, or because the run
// was killed. This needs no special rights, only Linux.
//
//	programs, err := program.Start(world, program.Options{MasterURI: uri, Connected: connected})
//	defer programs.Close()
//	ctx, stop := programs.Watch(ctx) // ends with a *Failure as its cause
//	defer stop(nil)
//	err = programs.AwaitReady(ctx)
package program
