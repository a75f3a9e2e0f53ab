package reproduce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/player"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var passing = &Experiment{
	Name:   "passing",
	Title:  "Two robots pass without communication",
	Source: "Dai et al., section 5.3, figure 8",
	World:  "technical-challenge-refbot",
	Setup: "Two robots pass, swap sides and pass again, twenty times in each of four conditions: without and with an obstacle on each side, from where the robots are and from the points that the paper's rules " +
		"choose. Here this is repeated with ten seeds, which draw where robots and obstacles are. A pass has come when the mate dribbles the ball on its side within 5 s, and the ball had been dribbled for 1 m before. " +
		"After another one the ball is put back on the penalty mark, and the robots go on.",
	run: runPassing,
}

// seeds and passesEach are how much is tried in each condition; a minute is more than three times what robots take for a round.
const (
	passingSeeds = 10
	passesEach   = 20
	roundTime    = time.Minute
)

// condition is one of the paper's four.
type condition struct{ obstacles, adjusts bool }

func (c condition) String() string {
	text := "without obstacles"
	if c.obstacles {
		text = "with obstacles"
	}
	if c.adjusts {
		return text + ", from better points"
	}
	return text + ", from where they are"
}

// conditions are all, those without obstacles first.
var conditions = [4]condition{{false, false}, {false, true}, {true, false}, {true, true}}

func runPassing(ctx context.Context, t *Trial) error {
	seeds := passingSeeds
	if t.Quick {
		seeds = 3
	}
	all, err := playPassing(ctx, t, seeds, passesEach)
	if err != nil {
		return err
	}
	column := func(c int, of func(*series) float64) (values []float64) {
		for i := range all[c] {
			values = append(values, of(&all[c][i]))
		}
		return values
	}
	rate, longest := func(s *series) float64 { return s.rate }, func(s *series) float64 { return s.longest }
	for _, is := range []struct {
		name, unit string
		of         func(*series) float64
		most       float64
	}{{"passes that come", "%", rate, 100}, {"longest series of twenty", "passes", longest, passesEach}} {
		for c := range conditions {
			mean, low, high := interval(column(c, is.of))
			t.Add(Aside(fmt.Sprintf("%s, %v", is.name, conditions[c]), mean, is.unit).within(max(0, low), min(is.most, high)))
		}
	}
	lost := func(adjusts int, of func(*series) float64) []float64 {
		return minus(column(adjusts, of), column(2+adjusts, of))
	}
	mean, low, high := interval(lost(0, rate))
	t.Add(Trend("passes lost by obstacles, from where they are", mean, "points", "decreases markedly", "the interval is above 10", low > 10).within(low, high))
	mean, low, high = interval(lost(1, rate))
	t.Add(Trend("passes lost by obstacles, from better points", mean, "points", "insensitive", "less than 10, and the interval holds 0 or is below 10", mean < 10 && high < 10).within(low, high))
	mean, low, high = interval(minus(lost(0, longest), lost(1, longest)))
	t.Add(Trend("of the longest series, what obstacles cost more from where they are than from better points", mean, "passes", "similar trend", "the interval is above 0", low > 0).within(low, high))
	for c := range conditions {
		var s series
		for _, one := range all[c] {
			s.touched, s.short, s.missing = s.touched+one.touched, s.short+one.short, s.missing+one.missing
		}
		t.Note("%v: of %d passes %d touched an obstacle, %d came after less than a metre, %d were not tried within %v each.", conditions[c], seeds*passesEach, s.touched, s.short, s.missing, roundTime)
	}
	plotPassing(t, "rate", "Passes that come", "%", func(c int) float64 { return stat.Mean(column(c, rate), nil) })
	plotPassing(t, "longest", "Longest series of twenty passes", "passes", func(c int) float64 { return stat.Mean(column(c, longest), nil) })
	return nil
}

// plotPassing draws a bar for each condition.
func plotPassing(t *Trial, name, title, unit string, of func(c int) float64) {
	p := experiment.Plot{Name: name, Title: title, YLabel: unit, Names: []string{"without obstacles", "with obstacles"}}
	for adjusts, which := range []string{"from where they are", "from better points"} {
		p.Curves = append(p.Curves, experiment.Curve{Name: which, X: []float64{0, 1}, Y: []float64{of(adjusts), of(2 + adjusts)}})
	}
	t.Plot(p)
}

// playPassing returns the series of each condition, by seed.
func playPassing(ctx context.Context, t *Trial, seeds, most int) (all [len(conditions)][]series, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg   sync.WaitGroup
		free = make(chan struct{}, runtime.NumCPU())
		errs = make([]error, len(conditions)*seeds)
		done atomic.Int32
	)
	for c := range conditions {
		all[c] = make([]series, seeds)
		for seed := range seeds {
			w, err := t.Load(seed)
			if err != nil {
				errs[c*seeds+seed] = err
				cancel()
				break
			}
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				s, err := playSeries(ctx, w, conditions[c], most)
				if err != nil {
					errs[c*seeds+seed] = fmt.Errorf("seed %d: %w", w.Seed, err)
					cancel()
				}
				all[c][seed] = s
				t.Progress(float64(done.Add(1)) / float64(len(errs)))
			})
		}
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

// playSeries has two robots pass so often.
func playSeries(ctx context.Context, w *worlds.World, c condition, most int) (s series, err error) {
	if len(w.Robots) != 2 {
		return s, fmt.Errorf("robot: has %d: two robots pass", len(w.Robots))
	}
	if !c.obstacles {
		w.Obstacles = nil
	}
	strategy := player.ChallengeInPlace
	if c.adjusts {
		strategy = player.Challenge
	}
	judge := newPasses(most)
	_, err = seat.Play(ctx, w, time.Duration(most)*roundTime, []*player.Player{player.New(strategy), player.New(strategy)}, func(sim *omnipitch.Sim) {
		sim.OnStep(func(now *physics.Snapshot) {
			judge.watch(now)
			if judge.over() {
				_ = sim.Do(&action.End{}) // which nothing refuses
			}
		})
	})
	return judge.tally(), err
}

// interval returns the mean of independent values, and its 95 % interval by Student's t.
func interval(values []float64) (mean, low, high float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	half := stat.StdErr(deviation, float64(len(values))) * distuv.StudentsT{Sigma: 1, Nu: float64(len(values) - 1)}.Quantile(0.975)
	return mean, mean - half, mean + half
}

// minus returns the differences of values of the same seeds.
func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	floats.SubTo(out, a, b)
	return out
}
