package replay

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// If the disk is full when a recording is switched on, the recording ends with one message and the run continues.
// Switch fails, and the recording can be replayed so far.
func TestSwitchedOnWithAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	path, w := filepath.Join(dir, "a.mcap"), busy(t, "planar")
	var told atomic.Int32
	rec, sim := recorded(t, path, w, recorder.Config{Exact: true, Off: true,
		Options: recording.Options{Ended: func(error) { told.Add(1) }}})
	defer sim.Close()
	limit := time.Now().Add(time.Minute)
	stepUntil := func(what string, ok func() bool) {
		for !ok() {
			steps(t, sim, 20, nil)
			if time.Now().After(limit) {
				t.Fatalf("waited long for %s", what)
			}
		}
	}
	stepUntil("a first chunk", func() bool {
		r, err := Open(path + aside.Suffix)
		if err != nil {
			return false
		}
		defer r.Close()
		return r.Steps() >= 20
	})
	if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	turn := &action.Record{On: true}
	stepUntil("the recording to end", func() bool { return errors.Is(sim.Do(turn), syscall.ENOSPC) })
	steps(t, sim, 20, nil)
	if err := rec.Close(); !errors.Is(err, syscall.ENOSPC) || told.Load() != 1 {
		t.Errorf("Ended was called %d times: %v", told.Load(), err)
	}
	r, again := replayed(t, path+aside.Suffix, omnipitch.Options{}, Config{Check: true})
	steps(t, again.Sim, int(r.Steps())-1, nil)
	if checked, _, parting := again.Verdict(); checked != r.Steps() || parting != nil || checked < 20 {
		t.Errorf("%d of %d steps are the recording's; parts %+v", checked, r.Steps(), parting)
	}
}
