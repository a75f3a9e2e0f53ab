package timesync

import (
	"context"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// promptSlice is the turn of the processor that a prompt thread asks for: the shorter, the sooner it gets it. The
// kernel's least.
const promptSlice = 100 * time.Microsecond

// Prompt asks the kernel to wake the calling goroutine without delay until undo is called, also while other threads are
// busy: its thread, to which it is locked, sleeps not a bit longer than it asks for, and takes short turns (Linux 6.12
// and later, without any privilege).
func Prompt() (undo func()) {
	runtime.LockOSThread()
	const exact, usual = 1, 0                          // nanoseconds that a sleep may last longer; 0 stands for 50,000
	unix.Prctl(unix.PR_SET_TIMERSLACK, exact, 0, 0, 0) // does not fail
	before, err := unix.SchedGetAttr(0, 0)
	if err == nil && before.Policy == unix.SCHED_NORMAL {
		short := *before
		short.Runtime = uint64(promptSlice)
		err = unix.SchedSetAttr(0, &short, 0) // older kernels refuse it or take no notice
	}
	return func() {
		if err == nil {
			unix.SchedSetAttr(0, before, 0) // as it was, which was allowed
		}
		unix.Prctl(unix.PR_SET_TIMERSLACK, usual, 0, 0, 0)
		runtime.UnlockOSThread()
	}
}

// sleep asks the kernel: timers of the Go runtime are late by up to a millisecond. It may end early.
func sleep(_ context.Context, d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil) // a signal ends it, after which the caller looks again
}
