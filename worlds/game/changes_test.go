package game_test

import (
	"math/rand"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// stopped returns a game before its first command.
func stopped() *game.Game {
	g := game.New(&field, radius)
	g.Command(game.Reset, "")
	return g
}

// A referee stops play before a set piece and starts it afterwards.
func TestChanges(t *testing.T) {
	first := game.Half(game.FirstHalf)
	playing := game.State{Phase: game.Playing, Half: first}
	for _, c := range []struct {
		name    string
		was, is game.State
		want    []game.Order
	}{
		{"nothing", playing, playing, nil},
		{"the beginning of a world", game.Before(), playing, []game.Order{{game.FirstHalf, ""}, {game.Start, ""}}},
		{"a throw-in", playing, game.State{Phase: game.SetPiece, Half: first, SetPiece: game.ThrowIn,
			Team: physics.Magenta}, []game.Order{{game.Stop, ""}, {game.ThrowIn, physics.Magenta}}},
		{"it begins", game.State{Phase: game.SetPiece, Half: first, SetPiece: game.ThrowIn, Team: physics.Magenta},
			game.State{Phase: game.Playing, Half: first, SetPiece: game.ThrowIn, Team: physics.Magenta},
			[]game.Order{{game.Start, ""}}},
		{"another in the same step", game.State{Phase: game.Playing, Half: first, SetPiece: game.ThrowIn,
			Team: physics.Magenta}, game.State{Phase: game.Playing, Half: first, SetPiece: game.DropBall},
			[]game.Order{{game.Stop, ""}, {game.DropBall, ""}, {game.Start, ""}}},
		{"a goal", playing, game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan,
			Score: game.Score{Magenta: 1}},
			[]game.Order{{game.Stop, ""}, {game.Goal, physics.Magenta}, {game.Kickoff, physics.Cyan}}},
		{"a goal while the game goes on", playing, game.State{Phase: game.Playing, Half: first,
			Score: game.Score{Cyan: 1}}, []game.Order{{game.Goal, physics.Cyan}}},
		{"robots stand still",
			game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan},
			game.State{Phase: game.InSet, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan},
			[]game.Order{{game.Set, ""}}},
		{"and move again", game.State{Phase: game.InSet, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan},
			game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan},
			[]game.Order{{game.Stop, ""}, {game.Kickoff, physics.Cyan}}},
		{"half time", playing, game.State{Phase: game.Stopped, Half: "half_time"},
			[]game.Order{{game.Stop, ""}, {game.HalfTime, ""}}},
		{"the end, and off the field", playing, game.State{Phase: game.Parked, Half: "game_over"},
			[]game.Order{{game.Stop, ""}, {game.GameOver, ""}, {game.Park, ""}}},
		{"reset", playing, game.Before(), []game.Order{{game.Reset, ""}}},
	} {
		must.Equal(t, game.Changes(c.was, c.is), c.want, "%s", c.name)
	}
}

// Changes leads to the same state as any commands of a step. While a game is in play, its only commands are stop and
// goals.
func TestChangesLeadThere(t *testing.T) {
	all := []game.Command{game.Start, game.Stop, game.Set, game.DropBall, game.Park, game.FirstHalf, game.HalfTime,
		game.SecondHalf, game.EndGame, game.FirstHalfOvertime, game.SecondHalfOvertime, game.GameOver, game.Reset,
		game.Kickoff, game.FreeKick, game.GoalKick, game.ThrowIn, game.Corner, game.Penalty, game.Goal, game.SubGoal,
		game.YellowCard}
	for seed := range int64(200) {
		random := rand.New(rand.NewSource(seed))
		real, told := stopped(), stopped()
		for range 100 {
			for range random.Intn(4) {
				c, team := all[random.Intn(len(all))], physics.Team("")
				if c.ForOneTeam() {
					team = []physics.Team{physics.Cyan, physics.Magenta}[random.Intn(2)]
				}
				real.Command(c, team)
			}
			for _, o := range game.Changes(told.State(), real.State()) {
				if told.State().Phase == game.Playing && (o.Command.ForOneTeam() && o.Command != game.Goal &&
					o.Command != game.SubGoal || o.Command == game.HalfTime || o.Command == game.Start) {
					t.Errorf("seed %d: %s while the game is played", seed, o.Command)
				}
				told.Command(o.Command, o.Team)
			}
			if told.State() != real.State() {
				t.Fatalf("seed %d: %+v, want %+v", seed, told.State(), real.State())
			}
		}
	}
}
