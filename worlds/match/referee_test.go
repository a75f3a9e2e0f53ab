//go:build cgo

package match_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// shootOut is a world in which the ball rolls into a goal again and again, a second after the start of the game.
func shootOut(t *testing.T, top string) simtest.Sim {
	t.Helper()
	w := must.Get(worlds.Parse("shoot-out.toml", []byte(`
name = "shoot-out"
referee = "auto"
`+top+`
[physics]
engine = "planar"
[[robot]]
for_each = [{ team = "cyan", x = -4 }, { team = "magenta", x = 4 }]
name = "{team}"
model = "nubot"
team = "{team}"
pose = { x_m = "{x}" }
[[event]]
name = "kick_off"
when = { game_state = { phase = "playing" }, for_s = 1 }
repeat = true
place = { name = "ball", x_m = 8.8, vx_m_s = 3 }
[[event]]
name = "goal"
when = { decided = { rule = "goal", command = "kickoff", team = "magenta" } }
repeat = true
[[expect]]
name = "goals"
eventually = { happened = { event = "goal", times = 2 } }
`)))(t)
	s := simtest.New(t, w, omnipitch.Options{})
	return s
}

// The Sim carries out the referee's orders and reports its decisions, and events of the same step see both.
func TestReferee(t *testing.T) {
	s := shootOut(t, "")
	var story []string
	note := func(format string, args ...any) {
		story = append(story, fmt.Sprintf("%.2f ", s.Truth().Time.Seconds())+fmt.Sprintf(format, args...))
	}
	was := s.Match().Game()
	s.Match().OnDecision(func(d *referee.Decision) { note("%s %s %s", d.Rule, d.Command, d.Team) })
	s.OnStep(func(*physics.Snapshot) {
		if now := s.Match().Game(); now != was {
			note("%s %s %s %d:%d", now.Phase, now.SetPiece, now.Team, now.Score.Cyan, now.Score.Magenta)
			was = now
		}
	})
	for s.Truth().Time < 12*time.Second {
		s.Steps(1)
	}
	want := []string{
		"2.00 set_piece kickoff cyan 0:0", "4.00 playing kickoff cyan 0:0",
		"5.12 goal kickoff magenta", "5.12 stopped   1:0", "7.12 set_piece kickoff magenta 1:0",
		"9.12 playing kickoff magenta 1:0",
		"10.23 goal kickoff magenta", "10.23 stopped   2:0",
	}
	if !slices.Equal(story, want) {
		t.Errorf("got %q\nwant %q", story, want)
	}
	report := must.Get(s.Run(t.Context(), omnipitch.Pace{For: time.Second}))(t)
	if g := report.Game; g == nil || g.Score.Cyan != 2 || g.Tally.LongestRestart != 5005*time.Millisecond ||
		len(report.Verdicts) != 1 || report.Verdicts[0].Outcome != "passed" {
		t.Errorf("got %+v, %v", g, report.Verdicts)
	}
}

// A restart restarts the game. With the rules goal and ball_out switched off, there are no goals.
func TestRefereeBeginsAgain(t *testing.T) {
	s := shootOut(t, "")
	decided := 0
	s.Match().OnDecision(func(d *referee.Decision) { decided++ })
	for s.Truth().Time < 6*time.Second {
		s.Steps(1)
	}
	must.Do(t, s.Do(&action.Reset{}))
	s.Steps(1)
	must.Equal(t, s.Match().Game(), (game.State{Phase: game.Stopped, Half: game.Half(game.FirstHalf)}),
		"game")
	for s.Truth().Time < 6*time.Second {
		s.Steps(1)
	}
	if got := s.Match().Game().Score.Cyan; got != 1 || decided != 2 {
		t.Errorf("%d goals, %d decisions", got, decided)
	}
	s = shootOut(t, "rules = { off = [\"goal\", \"ball_out\"] }")
	for s.Truth().Time < 6*time.Second {
		s.Steps(1)
	}
	if got := s.Match().Game(); got.Score.Cyan != 0 || got.Phase != game.Playing {
		t.Errorf("without the rule: %+v", got)
	}
}

// A robot that an action puts elsewhere while it presses against an opponent has not driven the opponent back, nor been
// driven back, by either book.
func TestPlacingIsNotPushing(t *testing.T) {
	for name, speed := range map[string]float64{"pushing-free-kick": 0.5, "humanoid/pushing-free-kick": 0.2} {
		for _, place := range []bool{false, true} {
			w, err := worlds.Load("../../testdata/referee/" + name + ".toml")
			must.Do(t, err)
			w.Expect, w.Events = nil, nil
			for _, robot := range []string{"cyan2", "magenta2"} { // neither drives the other back
				w.Events = append(w.Events, worlds.Event{Choice: action.Choice{
					Drive: &action.Drive{Robot: robot, VX: speed, For: 4 * time.Second}}})
			}
			const at = 3 * time.Second
			if place {
				w.Events = append(w.Events, worlds.Event{At: at, Choice: action.Choice{
					Place: &action.Place{Name: "cyan2", X: -3, Y: 1.5}}})
			}
			s := simtest.New(t, w, omnipitch.Options{})
			var decided []string
			s.Match().OnDecision(func(d *referee.Decision) { decided = append(decided, d.Rule) })
			id := func(robot string) physics.BodyID {
				return physics.BodyID(slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == robot }))
			}
			cyan2, magenta2 := id("cyan2"), id("magenta2")
			pressed := false // shortly before the time of the action
			s.OnStep(func(now *physics.Snapshot) {
				soon := now.Time < at && now.Time > at-100*time.Millisecond
				for _, touch := range now.Touches {
					pressed = pressed || soon && touch.A == cyan2 && touch.B == magenta2
				}
			})
			s.RunFor(5 * time.Second)
			if len(decided) > 0 || !pressed {
				t.Errorf("%s, placed: %v: decided %q, the robots touched each other: %v", name, place, decided, pressed)
			}
		}
	}
}

// A game that a referee box judges is stopped before the world's first event.
func TestGameOfRefereeBoxBeginsStopped(t *testing.T) {
	w := must.Get(worlds.Parse("boxed.toml", []byte(`name = "boxed"
referee = "refbox"
[[robot]]
name = "cyan1"
model = "nubot"
[[event]]
when = { game_state = { phase = "stopped", half = "pre_game" } }
game_command = { command = "kickoff", team = "cyan" }
`)))(t)
	s := simtest.New(t, w, omnipitch.Options{})
	if got := s.Match().Game(); got.SetPiece != "kickoff" || got.Half != game.PreGame {
		t.Errorf("the game is %+v", got)
	}
}

// Without a referee, a run's report contains the score after the first goal.
func TestReportWithoutReferee(t *testing.T) {
	for _, roll := range []float64{0, 3} {
		w := must.Get(worlds.Parse("goal.toml", fmt.Appendf(nil, "name = \"goal\"\n[physics]\nengine = "+
			"\"planar\"\n[ball]\nx_m = 8.8\nvx_m_s = %v\n[[robot]]\nname = \"a\"\nmodel = \"nubot\"\n", roll)))(t)
		s := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
		defer s.Close()
		report, err := s.Run(t.Context(), omnipitch.Pace{For: time.Second, Speed: timesync.Max})
		switch {
		case err != nil:
			t.Fatal(err)
		case roll == 0 && report.Game != nil:
			t.Errorf("nobody has scored: %+v", report.Game)
		case roll > 0 && (report.Game == nil || report.Game.Score != game.Score{Cyan: 1} || report.Game.Tally != nil):
			t.Errorf("the ball has rolled into the goal: %+v", report.Game)
		}
	}
}
