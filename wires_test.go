package omnipitch

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
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

// Do places a body at once, for the truth and for the scene.
func TestPlacingIsSeenAtOnce(t *testing.T) {
	sim, _ := attack(t, nil)
	if err := sim.Do(&action.Place{Name: "magenta1", X: 1, Y: 2}); err != nil {
		t.Fatal(err)
	}
	want := mgl64.Vec3{1, 2, 0}
	scenery := sim.Sensors().Scenery()
	if truth, body := sim.Truth().Robots[1].PoseWB.Pos, scenery.Poses(sim.Truth(), nil)[scenery.Robot(1)].Pos; truth !=
		want || body != want {
		t.Errorf("the truth has the robot at %v, the scene at %v, want %v", truth, body, want)
	}
}

// An event that moves a robot's extension is no command of the robot: lockstep continues to wait for the robot.
func TestEventsAreNoCommandsOfRobots(t *testing.T) {
	sim, _ := attack(t, func(w *worlds.World) {
		w.Events = []worlds.Event{{At: 0, Choice: action.Choice{Extend: &action.Extend{Robot: "magenta1", To: "left"}}}}
	})
	report, err := sim.Run(t.Context(), Pace{For: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if sim.Truth().Robots[1].Extension != physics.ExtendLeft {
		t.Error("the extension did not move")
	}
	for _, r := range report.Robots {
		if r.Commands != 0 {
			t.Errorf("%s has commanded %d times, want 0", r.Robot, r.Commands)
		}
	}
}
