package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Flags that `make verify-strategy` raises.
var (
	strategyMatches = flag.Int("strategy.matches", 2, "how many matches are played at each loss: half of them with "+
		"the strategies' sides changed")
	strategyFor = flag.Duration("strategy.for", 8*time.Second, "how long a match lasts")
)

// strategies is the world of a match between both strategies.
const strategies = "worlds/strategies.toml"

// losses are the fractions of lost radio messages.
var losses = []float64{0, 0.2, 0.5, 1}

// fixture is a match between the two strategies.
type fixture struct {
	Seed  int
	Radio physics.Team // team that plays by radio
	Loss  float64      // of the radio of that team
}

// result is the result of a match.
type result struct {
	fixture
	Goals, Against int // of the team that plays by radio
	State          string
}

// contest plays a match.
func contest(f fixture) (result, error) {
	w, err := worlds.LoadWithSeed(strategies, uint64(f.Seed))
	if err != nil {
		return result{}, err
	}
	for i := range w.Robots {
		w.Robots[i].Radio.Loss = f.Loss
	}
	report, err := seat.Play(context.Background(), w, *strategyFor, lineUp(w, f.Radio), nil)
	if err != nil {
		return result{}, err
	}
	r := result{f, report.Game.Score.Cyan, report.Game.Score.Magenta, fmt.Sprintf("%016x", report.Hash)}
	if f.Radio == physics.Magenta {
		r.Goals, r.Against = r.Against, r.Goals
	}
	return r, nil
}

// lineUp returns a player for each robot of a world. Those of one team play by radio.
func lineUp(w *worlds.World, talks physics.Team) (players []*soccer.Player) {
	for i := range w.Robots {
		s := soccer.ByCards
		if w.Robots[i].Team == talks {
			s = soccer.ByRadio
		}
		players = append(players, soccer.NewPlayer(s))
	}
	return players
}

// fixtures are the matches with a loss: each seed twice, with the sides swapped.
func fixtures(loss float64) (all []fixture) {
	for i := range *strategyMatches {
		all = append(all, fixture{i/2 + 1, [...]physics.Team{physics.Cyan, physics.Magenta}[i%2], loss})
	}
	return all
}

// Matches of radio against cards, at several losses. Without loss, and with enough matches of full length, radio wins:
// the interval of the mean difference excludes 0. With all messages lost it plays as cards, bit-identically.
func TestStrategies(t *testing.T) {
	var mu sync.Mutex
	results := map[fixture]result{}
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.NumCPU())
	for _, loss := range losses {
		for _, f := range fixtures(loss) {
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				one, err := contest(f)
				if err != nil {
					t.Errorf("%+v: %v", f, err)
				}
				mu.Lock()
				defer mu.Unlock()
				results[f] = one
			})
		}
	}
	wg.Wait()
	t.Log("loss   matches   goals       mean difference   standard error   95 % interval")
	for _, loss := range losses {
		var s []float64
		goals, against := 0, 0
		states := map[int]string{} // by seed
		for _, f := range fixtures(loss) {
			r := results[f]
			s = append(s, float64(r.Goals-r.Against))
			goals, against = goals+r.Goals, against+r.Against
			if was, ok := states[f.Seed]; ok && loss == 1 && r.State != was {
				t.Errorf("seed %d: state %s when cyan plays by a radio that loses everything, and %s when magenta does",
					f.Seed, was, r.State)
			}
			states[f.Seed] = r.State
		}
		mean, deviation := stat.MeanStdDev(s, nil)
		err := stat.StdErr(deviation, float64(len(s)))
		half := err * distuv.StudentsT{Sigma: 1, Nu: float64(len(s) - 1)}.Quantile(0.975)
		t.Logf("%3.0f %%   %7d   %3d : %-3d   %+15.2f   %14.2f   %+.2f to %+.2f", 100*loss, len(s), goals, against,
			mean, err, mean-half, mean+half)
		if enough := len(s) >= 20 && *strategyFor >= 10*time.Minute; loss == 0 && enough && !(mean-half > 0) {
			t.Errorf("the mean difference is %.2f ± %.2f, want more than 0", mean, half)
		}
		if loss == 1 && !(math.Abs(mean) < 1e-9) {
			t.Errorf("with a radio that loses everything the mean difference is %.2f, want 0", mean)
		}
	}
}

// A match by radio ends in the same state when it is repeated, when each robot has a separate program, and without any
// wire.
func TestStrategiesRepeat(t *testing.T) {
	w := load(t, strategies, 1)
	want := must.Get(seat.Play(t.Context(), w, *strategyFor, lineUp(w, physics.Cyan), nil))(t).Hash
	for _, apart := range []bool{false, false, true} {
		w := load(t, strategies, 1)
		if apart {
			w.Programs = nil
			for _, r := range w.Robots {
				p := worlds.Program{Name: r.Name, Robot: r.Name, Command: []string{"refbot", "--strategy",
					string(soccer.ByCards)}}
				if r.Team == physics.Cyan {
					p.Command[2] = string(soccer.ByRadio)
				}
				p.SetDefaults()
				w.Programs = append(w.Programs, p)
			}
		}
		report := simulate(t, w, *strategyFor)
		if report.Hash != want {
			t.Errorf("state %016x over ROS, and %016x without; a program for each robot: %v", report.Hash, want, apart)
		}
		if r := report.Radios; len(r) != 10 || r[0].Received < 100 || r[9].Sent != 0 {
			t.Errorf("radios: %+v", r)
		}
	}
}

// The technical challenge ends in the same state over ROS and without any wire, with and without moving to better
// positions.
func TestChallenge(t *testing.T) {
	const span = 12 * time.Second
	for _, s := range []soccer.Strategy{soccer.Challenge, soccer.ChallengeInPlace} {
		w := load(t, "technical-challenge-refbot", 1)
		w.Programs[0].Command = []string{"refbot", "--robots", "cyan2,cyan3", "--strategy", string(s)}
		report := simulate(t, w, span)
		alone := must.Get(seat.Play(t.Context(), load(t, "technical-challenge-refbot", 1), span,
			[]*soccer.Player{soccer.NewPlayer(s), soccer.NewPlayer(s)}, nil))(t)
		if report.Hash != alone.Hash {
			t.Errorf("%s: state %016x over ROS, and %016x without", s, report.Hash, alone.Hash)
		}
	}
}

// Two robots pass repeatedly, as their world expects.
func TestChallengeIsPlayed(t *testing.T) {
	for seed := 1; seed <= *worldSeeds; seed++ {
		w := load(t, "technical-challenge-refbot", seed)
		judged(t, simulate(t, w, w.Test.For))
	}
}

// Play refuses a world whose robots lack the profile.
func TestSeatsNeedTheProfile(t *testing.T) {
	w := load(t, "technical-challenge", 1)
	_, err := seat.Play(t.Context(), w, time.Second, lineUp(w, physics.Cyan), nil)
	if want := "robot[0].ros1: profiles: must have refbot"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
