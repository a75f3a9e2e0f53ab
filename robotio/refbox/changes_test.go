package refbox

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

func newGame() *game.Game {
	g := game.New(&physics.Field{Length: 18, Width: 12}, 0.11)
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
		want    []order
	}{
		{"nothing", playing, playing, nil},
		{"the beginning of a world", initial, playing, []order{{game.FirstHalf, ""}, {game.Start, ""}}},
		{"a throw-in", playing, game.State{Phase: game.SetPiece, Half: first, SetPiece: game.ThrowIn,
			Team: physics.Magenta}, []order{{game.Stop, ""}, {game.ThrowIn, physics.Magenta}}},
		{"it begins", game.State{Phase: game.SetPiece, Half: first, SetPiece: game.ThrowIn, Team: physics.Magenta},
			game.State{Phase: game.Playing, Half: first, SetPiece: game.ThrowIn, Team: physics.Magenta},
			[]order{{game.Start, ""}}},
		{"another in the same step", game.State{Phase: game.Playing, Half: first, SetPiece: game.ThrowIn,
			Team: physics.Magenta}, game.State{Phase: game.Playing, Half: first, SetPiece: game.DropBall},
			[]order{{game.Stop, ""}, {game.DropBall, ""}, {game.Start, ""}}},
		{"a goal", playing, game.State{Phase: game.SetPiece, Half: first, SetPiece: game.Kickoff, Team: physics.Cyan,
			Score: game.Score{Magenta: 1}},
			[]order{{game.Stop, ""}, {game.Goal, physics.Magenta}, {game.Kickoff, physics.Cyan}}},
		{"a goal while the game goes on", playing, game.State{Phase: game.Playing, Half: first,
			Score: game.Score{Cyan: 1}}, []order{{game.Goal, physics.Cyan}}},
		{"half time", playing, game.State{Phase: game.Stopped, Half: "half_time"},
			[]order{{game.Stop, ""}, {game.HalfTime, ""}}},
		{"the end, and off the field", playing, game.State{Phase: game.Parked, Half: "game_over"},
			[]order{{game.Stop, ""}, {game.GameOver, ""}, {game.Park, ""}}},
		{"reset", playing, initial, []order{{game.Reset, ""}}},
	} {
		must.Equal(t, changes(c.was, c.is), c.want, "%s", c.name)
	}
}

// changes leads to the same state as any commands of a step. While a game is in play, its only commands are stop and
// goals.
func TestChangesLeadThere(t *testing.T) {
	all := slices.Sorted(func(yield func(game.Command) bool) {
		for c := range boxCommands {
			if !yield(c) {
				return
			}
		}
	})
	for seed := range int64(200) {
		random := rand.New(rand.NewSource(seed))
		real, told := newGame(), newGame()
		for range 100 {
			for range random.Intn(4) {
				c, team := all[random.Intn(len(all))], physics.Team("")
				if c.ForOneTeam() {
					team = bothTeams[random.Intn(2)]
				}
				real.Command(c, team)
			}
			for _, o := range changes(told.State(), real.State()) {
				if told.State().Phase == game.Playing && (o.command.ForOneTeam() && o.command != game.Goal &&
					o.command != game.SubGoal || o.command == game.HalfTime || o.command == game.Start) {
					t.Errorf("seed %d: %s while the game is played", seed, o.command)
				}
				told.Command(o.command, o.team)
			}
			if told.State() != real.State() {
				t.Fatalf("seed %d: %+v, want %+v", seed, told.State(), real.State())
			}
		}
	}
}
