package coach_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Each command gives each team a mode, and keeps the previous one.
func TestModes(t *testing.T) {
	field := physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, GoalWidth: 2.4, GoalHeight: 1, GoalDepth: 0.8}
	g, c := game.New(&field, 0.11), &coach.Coach{}
	c.Observe(g.State())
	if c.Speaks() {
		t.Error("a coach speaks before anybody has")
	}
	before := coach.Start
	for _, step := range []struct {
		command       game.Command
		team          physics.Team
		cyan, magenta coach.Mode
	}{
		{game.Stop, "", coach.Stop, coach.Stop},
		{game.Kickoff, physics.Cyan, "own_kickoff", "rival_kickoff"},
		{game.Start, "", coach.Start, coach.Start},
		{game.Stop, "", coach.Stop, coach.Stop},
		{game.ThrowIn, physics.Magenta, "rival_throwin", "own_throwin"},
		{game.DropBall, "", coach.DropBall, coach.DropBall},
		{game.Start, "", coach.Start, coach.Start},
		{game.HalfTime, "", coach.Stop, coach.Stop},
		{game.Park, "", coach.Park, coach.Park},
	} {
		g.Command(step.command, step.team)
		c.Commanded(g.State())
		c.Observe(g.State())
		c.Observe(g.State())
		cyan, magenta := c.Info(physics.Cyan), c.Info(physics.Magenta)
		if !c.Speaks() || cyan.Mode != step.cyan || magenta.Mode != step.magenta || cyan.Before != before {
			t.Errorf("%s %s: %+v and %+v, want %s after %s, and %s", step.command, step.team, cyan, magenta, step.cyan,
				before, step.magenta)
		}
		before = cyan.Mode
	}
}

// A team has its own message until it follows the game again. A key frame contains it.
func TestTell(t *testing.T) {
	stopped := game.State{Phase: game.Stopped}
	c := &coach.Coach{}
	word := coach.Word{Mode: coach.Test, TestMode: 4, A: coach.Place{X: 1, Y: -2, Heading: 3}, IDB: 5, Kick: 6}
	c.Observe(stopped)
	c.Tell(physics.Magenta, word)
	c.Observe(stopped)
	k := keyframe.Append(nil)
	c.Exchange(k)
	restored := &coach.Coach{}
	r := keyframe.Restore(k.Data())
	if restored.Exchange(r); r.End() != nil {
		t.Fatal(r.End())
	}
	for _, c := range []*coach.Coach{c, restored} {
		if got, want := c.Info(physics.Magenta), (coach.Info{Word: word, Before: coach.Stop}); got != want ||
			!c.Speaks() {
			t.Errorf("got %+v, want %+v", got, want)
		}
		must.Equal(t, c.Info(physics.Cyan).Mode, coach.Stop, "the other team gets")
		c.Tell(physics.Magenta, coach.Word{})
		c.Observe(stopped)
		must.Equal(t, c.Info(physics.Magenta), (coach.Info{Word: coach.Word{Mode: coach.Stop}, Before: coach.Test}),
			"instructions of magenta")
	}
}
