package omnipitch

import (
	"testing"

	"github.com/omnipitch/omnipitch/worlds/action"
)

// A robot is connected to its programs at time 0, after action RestoreWires and after a restart.
func TestWired(t *testing.T) {
	s, _ := attack(t, nil)
	do := func(a action.Action, want bool) {
		t.Helper()
		if err := s.Do(a); err != nil {
			t.Fatal(err)
		}
		steps(t, s, 1)
		if got := s.Match().Wired("cyan1"); got != want || !s.Match().Wired("magenta1") {
			t.Errorf("after %T: wired %v, want %v; magenta1: %v", a, got, want, s.Match().Wired("magenta1"))
		}
	}
	do(&action.Drive{Robot: "cyan1"}, true)
	do(&action.CutWires{Robot: "cyan1"}, false)
	do(&action.CutWires{Robot: "cyan1"}, false)
	do(&action.RestoreWires{Robot: "cyan1"}, true)
	do(&action.CutWires{Robot: "cyan1"}, false)
	do(&action.Reset{}, true)
	if err := s.Do(&action.CutWires{Robot: "cyan9"}); err == nil || s.Do(&action.RestoreWires{}) == nil {
		t.Errorf("wires of no robot are cut: %v", err)
	}
}
