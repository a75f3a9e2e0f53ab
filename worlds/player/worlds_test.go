//go:build cgo

package player_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// failures runs a modified shipped world with a seed. It returns the expectations that fail, and the score of cyan.
func failures(t *testing.T, name string, seed uint64, change func(*worlds.World)) (failed []string, goals int) {
	t.Helper()
	w := must.Get(worlds.LoadWithSeed(name, seed))(t)
	if change != nil {
		change(w)
	}
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: backend.RayCaster})
	report := must.Get(sim.Run(context.Background(), omnipitch.Pace{For: w.Test.For, Speed: timesync.Max}))(t)
	for _, v := range report.Verdicts {
		if v.Outcome != expectation.Passed {
			failed = append(failed, v.Name)
		}
	}
	return failed, sim.Match().Game().Score.Cyan
}

// The worlds with scripted players meet their expectations with seeds other than 1, which TestShippedWorldsPass runs
// (make verify-worlds runs more). Some penalties are saved.
func TestPlayersDoWhatTheirWorldsExpect(t *testing.T) {
	for _, name := range []string{"chase-ball", "pass", "penalty", "ball-behind-obstacle", "encirclement", "practice",
		"penalty-kicks", "technical-challenge", "technical-challenge-obstacles"} {
		t.Run(name, func(t *testing.T) {
			seeds, most := 1, 1
			switch name {
			case "penalty":
				seeds = 5
			case "penalty-kicks":
				most = 5
			}
			goals := 0
			for seed := range uint64(seeds) {
				failed, scored := failures(t, name, seed+2, nil)
				if failed != nil {
					t.Errorf("seed %d: %v", seed+2, failed)
				}
				goals += scored
			}
			if strings.HasPrefix(name, "penalty") && (goals == 0 || goals == seeds*most) {
				t.Errorf("%d goals of %d penalties: want some, but not all", goals, seeds*most)
			}
		})
	}
}

// rest removes the player of a robot.
func rest(robot int) func(*worlds.World) {
	return func(w *worlds.World) { w.Robots[robot].Player = nil }
}

// also adds an event at a time in seconds.
func also(seconds float64, c action.Choice) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Events = append(w.Events, worlds.Event{At: time.Duration(seconds * float64(time.Second)), Choice: c})
	}
}

// behaves gives a robot another player.
func behaves(robot int, p player.Choice) func(*worlds.World) {
	return func(w *worlds.World) { w.Robots[robot].Player = &worlds.Player{Choice: p} }
}

// instead replaces the action of an event.
func instead(event string, c action.Choice) func(*worlds.World) {
	return func(w *worlds.World) {
		i := slices.IndexFunc(w.Events, func(e worlds.Event) bool { return e.Name == event })
		w.Events[i].Choice = c
	}
}

// nothing is an action without effect.
var nothing = action.Choice{GameCommand: &action.GameCommand{Command: game.Start}}

// clash makes a robot drive into a body during the second from 58 s.
func clash(robot, body string) func(*worlds.World) {
	return func(w *worlds.World) {
		also(58, placed(body, 0.7, 3))(w)
		also(58, placed(robot, 0, 3))(w)
		also(58, action.Choice{Drive: &action.Drive{Robot: robot, VX: 2, For: time.Second}})(w)
	}
}

// each returns n names, numbered from 1.
func each(format string, n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf(format, i+1))
	}
	return names
}

func plays(robot string, p player.Choice) action.Choice {
	return action.Choice{Play: &action.Play{Robot: robot, Choice: p}}
}

func placed(name string, x, y float64) action.Choice {
	return action.Choice{Place: &action.Place{Name: name, X: x, Y: y}}
}

// Each expectation of these worlds fails in a world that is broken in the corresponding way.
func TestWorldsWithPlayersNoticeWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		world, broken string
		change        func(*worlds.World)
		want          []string
	}{
		{"chase-ball", "no player", rest(0), []string{"takes_the_ball", "brings_it_home", "keeps_it"}},
		{"chase-ball", "another home", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.BringTo.Y = 3 },
			[]string{"brings_it_home"}},
		{"chase-ball", "the ball is taken away", also(25, placed("ball", 5, 5)), []string{"keeps_it"}},
		{"chase-ball", "too fast", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.Speed = 3 },
			[]string{"keeps_to_its_speed"}},
		{"chase-ball", "straight on", func(w *worlds.World) {
			rest(0)(w)
			w.Robots[0].Pose = worlds.Pose{X: -1, Y: 0}
			also(0.1, action.Choice{Drive: &action.Drive{Robot: "cyan2", VX: 1}})(w)
		}, []string{"takes_the_ball", "brings_it_home", "keeps_it", "touches_nothing"}},

		{"pass", "one does not play", rest(1), []string{"cyan2_gets_passes", "cyan3_gets_passes",
			"nobody_waits_for_long"}},
		{"pass", "the ball is carried out", also(29, placed("ball", 0, 7)), []string{"ball_stays_in"}},
		{"pass", "one is carried to the other",
			func(w *worlds.World) { also(29, placed("cyan3", w.Robots[0].Pose.X+1, w.Robots[0].Pose.Y))(w) },
			[]string{"stay_apart"}},

		{"penalty", "nobody shoots", rest(0), []string{"shoots", "goal_or_save", "keeper_goes_for_the_ball"}},
		{"penalty", "wide", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.ShootAt.Y = 3 },
			[]string{"goal_or_save"}},
		{"penalty", "no keeper", rest(1), []string{"keeper_goes_for_the_ball"}},
		{"penalty", "a slow keeper", func(w *worlds.World) { w.Robots[1].Player.Keeper.Speed = 0.1 },
			[]string{"keeper_goes_for_the_ball"}},
		{"penalty", "far out", func(w *worlds.World) { w.Robots[1].Player.Keeper.Out = 2 },
			[]string{"keeper_stays_in_its_goal_area"}},
		{"penalty", "a foul", func(w *worlds.World) {
			also(6, placed("magenta1", 8.6, 0))(w)
			also(6, placed("cyan2", 7.9, 0))(w)
			also(6, action.Choice{Drive: &action.Drive{Robot: "cyan2", VX: 2, For: time.Second}})(w)
		}, []string{"robots_stay_apart"}},

		{"encirclement", "nobody herds", func(w *worlds.World) {
			w.Test.For = 30 * time.Second
			for i := range 9 {
				rest(i)(w)
			}
		}, append([]string{"all_are_caught"}, each("target%d_stays_in_prison", 7)...)},
		{"encirclement", "one is let go",
			instead("caught3", plays("target3", player.Choice{Patrol: &player.Patrol{Way: player.Way{
				Limits: player.Limits{Speed: 2, Accel: 2}, Points: []player.Point{{X: 6, Y: -5}},
			}}})), []string{"target3_stays_in_prison"}},
		{"encirclement", "one flees out of the field", func(w *worlds.World) {
			w.Test.For = 30 * time.Second
			also(0, action.Choice{Follow: &action.Follow{Robot: "target1", Way: player.Way{
				Limits: player.Limits{Speed: 2, Accel: 2}, Points: []player.Point{{X: 0, Y: 7}},
			}}})(w)
		}, []string{"target1_keeps_to_the_field"}},

		{"practice", "never kicks", behaves(0, player.Choice{ChaseBall: &player.ChaseBall{
			Limits: player.Limits{Speed: 2, Accel: 1.8}, BringTo: &player.Point{X: 5}, ShotSpeed: 6, ShotRange: 4,
		}}), []string{"chases1", "chases2", "chases3", "takes_the_ball1", "takes_the_ball2", "takes_the_ball3",
			"moves_the_ball1", "moves_the_ball2", "moves_the_ball3", "turns_with_the_ball1", "turns_with_the_ball2",
			"turns_with_the_ball3", "kicks0", "kicks1", "kicks2", "kicks3", "scores_in_each_round"}},
		{"practice", "slow", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.Speed = 0.8 },
			[]string{"chases0", "chases1", "chases2", "chases3", "moves_the_ball0", "moves_the_ball1",
				"moves_the_ball2", "moves_the_ball3"}},
		{"practice", "no reset", instead("reset2", nothing), []string{"chases2", "chases3", "takes_the_ball2",
			"takes_the_ball3", "moves_the_ball2", "moves_the_ball3", "turns_with_the_ball2", "turns_with_the_ball3",
			"kicks2", "kicks3", "scores_in_each_round"}},
		{"practice", "misses", func(w *worlds.World) {
			w.Robots[0].Player.ChaseBall.ShootGoal, w.Robots[0].Player.ChaseBall.ShootAt = false,
				&player.Point{X: 9, Y: 2}
		}, []string{"scores_in_each_round"}},

		{"technical-challenge", "one does not pass", func(w *worlds.World) {
			w.Test.For = 240 * time.Second
			instead("cyan2_sees_cyan1", nothing)(w)
		}, []string{"twenty_succeed"}},
		{"technical-challenge", "one does not wait for passes", func(w *worlds.World) {
			w.Test.For = 240 * time.Second
			w.Events = slices.DeleteFunc(w.Events, func(e worlds.Event) bool { return e.After == "cyan1_sees_cyan2" })
		}, []string{"twenty_succeed"}},
		{"technical-challenge", "the ball is lost again and again", func(w *worlds.World) {
			for i := range 24 {
				also(20+3*float64(i), action.Choice{Place: &action.Place{Name: "ball", VX: 2}})(w)
			}
		}, []string{"most_succeed"}},
		{"technical-challenge", "one drives against the other", clash("cyan1", "cyan2"), []string{"robots_stay_apart"}},
		{"technical-challenge", "the ball is put away", also(100, placed("ball", 0, 4.5)), []string{"ball_stays_in"}},
		{"technical-challenge-obstacles", "boxes beside the one who passes", func(w *worlds.World) {
			w.Test.For = 240 * time.Second
			w.Obstacles[0].Pose.X, w.Obstacles[0].Pose.Y = -1.7, 0
			w.Obstacles[1].Pose.X, w.Obstacles[1].Pose.Y = -1.7, 0.5
		}, []string{"twenty_succeed"}},
		{"technical-challenge-obstacles", "one drives against a box", clash("cyan1", "left_box"),
			[]string{"goes_round_the_boxes"}},

		{"penalty-kicks", "magenta does not kick", func(w *worlds.World) {
			w.Events = slices.DeleteFunc(w.Events, func(e worlds.Event) bool {
				return e.Play != nil &&
					e.Play.Robot == "magenta2"
			})
		}, []string{"shot_2", "shot_4", "shot_6", "shot_8", "shot_10"}},
		{"penalty-kicks", "no start", func(w *worlds.World) {
			w.Events = slices.DeleteFunc(w.Events, func(e worlds.Event) bool {
				return e.GameCommand != nil &&
					e.GameCommand.Command == game.Start
			})
		}, []string{"goals_of_cyan_count", "goals_of_magenta_count"}},
		{"penalty-kicks", "a keeper far out", func(w *worlds.World) { w.Robots[0].Player.Keeper.Out = 2 },
			[]string{"keeper_of_cyan_stays_in_its_goal_area"}},
		{"penalty-kicks", "goals too many", func(w *worlds.World) {
			for range 6 {
				also(99, action.Choice{GameCommand: &action.GameCommand{Command: game.Goal, Team: physics.Cyan}})(w)
			}
		}, []string{"cyan_scores_five_at_most"}},
		{"penalty-kicks", "one drives against a keeper", clash("magenta2", "magenta1"),
			[]string{"keeper_of_magenta_stays_in_its_goal_area", "magenta_touches_no_keeper"}},

		{"ball-behind-obstacle", "no wall", func(w *worlds.World) { w.Obstacles[0].Pose.Y = 5 },
			[]string{"lost_at_objects", "lost_at_features"}},
		{"ball-behind-obstacle", "a wide wall", func(w *worlds.World) { w.Obstacles[0].Hull.SizeY = 4.8 },
			[]string{"seen_before", "found_at_objects", "found_at_features"}},
		{"ball-behind-obstacle", "the wall moves along", also(1, placed("wall", -1, 0.75)), []string{"found_at_objects",
			"found_at_features"}},
		{"ball-behind-obstacle", "a blind camera", func(w *worlds.World) {
			c, _ := w.Sensor("cyan1", "front")
			c.Mount.Yaw = 3
		}, []string{"seen_before", "found_at_objects"}},
	} {
		t.Run(c.world+"/"+c.broken, func(t *testing.T) {
			if got, _ := failures(t, c.world, 1, c.change); !slices.Equal(got, c.want) {
				t.Errorf("fails %v, want %v", got, c.want)
			}
		})
	}
}

// The robot of nubot-single fetches the ball, takes it to (4, −2), lobs it into the goal, and drives to its place. A
// command ends this routine.
func TestRoutineOfNubotSingle(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "nubot-single"), omnipitch.Options{})
	bot := func() *physics.RobotState { return &sim.Truth().Robots[0] }
	reach := func(what string, within time.Duration, ok func() bool) {
		t.Helper()
		for end := sim.Truth().Time + within; !ok(); sim.Steps(1) {
			if sim.Truth().Time > end {
				t.Fatalf("no %s within %v: %+v, %+v", what, within, bot().PoseWB, sim.Truth().Ball)
			}
		}
	}
	at := func(x, y, within float64) bool {
		d := bot().PoseWB.Pos.Sub(mgl64.Vec3{x, y, bot().PoseWB.Pos[2]})
		return d.Len() < within
	}
	reach("ball", 5*time.Second, func() bool { return sim.Truth().Ball.HeldBy == 0 })
	reach("way with the ball", 15*time.Second, func() bool { return at(4, -2, 0.6) })
	must.Equal(t, sim.Truth().Ball.HeldBy, 0, "holder of the ball at (4, -2)")
	reach("lob", 5*time.Second, func() bool { return bot().Kicks == 1 && sim.Truth().Ball.PosW[2] > 0.5 })
	reach("goal", 2*time.Second, func() bool { return sim.Match().Game().Score.Cyan == 1 })
	reach("return", 10*time.Second, func() bool { return at(-4, -2, 0.1) })
	sim.Steps(200)
	if !at(-4, -2, 0.1) {
		t.Errorf("the robot leaves its place for %v", bot().PoseWB.Pos)
	}

	sim = simtest.New(t, simtest.World(t, "nubot-single"), omnipitch.Options{})
	sim.Steps(20)
	sim.Must(&action.Drive{Robot: "bot1", VX: 0.5})
	sim.Steps(100)
	v := bot().TwistWBInB()
	must.Near(t, "the commanded velocity", v.VX, 0.5, 0.01)
	must.Near(t, "the commanded rate of turn", v.Omega, 0, 0.01)
}
