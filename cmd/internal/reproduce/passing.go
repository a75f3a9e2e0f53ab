package reproduce

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// roundTime is more than three times the duration of a pass.
const roundTime = time.Minute

// condition is one of the paper's four conditions.
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

// conditions lists all conditions, those without obstacles first.
var conditions = [4]condition{{false, false}, {false, true}, {true, false}, {true, true}}

// judgePassing adds findings on the series of passes.
func (t *Trial) judgePassing(all *outcomes, by way) {
	most, prefix := by.passes, by.prefix
	rate, longest := func(s *series) float64 { return s.rate }, func(s *series) float64 { return s.longest }
	t.bars(by.plot+"rate", prefix+"passes that come", "%", 100, all, rate)
	t.bars(by.plot+"longest", fmt.Sprintf(prefix+"longest series of %d passes", most), "passes", float64(most), all,
		longest)
	t.lost(prefix+"passes lost by obstacles, from where they are", "points", "clearly lower", all.lost(0, rate),
		"at least 10, and the interval is above 0",
		func(mean, low, _ float64) bool { return mean >= 10 && low > 0 })
	t.lost(prefix+"passes lost by obstacles, from better points", "points", "no clear difference", all.lost(1, rate),
		"the interval is below 10",
		func(_, _, high float64) bool { return high < 10 })
	t.lost(prefix+"of the longest series, what obstacles cost more from where they are than from better points", "passes",
		"as the success rate",
		minus(all.lost(0, longest), all.lost(1, longest)), "the interval is above 0",
		func(_, low, _ float64) bool { return low > 0 })
	var touched, short, missing [len(conditions)]int
	for c := range conditions {
		for _, one := range all[c] {
			touched[c], short[c], missing[c] = touched[c]+one.touched, short[c]+one.short, missing[c]+one.missing
		}
	}
	t.Note("%s %d passes in each condition, in the order above, %s touched an obstacle, and some of these succeeded. "+
		"%s failed because the ball was dribbled for less than a metre, and %s because they were not tried in time.",
		by.note, len(all[0])*most, listed(touched), listed(short), listed(missing))
}

// listed formats one number per condition.
func listed(n [len(conditions)]int) string {
	return fmt.Sprintf("%d, %d, %d and %d", n[0], n[1], n[2], n[3])
}

// lost adds a finding on a trend: the mean of a loss over seeds. The function holds decides whether the trend holds,
// given that mean and its 95 % interval.
func (t *Trial) lost(name, unit, reported string, bySeed []float64, rule string,
	holds func(mean, low, high float64) bool) {
	mean, low, high := interval(bySeed)
	f := Trend(name, mean, unit, reported, rule, holds(mean, low, high)).within(low, high)
	if f.Verdict == Differs && holds(mean, mean, mean) {
		f = f.because("the mean is as reported, but seeds differ too much for %d of them to show it", len(bySeed))
	}
	t.Add(f)
}

// outcomes are the series by condition and seed.
type outcomes [len(conditions)][]series

// values calls the given function for each series of the condition with index c, and returns the results.
func (o *outcomes) values(c int, of func(*series) float64) (values []float64) {
	for i := range o[c] {
		values = append(values, of(&o[c][i]))
	}
	return values
}

// lost returns, for each seed, by how much a value is less with obstacles than without. The given function returns the
// value of a series. The argument adjusts is 0 for robots that do not adjust, and 1 for robots that do.
func (o *outcomes) lost(adjusts int, of func(*series) float64) []float64 {
	return minus(o.values(adjusts, of), o.values(2+adjusts, of))
}

// bars adds a finding for each condition: the mean of a value over the series of the condition. The given function
// returns the value of a series. The 95 % interval of the mean is limited to values from 0 to most. bars also plots the
// means as bars, like the paper.
func (t *Trial) bars(plot, name, unit string, most float64, all *outcomes, of func(*series) float64) {
	p := experiment.Plot{Name: plot, Title: strings.ToUpper(name[:1]) + name[1:], YLabel: unit,
		Names: []string{"without obstacles", "with obstacles"}, Bars: true,
		Curves: []experiment.Curve{{Name: "from where they are"}, {Name: "from better points"}}}
	for c, is := range conditions {
		mean, low, high := interval(all.values(c, of))
		low, high = max(0, low), min(most, high)
		f := Aside(fmt.Sprintf("%s, %v", name, is), mean, unit)
		if low < high { // otherwise all seeds gave the same value, which says nothing about other seeds
			f = f.within(low, high)
		}
		t.Add(f)
		curve := &p.Curves[c%2]
		curve.X, curve.Y, curve.Low, curve.High = append(curve.X, float64(c/2)), append(curve.Y, mean),
			append(curve.Low, low), append(curve.High, high)
	}
	t.Plot(p)
}

// playPassing plays a series for each condition and seed, in parallel on all processors.
func playPassing(ctx context.Context, t *Trial, by way, eyes []calibrated) (*outcomes, error) {
	seeds := by.seeds
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var (
		all  outcomes
		wg   sync.WaitGroup
		free = make(chan struct{}, runtime.NumCPU())
		mu   sync.Mutex
		done int
	)
	for i := range len(conditions) * seeds {
		c, seed := i/seeds, i%seeds
		if seed == 0 {
			all[c] = make([]series, seeds)
		}
		free <- struct{}{}
		w, err := t.Load(seed)
		if err == nil {
			err = t.fitsPassing(w)
		}
		if err != nil {
			fail(err)
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-free }()
			s, err := playSeries(ctx, w, conditions[c], by.passes, seat.Images{Sights: sights(eyes), Cache: &t.cache})
			if err != nil {
				fail(fmt.Errorf("seed %d: %w", w.Seed, err))
			}
			all[c][seed] = s
			mu.Lock()
			defer mu.Unlock()
			done++
			t.Progress(float64(done) / float64(len(conditions)*seeds))
		})
	}
	wg.Wait()
	return &all, context.Cause(ctx)
}

// fitsPassing returns an error if two robots cannot pass in a world.
func (t *Trial) fitsPassing(w *worlds.World) error {
	if len(w.Robots) != 2 {
		return t.unfit("has %d robots, where two pass", len(w.Robots))
	}
	for i := range w.Robots {
		if team := w.Robots[i].Team; team != physics.Cyan {
			return t.unfit("robot[%d]: team = %q: must be cyan, which passes towards x > 0", i, team)
		}
	}
	if err := seat.Check(w); err != nil {
		return t.unfit("%w", err)
	}
	return nil
}

// playSeries lets two robots pass a number of times.
func playSeries(ctx context.Context, w *worlds.World, c condition, most int, by seat.Images) (s series, err error) {
	if !c.obstacles {
		w.Obstacles, w.Expect = nil, nil // expectations may refer to obstacles
	}
	strategy := soccer.ChallengeInPlace
	if c.adjusts {
		strategy = soccer.Challenge
	}
	judge := newPasses(most)
	players := []*soccer.Player{soccer.NewPlayer(strategy), soccer.NewPlayer(strategy)}
	watch := func(sim *omnipitch.Sim) {
		sim.OnStep(func(now *physics.Snapshot) {
			judge.watch(now)
			if judge.over() {
				_ = sim.Do(&action.End{}) // cannot be refused
			}
		})
	}
	span := time.Duration(most) * roundTime
	if by.Sights == nil {
		_, err = seat.Play(ctx, w, span, players, watch)
	} else {
		_, err = seat.PlayByImages(ctx, w, span, players, by, watch)
	}
	return judge.tally(), err
}

// interval returns the mean of independent values, and its 95 % interval by Student's t.
func interval(values []float64) (mean, low, high float64) {
	mean, deviation := stat.MeanStdDev(values, nil)
	half := stat.StdErr(deviation, float64(len(values))) * distuv.StudentsT{Sigma: 1,
		Nu: float64(len(values) - 1)}.Quantile(0.975)
	return mean, mean - half, mean + half
}

// minus returns the differences a[i] − b[i].
func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	floats.SubTo(out, a, b)
	return out
}

// passTime is the time limit of a pass. A robot that loses the ball and has it again within regained counts as not
// having lost it. Both times are guesses.
const (
	passTime = 5 * time.Second
	regained = 250 * time.Millisecond
)

// leastDribble is the least distance of dribbling before a pass that counts, m. Source: rules of the technical
// challenge of 2015, in Dai et al., section 3.
const leastDribble = 1

// pass is the result of a pass.
type pass struct {
	came     bool    // reports whether the ball came: the teammate had it on its side of the field
	dribbled float64 // length of the dribbling before the pass, m
	touched  bool    // reports whether the ball touched an obstacle
}

// passes judges the passes of two robots from the exact state.
type passes struct {
	most int // number of passes to judge
	done []pass

	from   int           // the robot that has passed
	kicked time.Duration // time of the pass; 0: no pass in progress
	way    pass
	holder int           // the robot that has, or last had, the ball; −1: none yet
	since  time.Duration // sim time at which the holder last had the ball
	took   pitch.Vec     // where the holder took the ball
	kicks  []int         // number of kicks of each robot so far
}

func newPasses(most int) *passes { return &passes{most: most, holder: -1} }

// over reports whether all passes have been tried.
func (p *passes) over() bool { return len(p.done) >= p.most }

// watch processes a step.
func (p *passes) watch(s *physics.Snapshot) {
	if p.over() {
		return
	}
	if p.kicks == nil {
		p.kicks = make([]int, len(s.Robots))
	}
	ball := pitch.Vec{s.Ball.PosW[0], s.Ball.PosW[1]}
	for i := range s.Robots {
		if n := s.Robots[i].Kicks; n > p.kicks[i] {
			p.kicks[i] = n
			p.begin(i, s.Time, ball)
		}
	}
	if p.kicked != 0 {
		p.follow(s, ball)
	}
	if i := s.Ball.HeldBy; i >= 0 {
		if i != p.holder || s.Time-p.since > regained {
			p.holder, p.took = i, ball
		}
		p.since = s.Time
	}
}

// begin records that a robot has kicked. A pass that is still in progress has failed.
func (p *passes) begin(robot int, now time.Duration, ball pitch.Vec) {
	if p.kicked != 0 {
		p.end(false)
	}
	p.from, p.kicked, p.way = robot, now, pass{}
	if p.holder == robot {
		p.way.dribbled = pitch.Distance(p.took, ball)
	}
}

// follow judges the pass in progress.
func (p *passes) follow(s *physics.Snapshot, ball pitch.Vec) {
	for i := range s.Touches {
		t := &s.Touches[i]
		p.way.touched = p.way.touched || t.B == s.BallID() && int(t.A) >= len(s.Robots)
	}
	switch by := s.Ball.HeldBy; {
	case s.Time-p.kicked > passTime, by == p.from && s.Time-p.since > regained:
		p.end(false)
	case by >= 0 && by != p.from:
		p.end(ball[0] > 0 && p.way.dribbled >= leastDribble)
	}
}

func (p *passes) end(came bool) {
	p.way.came = came
	p.done = append(p.done, p.way)
	p.kicked = 0
}

// series summarizes a series of passes.
type series struct {
	rate    float64 // successful passes, %
	longest float64 // longest run of successful passes
	touched int     // passes whose ball touched an obstacle
	short   int     // passes after too little dribbling
	missing int     // passes not tried in time, which count as failed
}

// tally summarizes the passes.
func (p *passes) tally() series {
	came, row := 0, 0
	s := series{missing: p.most - len(p.done)}
	for _, one := range p.done {
		if one.touched {
			s.touched++
		}
		if one.dribbled < leastDribble {
			s.short++
		}
		if !one.came {
			row = 0
			continue
		}
		came, row = came+1, row+1
		s.longest = max(s.longest, float64(row))
	}
	s.rate = 100 * float64(came) / float64(p.most)
	return s
}
