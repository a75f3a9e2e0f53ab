package timesync

import (
	"context"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// promptSlice is the time slice that Prompt requests, and the shortest that the kernel grants. The kernel schedules a
// thread with a shorter slice sooner.
const promptSlice = 100 * time.Microsecond

// Prompt asks the kernel to wake the calling goroutine without delay, even when other threads are busy. The returned
// function undoes this. Prompt locks the goroutine to its thread, sets the thread's timer slack to 1 ns, and requests
// short time slices (Linux 6.12 and later; no privilege is needed).
func Prompt() (undo func()) {
	runtime.LockOSThread()
	const exact, usual = 1, 0                          // timer slack, ns; 0 means the default of 50,000
	unix.Prctl(unix.PR_SET_TIMERSLACK, exact, 0, 0, 0) // does not fail
	before, err := unix.SchedGetAttr(0, 0)
	if err == nil && before.Policy == unix.SCHED_NORMAL {
		short := *before
		short.Runtime = uint64(promptSlice)
		err = unix.SchedSetAttr(0, &short, 0) // older kernels refuse or ignore the request
	}
	return func() {
		if err == nil {
			unix.SchedSetAttr(0, before, 0) // cannot fail: these were the thread's own attributes
		}
		unix.Prctl(unix.PR_SET_TIMERSLACK, usual, 0, 0, 0)
		runtime.UnlockOSThread()
	}
}

// sleep sleeps for a duration, but may return early. It calls the kernel directly, because timers of the Go runtime are
// late by up to a millisecond.
func sleep(_ context.Context, d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil) // a signal may interrupt the sleep; the caller checks the time again
}
