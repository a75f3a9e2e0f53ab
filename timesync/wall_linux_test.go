package timesync

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// undo restores the attributes of a thread.
func TestPromptIsUndone(t *testing.T) {
	state := func() (slack int, slice uint64) {
		slack = must.Get(unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0))(t)
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
