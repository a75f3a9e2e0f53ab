// Package program starts the programs that a world names, tells when they are ready, and leaves none of them behind.
//
// Each program has a supervisor: this very executable, started again with the hidden command supervise, in a session of
// its own. What the program starts, daemons too, become the supervisor's children when their parents end
// (PR_SET_CHILD_SUBREAPER). The supervisor ends them all when its stdin does: when the run closes it, and when the run
// is killed. None of it needs rights of any kind, nor more than Linux.
//
//	programs, err := program.Start(world, program.Options{MasterURI: uri, Connected: connected})
//	defer programs.Close()
//	ctx, stop := programs.Watch(ctx) // ends with a *Failure as its cause
//	defer stop(nil)
//	err = programs.AwaitReady(ctx)
package program
