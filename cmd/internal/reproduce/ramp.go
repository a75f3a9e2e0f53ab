package reproduce

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Limits that define whether a robot follows a command, and whether two robots react differently. They are our own,
// since the paper only shows curves.
const (
	rampFollowed = 0.05 // largest mean error of a robot that follows, as a fraction of the target velocity
	rampApart    = 2.0  // two robots react differently if their errors have at least this ratio
)

func runRamp(ctx context.Context, t *Trial) error {
	sim, err := t.start()
	if err != nil {
		return err
	}
	defer sim.Close()
	robots := sim.World().Robots
	answers := make([]experiment.RampAnswer, len(robots))
	var began float64
	err = steps(ctx, sim, time.Duration(experiment.RampTotal*float64(time.Second)), func() error {
		began = sim.Truth().Time.Seconds()
		for i := range robots {
			if err := sim.Do(&action.Drive{Robot: robots[i].Name, VX: experiment.Ramped(began)}); err != nil {
				return err
			}
		}
		return nil
	}, func() {
		for i := range answers {
			answers[i].Add(began, sim.Truth().Time.Seconds(), sim.Truth().Robots[i].TwistWBInB().VX)
		}
		t.Progress(sim.Truth().Time.Seconds() / experiment.RampTotal)
	})
	if err != nil {
		return err
	}
	least, most := math.Inf(1), 0.0
	p := experiment.Plot{Name: "velocity", Title: "Differential drives, linear ramp", XLabel: "time, s",
		YLabel: "velocity, m/s"}
	wanted := answers[0].Wanted
	wanted.Name = "target"
	p.Curves = append(p.Curves, wanted)
	for i, a := range answers {
		least, most = math.Min(least, a.Error), math.Max(most, a.Error)
		name := robots[i].Name
		if m := robots[i].Drive.Motor; m != nil {
			name = fmt.Sprintf("%s: p %g, i %g, d %g, f %g", name, m.P, m.I, m.D, m.Forward)
		}
		t.Add(Aside(name+": mean error", a.Error, "m/s"))
		t.Add(Aside(name+": overshoot", a.Overshoot, "%"))
		a.Speed.Name = robots[i].Name
		p.Curves = append(p.Curves, a.Speed)
	}
	t.Add(Trend("least mean error of a set of gains", 100*least/experiment.RampSpeed, "% of the target",
		"the simulated robot follows the ramp",
		fmt.Sprintf("up to %.0f %%", 100*rampFollowed), least <= rampFollowed*experiment.RampSpeed))
	t.Add(Trend("greatest mean error, by the least", most/least, "times", "sets of gains answer differently",
		fmt.Sprintf("at least %g times", rampApart), most >= rampApart*least))
	t.Plot(p)
	return nil
}
