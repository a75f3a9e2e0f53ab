//go:build cgo

package match_test

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// A ball that rolls into a goal scores once. A ball that is placed there does not score, nor does one that arrives
// while the game is stopped.
func TestBallScores(t *testing.T) {
	at := func(at time.Duration, c action.Choice) worlds.Event { return worlds.Event{At: at, Choice: c} }
	roll := func(x, vx float64) action.Choice {
		return action.Choice{Place: &action.Place{Name: "ball", X: x, VX: vx}}
	}
	command := func(c game.Command, team physics.Team) action.Choice {
		return action.Choice{GameCommand: &action.GameCommand{Command: c, Team: team}}
	}
	for _, engine := range []string{"ode", "planar"} {
		s := simtest.New(t, simtest.World(t, "nubot-attack", func(w *worlds.World) {
			w.Physics.Engine = engine
			w.Robots = w.Robots[:1]
			w.Events = []worlds.Event{
				at(0, roll(8.5, 4)),
				at(2*time.Second, roll(-8.5, -4)),
				at(3*time.Second, command(game.Stop, "")), at(3*time.Second, roll(8.5, 4)),
				at(5*time.Second, command(game.Kickoff, physics.Magenta)), at(5*time.Second, roll(0, 0)),
				at(6*time.Second, command(game.Start, "")), at(6*time.Second, roll(9.5, 0)),
				at(7*time.Second, roll(8.5, 4)),
			}
		}), omnipitch.Options{NewRenderer: simtest.Grey})
		for _, want := range []struct {
			at            time.Duration
			cyan, magenta int
			phase         game.Phase
		}{
			{0, 0, 0, game.Playing},
			{1 * time.Second, 1, 0, game.Playing},
			{1900 * time.Millisecond, 1, 0, game.Playing},
			{2900 * time.Millisecond, 1, 1, game.Playing},
			{4900 * time.Millisecond, 1, 1, game.Stopped},
			{5 * time.Second, 1, 1, game.SetPiece},
			{6900 * time.Millisecond, 1, 1, game.Playing},
			{8 * time.Second, 2, 1, game.Playing},
		} {
			for s.Truth().Time < want.at {
				s.Steps(1)
			}
			got := s.Match().Game()
			if got.Score != (game.Score{Cyan: want.cyan, Magenta: want.magenta}) || got.Phase != want.phase {
				t.Errorf("%s at %v: %+v, want %d : %d, %s", engine, want.at, got, want.cyan, want.magenta, want.phase)
			}
			if kickoff := want.at >= 5*time.Second; (got.SetPiece == game.Kickoff &&
				got.Team == physics.Magenta) != kickoff {
				t.Errorf("%s at %v: %+v, want magenta's kick-off: %v", engine, want.at, got, kickoff)
			}
		}
	}
}

// Go and world files fail for the same missing and surplus fields of a command.
func TestGameCommandOfTheWrongTeam(t *testing.T) {
	s := simtest.New(t, simtest.World(t, "nubot-attack"), omnipitch.Options{NewRenderer: simtest.Grey})
	for _, a := range []*action.GameCommand{{Command: game.Kickoff}, {Command: game.Stop, Team: physics.Cyan},
		{Command: "play"}, {}} {
		if err := s.Do(a); err == nil || s.Match().Game() != (game.State{Phase: game.Playing, Half: "first_half"}) {
			t.Errorf("%+v: error %v, %+v", a, err, s.Match().Game())
		}
	}
}
