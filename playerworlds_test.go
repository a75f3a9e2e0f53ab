package omnipitch

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// failures runs a shipped world with a seed, changed, and returns the expectations that do not come true, and the score of cyan.
func failures(t *testing.T, name string, seed uint64, change func(*worlds.World)) (failed []string, goals int) {
	t.Helper()
	w, err := worlds.LoadWithSeed(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(w)
	}
	sim, err := New(w, Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	report, err := sim.Run(context.Background(), Pace{For: w.Test.For, Speed: timesync.Max})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Verdicts {
		if v.Outcome != expectation.Passed {
			failed = append(failed, v.Name)
		}
	}
	return failed, sim.Game().Score.Cyan
}

// The worlds with scripted players do what they expect with several seeds (make verify-worlds takes more); of the penalties some are saved.
func TestPlayersDoWhatTheirWorldsExpect(t *testing.T) {
	for _, name := range []string{"chase-ball", "pass", "penalty", "ball-behind-obstacle", "encirclement"} {
		t.Run(name, func(t *testing.T) {
			const seeds = 6
			goals := 0
			for seed := range uint64(seeds) {
				failed, scored := failures(t, name, seed+1, nil)
				if failed != nil {
					t.Errorf("seed %d: %v", seed+1, failed)
				}
				goals += scored
			}
			if name == "penalty" && (goals == 0 || goals == seeds) {
				t.Errorf("%d goals of %d penalties: want some, but not all", goals, seeds)
			}
		})
	}
}

// rest takes away the player of a robot.
func rest(robot int) func(*worlds.World) {
	return func(w *worlds.World) { w.Robots[robot].Player = nil }
}

// also adds an event.
func also(seconds float64, c action.Choice) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Events = append(w.Events, worlds.Event{At: time.Duration(seconds * float64(time.Second)), Choice: c})
	}
}

// instead has an event do something else.
func instead(event string, c action.Choice) func(*worlds.World) {
	return func(w *worlds.World) {
		i := slices.IndexFunc(w.Events, func(e worlds.Event) bool { return e.Name == event })
		w.Events[i].Choice = c
	}
}

// each returns names that count from 1.
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

// Each expectation of these worlds fails when what it is about is broken.
func TestWorldsWithPlayersNoticeWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		world, broken string
		change        func(*worlds.World)
		want          []string
	}{
		{"chase-ball", "no player", rest(0), []string{"takes_the_ball", "brings_it_home", "keeps_it"}},
		{"chase-ball", "another home", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.BringTo.Y = 3 }, []string{"brings_it_home"}},
		{"chase-ball", "the ball is taken away", also(25, placed("ball", 5, 5)), []string{"keeps_it"}},
		{"chase-ball", "too fast", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.Speed = 3 }, []string{"keeps_to_its_speed"}},
		{"chase-ball", "straight on", func(w *worlds.World) {
			rest(0)(w)
			w.Robots[0].Pose = worlds.Pose{X: -1, Y: 0}
			also(0.1, action.Choice{Drive: &action.Drive{Robot: "cyan2", VX: 1}})(w)
		}, []string{"takes_the_ball", "brings_it_home", "keeps_it", "touches_nothing"}},

		{"pass", "one does not play", rest(1), []string{"cyan2_gets_passes", "cyan3_gets_passes", "nobody_waits_for_long"}},
		{"pass", "the ball is carried out", also(29, placed("ball", 0, 7)), []string{"ball_stays_in"}},
		{"pass", "one is carried to the other", func(w *worlds.World) { also(29, placed("cyan3", w.Robots[0].Pose.X+1, w.Robots[0].Pose.Y))(w) }, []string{"stay_apart"}},

		{"penalty", "nobody shoots", rest(0), []string{"shoots", "goal_or_save", "keeper_goes_for_the_ball"}},
		{"penalty", "wide", func(w *worlds.World) { w.Robots[0].Player.ChaseBall.ShootAt.Y = 3 }, []string{"goal_or_save"}},
		{"penalty", "no keeper", rest(1), []string{"keeper_goes_for_the_ball"}},
		{"penalty", "a slow keeper", func(w *worlds.World) { w.Robots[1].Player.Keeper.Speed = 0.1 }, []string{"keeper_goes_for_the_ball"}},
		{"penalty", "far out", func(w *worlds.World) { w.Robots[1].Player.Keeper.Out = 2 }, []string{"keeper_stays_in_its_goal_area"}},
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
		{"encirclement", "one is let go", instead("caught3", plays("target3", player.Choice{Patrol: &player.Patrol{Way: player.Way{
			Limits: player.Limits{Speed: 2, Accel: 2}, Points: []player.Point{{X: 6, Y: -5}},
		}}})), []string{"target3_stays_in_prison"}},
		{"encirclement", "one flees out of the field", func(w *worlds.World) {
			w.Test.For = 30 * time.Second
			also(0, action.Choice{Follow: &action.Follow{Robot: "target1", Way: player.Way{
				Limits: player.Limits{Speed: 2, Accel: 2}, Points: []player.Point{{X: 0, Y: 7}},
			}}})(w)
		}, []string{"target1_keeps_to_the_field"}},

		{"ball-behind-obstacle", "no wall", func(w *worlds.World) { w.Obstacles[0].Pose.Y = 5 }, []string{"lost_at_objects", "lost_at_features"}},
		{"ball-behind-obstacle", "a wide wall", func(w *worlds.World) { w.Obstacles[0].Hull.SizeY = 4.8 }, []string{"seen_before", "found_at_objects", "found_at_features"}},
		{"ball-behind-obstacle", "the wall moves along", also(1, placed("wall", -1, 0.75)), []string{"found_at_objects", "found_at_features"}},
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
