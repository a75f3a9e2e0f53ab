package reproduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
)

const (
	levelRounds = 3   // measurements of a speed, of which the median counts
	levelGain   = 2.0 // a level increases the speed "considerably" if it multiplies it by at least this
)

// levelCounts are the numbers of robots that are measured.
var levelCounts = []int{1, 5, 10}

func runLevels(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	counts := slices.DeleteFunc(slices.Clone(levelCounts), func(n int) bool { return n > len(w.Robots) })
	ladder := sensors.OmniKind.Levels()
	engines := []string{"ode", "planar"}
	done, before := 0, machineUsage()
	for _, engine := range engines {
		p := experiment.Plot{Name: engine, Title: "Speed with every sensor at a level, engine " + engine,
			XLabel: "level", YLabel: "real-time factor", LogY: true}
		for _, level := range ladder {
			p.Names = append(p.Names, string(level))
		}
		for _, n := range counts {
			name := fmt.Sprintf("%d robots", n)
			if n == 1 {
				name = "1 robot"
			}
			curve, factors := experiment.Curve{Name: name}, map[abstraction.Level]float64{}
			for i, level := range ladder {
				factor, err := t.levelSpeed(ctx, engine, n, level)
				if err != nil {
					return err
				}
				factors[level] = factor
				curve.Add(float64(i), factor)
				done++
				t.Progress(float64(done) / float64(len(engines)*len(counts)*len(ladder)))
			}
			p.Curves = append(p.Curves, curve)
			name = engine + ", " + name
			raw := factors[abstraction.Raw]
			t.Add(Aside(name+", all sensors at raw: real-time factor", raw, ""))
			for _, level := range []abstraction.Level{abstraction.Features, abstraction.Objects, abstraction.Truth} {
				gain := factors[level] / raw
				t.Add(Trend(fmt.Sprintf("%s: speed at %s, by that at raw", name, level), gain, "times",
					"a considerable increase", fmt.Sprintf("at least %g times", levelGain), gain >= levelGain))
			}
		}
		t.Plot(p)
	}
	t.addOthers(before)
	return nil
}

// levelSpeed returns the real-time factor of the trial's world with its first robots on an engine, at speed max. All
// sensors have listeners. A sensor that lacks the level stays at raw. The robots drive in circles.
func (t *Trial) levelSpeed(ctx context.Context, engine string, robots int, level abstraction.Level) (float64, error) {
	w, err := t.Load(0)
	if err != nil {
		return 0, err
	}
	w.Robots, w.Physics.Engine = w.Robots[:robots], engine
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			s := &w.Robots[i].Sensors[k]
			s.Level = abstraction.Raw
			if level.In(s.Kind.Levels()) {
				s.Level = level
			}
		}
	}
	sim, err := omnipitch.New(w, omnipitch.Options{Cache: &t.cache, RenderEarly: true})
	if err != nil {
		return 0, err
	}
	defer sim.Close()
	err = listenToAll(sim)
	for i := range w.Robots {
		err = errors.Join(err, sim.Do(&action.Drive{Robot: w.Robots[i].Name, VX: 0.5, Omega: 1.5}))
	}
	if err != nil {
		return 0, err
	}
	round := 400 * time.Millisecond
	switch {
	case t.brief:
		round = 10 * time.Millisecond
	case t.Quick:
		round = 60 * time.Millisecond
	}
	var factors []float64
	for range levelRounds + 1 {
		begun, from := time.Now(), sim.Truth().Time
		for time.Since(begun) < round {
			if err := steps(ctx, sim, sim.Truth().Time+20*w.Time.Step, nil, func() {}); err != nil {
				return 0, err
			}
		}
		factors = append(factors, (sim.Truth().Time-from).Seconds()/time.Since(begun).Seconds())
	}
	factors = factors[1:] // the first round warms up
	slices.Sort(factors)
	return factors[len(factors)/2], nil
}
