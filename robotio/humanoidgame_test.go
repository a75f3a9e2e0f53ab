package robotio

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Each gamestate holds the times of the game at its stamp, the penalty shots, the drop-in and the coach's text.
func TestHumanoidGameState(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		w.Rules.Half, w.Rules.Repair = 60*time.Second, 30*time.Second
		free(w)
	})
	in := map[string]*inbox[gameState]{}
	for _, robot := range []string{"cyan1", "magenta1"} {
		in[robot] = subscribe[gameState](r, "/"+robot+"/gamestate", "humanoid_league_msgs/GameState")
	}
	// next returns a robot's first message after now, and the time of its stamp since the sim time from.
	next := func(robot string, from time.Duration) (m gameState, since float64) {
		t.Helper()
		now := r.sim.Clock().Time()
		r.until("a message", func() bool {
			m := in[robot].newest()
			return m != nil && m.Header.Stamp.Since() > now
		})
		m = *in[robot].newest()
		return m, (m.Header.Stamp.Since() - from).Seconds()
	}
	command := func(team physics.Team, commands ...game.Command) time.Duration {
		t.Helper()
		for _, c := range commands {
			r.do(&action.GameCommand{Command: c, Team: team})
		}
		return r.sim.Clock().Time()
	}
	left := func(what string, m gameState, want float64) {
		t.Helper()
		must.Near(t, what+": seconds remaining", float64(m.SecondsRemaining), math.Round(want), 0)
	}

	m, since := next("cyan1", 0)
	left("first half from time 0", m, 60-since)
	if m.DropInTime != math.MaxUint16 || m.DropInTeam || m.SecondsTillUnpenalized != 0 || m.CoachMessage != "" ||
		m.PenaltyShot != 0 || m.SecondarySecondsRemaining != 0 {
		t.Errorf("at the start: %+v", m)
	}

	command("", game.HalfTime)
	m, _ = next("cyan1", 0)
	left("break", m, 0)
	must.Equal(t, m.GameState, 0, "INITIAL in the break")
	command("", game.SecondHalf)
	m, _ = next("cyan1", 0)
	left("before the second half", m, 60)
	from := command("", game.Start)
	m, since = next("cyan1", from)
	left("second half", m, 60-since)
	must.Equal(t, m.GameState, 3, "PLAYING in the second half")

	command("", game.Stop)
	from = command(physics.Magenta, game.ThrowIn)
	for robot, putOut := range map[string]bool{"cyan1": true, "magenta1": false} {
		m, since = next(robot, from)
		must.Near(t, robot+": seconds since the throw-in", float64(m.DropInTime), math.Round(since), 0)
		must.Equal(t, m.DropInTeam, putOut, "%s has put the ball out", robot)
	}

	r.do(&action.Coach{Team: physics.Cyan, Message: "play wide"})
	from = r.sim.Clock().Time()
	r.do(&action.GameCommand{Command: game.Repair, Team: physics.Cyan, Number: 1})
	r.do(&action.GameCommand{Command: game.RedCard, Team: physics.Magenta, Number: 1})
	m, since = next("cyan1", from)
	must.Near(t, "seconds of repair left", float64(m.SecondsTillUnpenalized), math.Ceil(30-since), 0)
	must.Equal(t, m.CoachMessage, "play wide", "coach's text")
	must.Equal(t, m.Penalized, true, "in repair, penalized")
	m, _ = next("magenta1", from)
	must.Equal(t, m.SecondsTillUnpenalized, math.MaxUint16, "seconds after a red card")
	must.Equal(t, m.CoachMessage, "", "coach's text of the others")

	command("", game.EndGame)
	m, _ = next("cyan1", 0)
	must.Equal(t, [2]uint8{m.GameState, m.SecondaryState}, [2]uint8{4, 0}, "states after the game")
	for _, shot := range []struct {
		team   physics.Team
		scores bool
	}{{physics.Cyan, true}, {physics.Cyan, false}, {physics.Magenta, false}, {physics.Cyan, true}} {
		command(shot.team, game.Penalty)
		command("", game.Start)
		if shot.scores {
			command(shot.team, game.Goal)
		}
		command("", game.Stop)
	}
	m, _ = next("cyan1", 0)
	must.Equal(t, [2]uint8{m.GameState, m.SecondaryState}, [2]uint8{2, 1}, "states in the shoot-out")
	must.Equal(t, [2]int{int(m.PenaltyShot), int(m.SingleShots)}, [2]int{3, 0b101}, "shots of cyan")
	m, _ = next("magenta1", 0)
	must.Equal(t, [2]int{int(m.PenaltyShot), int(m.SingleShots)}, [2]int{1, 0}, "shots of magenta")
}

// The secondary seconds count down what the automatic referee waits for.
func TestHumanoidSecondarySeconds(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		w.Referee = worlds.RefereeAuto
		w.Rules.Stop, w.Rules.PlaceMin, w.Rules.PlaceMax = 5*time.Second, 6*time.Second, 6*time.Second
	})
	in := subscribe[gameState](r, "/cyan1/gamestate", "humanoid_league_msgs/GameState")
	for _, stage := range []struct {
		state uint8
		until float64 // s
	}{{2, 5}, {1, 11}} { // SET, then READY
		r.until("the stage", func() bool { return in.newest() != nil && in.newest().GameState == stage.state })
		m := in.newest()
		must.Near(t, "secondary seconds", float64(m.SecondarySecondsRemaining),
			math.Round(stage.until-m.Header.Stamp.Since().Seconds()), 0)
		must.Equal(t, m.SecondsRemaining, 900, "seconds before the half has started")
	}
}
