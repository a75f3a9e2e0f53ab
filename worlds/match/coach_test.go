//go:build cgo

package match_test

import (
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// A game that a referee box resets before the first step never tells the robots to start, not even until that step.
func TestFirstCommandIsTheFirstWord(t *testing.T) {
	sim := simtest.New(t, must.Get(worlds.Parse("arena.toml", []byte(arena)))(t), omnipitch.Options{})
	said := func(when string, want coach.Mode) {
		for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
			if info, ok := sim.Match().Coach(team); ok != (want != "") || ok && info.Mode != want {
				t.Errorf("%s: the coach says %q to %s (%v), want %q", when, info.Mode, team, ok, want)
			}
		}
	}
	said("at time 0", "")
	must.Do(t, sim.Do(&action.GameCommand{Command: game.Reset}))
	if _, ok := sim.Match().Coach(physics.Cyan); ok {
		said("after the reset", coach.Stop)
	}
	must.Do(t, sim.Step())
	said("after a step", coach.Stop)
	must.Do(t, sim.Do(&action.GameCommand{Command: game.Start}))
	must.Do(t, sim.Step())
	said("after the start", coach.Start)
}
