package timesync

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// undo restores the attributes of a thread.
func TestPromptIsUndone(t *testing.T) {
	state := func() (slack int, slice uint64) {
		slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if attr, err := unix.SchedGetAttr(0, 0); err == nil { // else Prompt leaves the time slice unchanged, too
			slice = attr.Runtime
		}
		return slack, slice
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slack, slice := state()
	undo := Prompt()
	if now, _ := state(); now != 1 {
		t.Errorf("timer slack %d ns of a prompt thread, want 1", now)
	}
	undo()
	if nowSlack, nowSlice := state(); nowSlack != slack || nowSlice != slice {
		t.Errorf("timer slack %d ns and turns of %d ns afterwards, want %d and %d", nowSlack, nowSlice, slack, slice)
	}
}
