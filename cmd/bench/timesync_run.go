package bench

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
)

// timing is one run: how long its intervals were predicted to take, and how long they took.
type timing struct {
	load   string
	speed  timesync.Speed
	spans  []time.Duration // of sim time whose wall time is predicted: intervals in whole steps
	wall   *observedWall
	sim    *omnipitch.Sim
	step   time.Duration
	warmup time.Duration // wall time before errors count

	begins    []time.Duration // wall time at which each step began
	target    float64         // real-time factor that the present step is paced to
	pending   []prediction
	errors    [][][]float64 // of each method and interval, in per cent
	spare     int
	report    *omnipitch.Report
	recovered *recovery
}

// intervals are the spans of sim time whose wall time is predicted.
var intervals = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
}

// inSteps returns the intervals in whole steps, each once.
func inSteps(step time.Duration) (spans []time.Duration) {
	for _, d := range intervals {
		spans = append(spans, max(d.Round(step), step))
	}
	return slices.Compact(spans)
}

// prediction is the wall time of the intervals after a step as it was predicted.
type prediction struct {
	step  int
	wall  [][]time.Duration // by method and interval
	ended int               // intervals that are over
}

// observedWall is the machine's clock without the time that measuring the run takes.
type observedWall struct {
	timesync.Wall
	measuring atomic.Int64 // ns
}

func (w *observedWall) Now() time.Duration { return w.Wall.Now() - time.Duration(w.measuring.Load()) }

func (w *observedWall) Wait(ctx context.Context, until time.Duration) {
	w.Wall.Wait(ctx, until+time.Duration(w.measuring.Load()))
}

// exclude does something whose wall time does not count.
func (w *observedWall) exclude(do func()) {
	before := w.Wall.Now()
	do()
	w.measuring.Add(int64(w.Wall.Now() - before))
}

// measure runs a load at a speed.
func (c *Timesync) measure(ctx context.Context, l load, speed timesync.Speed) (*timing, error) {
	t := &timing{load: l.name, speed: speed, wall: &observedWall{Wall: timesync.SystemWall()}, warmup: c.For / 6}
	sim, drive, err := l.start(omnipitch.Options{Wall: t.wall, Renderer: c.Renderer})
	if sim != nil {
		defer sim.Close()
	}
	if err != nil {
		return nil, err
	}
	t.sim, t.step = sim, sim.World().Time.Step
	t.spans = inSteps(t.step)
	t.errors = make([][][]float64, len(methods))
	for i := range t.errors {
		t.errors[i] = make([][]float64, len(t.spans))
	}
	if c.World != nil { // whatever its name
		l.name = ""
	}
	during, err := disturb(l.name, c.For)
	if err != nil {
		return nil, err
	}
	defer during()
	if l.name == "stopped" {
		t.recovered = newRecovery(t)
	}
	sim.OnStep(func(*physics.Snapshot) { t.wall.exclude(t.predict) })
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	t.report, err = sim.Run(running, omnipitch.Pace{Speed: speed, Began: func(wall time.Duration, target float64) {
		t.target = target
		t.wall.exclude(func() {
			t.began(wall)
			gone := wall - t.begins[0]
			if gone > c.For {
				cancel()
			}
			if drive != nil {
				drive(len(t.begins), gone > c.For/2)
			}
		})
	}})
	if err == nil && ctx.Err() != nil {
		err = errInterrupted
	}
	return t, err
}

// began takes the wall time at which a step began.
func (t *timing) began(wall time.Duration) {
	t.begins = append(t.begins, wall)
	if t.recovered != nil {
		t.recovered.stepBegan(wall)
	}
	now := len(t.begins) - 1
	for i := 0; i < len(t.pending); i++ {
		if t.settle(&t.pending[i], now); t.pending[i].ended == len(t.spans) {
			t.pending = slices.Delete(t.pending, i, i+1)
			i--
		}
	}
}

// predict predicts now and then, during a step, how long the intervals after it will take.
func (t *timing) predict() {
	if t.spare--; t.spare > 0 || len(t.begins) < 2 {
		return
	}
	now := len(t.begins) - 1
	t.spare = 3 + now%5 // at all phases of the sensors
	p := prediction{step: now + 1, wall: make([][]time.Duration, len(methods))}
	var last []time.Duration
	for i := max(now-200, 0); i < now; i++ {
		last = append(last, t.begins[i+1]-t.begins[i])
	}
	for _, d := range t.spans {
		p.wall[0] = append(p.wall[0], t.sim.Predict(d).Likely)
		for i, m := range methods[1:] {
			p.wall[i+1] = append(p.wall[i+1], m.step(last)*(d/t.step))
		}
	}
	if t.begins[now]-t.begins[0] > t.warmup {
		t.pending = append(t.pending, p)
	}
}

// settle compares a prediction with how long the intervals took that are over.
func (t *timing) settle(p *prediction, now int) {
	for ; p.ended < len(t.spans); p.ended++ {
		end := p.step + int(t.spans[p.ended]/t.step)
		if end > now {
			return
		}
		took := t.begins[end] - t.begins[p.step]
		if t.recovered != nil && took > timeStopped/2 {
			continue // nothing can predict that
		}
		for i := range methods {
			t.errors[i][p.ended] = append(t.errors[i][p.ended], 100*math.Abs(float64(p.wall[i][p.ended]-took))/float64(took))
		}
	}
}
