package game_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

const radius = 0.11

var field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
	Length: 18, Width: 12, GoalWidth: 2.4, GoalHeight: 1, GoalDepth: 0.8}

// A goal is the whole ball behind the line, between the posts and under the bar. It counts once each time the ball
// enters.
func TestGoals(t *testing.T) {
	mid := [3]float64{0, 0, radius}
	for _, c := range []struct {
		name  string
		balls [][3]float64
		want  game.Score
	}{
		{"a part of the ball behind the line", [][3]float64{{9.1, 0, radius}}, game.Score{}},
		{"all of it on the line", [][3]float64{{9.109, 0, radius}}, game.Score{}},
		{"all of it behind the line", [][3]float64{{9.111, 0, radius}}, game.Score{Cyan: 1}},
		{"in the other goal", [][3]float64{{-9.111, 0, radius}}, game.Score{Magenta: 1}},
		{"beside the posts", [][3]float64{{9.3, 1.21, radius}}, game.Score{}},
		{"over the bar", [][3]float64{{9.3, 0, 1.01}}, game.Score{}},
		{"behind the net", [][3]float64{{10, 0, radius}}, game.Score{}},
		{"it stays there", [][3]float64{{9.2, 0, radius}, {9.3, 0, radius}, {9.4, 0.5, radius}}, game.Score{Cyan: 1}},
		{"it rolls back onto the line and in again", [][3]float64{{9.2, 0, radius}, {9.1, 0, radius}, {9.2, 0, radius}},
			game.Score{Cyan: 2}},
		{"both goals", [][3]float64{{9.2, 0, radius}, mid, {-9.2, 0, radius}, mid, {-9.2, 0.3, 0.5}},
			game.Score{Cyan: 1, Magenta: 2}},
	} {
		g := game.New(&field, radius)
		g.BallPlaced(mid)
		for _, b := range c.balls {
			g.Observe(b)
		}
		must.Equal(t, g.State().Score, c.want, "%s", c.name)
	}
}

// A ball that is placed in a goal, or enters while the game is stopped, is no goal, even when play continues.
func TestNoGoals(t *testing.T) {
	in, out := [3]float64{9.3, 0, radius}, [3]float64{8, 0, radius}
	for _, c := range []struct {
		name string
		do   func(*game.Game)
		want int
	}{
		{"put there", func(g *game.Game) { g.BallPlaced(in); g.Observe(in) }, 0},
		{"put there, and out and in again", func(g *game.Game) { g.BallPlaced(in); g.Observe(out); g.Observe(in) }, 1},
		{"stopped", func(g *game.Game) {
			g.Command(game.Stop, "")
			g.Observe(in)
			g.Command(game.Start,
				"")
			g.Observe(in)
		}, 0},
		{"before a set piece begins", func(g *game.Game) { g.Command(game.Corner, physics.Cyan); g.Observe(in) }, 0},
		{"played again", func(g *game.Game) { g.Command(game.Stop, ""); g.Command(game.Start, ""); g.Observe(in) }, 1},
	} {
		g := game.New(&field, radius)
		c.do(g)
		must.Equal(t, g.State().Score.Of(physics.Cyan), c.want, "%s: goals", c.name)
	}
}

func TestCommands(t *testing.T) {
	type command struct {
		c    game.Command
		team physics.Team
	}
	first := game.Half(game.FirstHalf)
	for _, c := range []struct {
		name     string
		commands []command
		want     game.State
	}{
		{"none", nil, game.State{Phase: game.Playing, Half: first}},
		{"a kick-off is announced", []command{{game.Stop, ""}, {game.Kickoff, physics.Magenta}},
			game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Kickoff, Team: physics.Magenta}},
		{"and begins", []command{{game.Stop, ""}, {game.Kickoff, physics.Magenta}, {game.Start, ""}},
			game.State{Phase: game.Playing, Half: first, SetPiece: game.Kickoff, Team: physics.Magenta}},
		{"robots stand still for it", []command{{game.Stop, ""}, {game.Kickoff, physics.Magenta}, {game.Set, ""}},
			game.State{Phase: game.InSet, Half: first, SetPiece: game.Kickoff, Team: physics.Magenta}},
		{"and is over", []command{{game.Kickoff, physics.Magenta}, {game.Start, ""}, {game.Stop, ""}},
			game.State{Phase: game.Stopped, Half: first}},
		{"a dropped ball is nobody's", []command{{game.ThrowIn, physics.Cyan}, {game.DropBall, ""}},
			game.State{Phase: game.SetPiece, Half: first, SetPiece: game.DropBall}},
		{"half time", []command{{game.HalfTime, ""}}, game.State{Phase: game.Stopped, Half: "half_time"}},
		{"a half begins by a start", []command{{game.HalfTime, ""}, {game.SecondHalf, ""}},
			game.State{Phase: game.Stopped, Half: "second_half"}},
		{"parked", []command{{game.GameOver, ""}, {game.Park, ""}}, game.State{Phase: game.Parked, Half: "game_over"}},
		{"the score is corrected", []command{{game.Goal, physics.Cyan}, {game.Goal, physics.Magenta},
			{game.Goal, physics.Cyan}, {game.SubGoal, physics.Magenta}, {game.SubGoal, physics.Magenta}},
			game.State{Phase: game.Playing, Half: first, Score: game.Score{Cyan: 2}}},
		{"reset", []command{{game.Goal, physics.Cyan}, {game.Penalty, physics.Cyan}, {game.Reset, ""}},
			game.State{Phase: game.Stopped, Half: game.PreGame}},
	} {
		g := game.New(&field, radius)
		for _, command := range c.commands {
			g.Command(command.c, command.team)
		}
		must.Equal(t, g.State(), c.want, "%s", c.name)
	}
}
