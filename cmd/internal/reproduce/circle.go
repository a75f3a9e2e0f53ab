package reproduce

import (
	"context"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Values of the paper, section VII.A.
const (
	circlePosition = 2.2481 // cm
	circleHeading  = 0.4401 // rad
)

// circleWays are the ways to command the robots.
var circleWays = []struct {
	name, plot string
	ramp       time.Duration // time in which the commanded speeds rise from 0
	slower     float64       // part of the rate of turn that is missing
}{{name: "from rest", plot: "rest"}, {name: "after a ramp", plot: "ramp", ramp: time.Second},
	{name: "turning too slowly", plot: "slow", slower: circleSlower}}

// circleSlower is the part of the commanded rate of turn whose lack explains the paper's mean heading error, because
// the error then grows evenly from 0 to twice its mean.
const circleSlower = 2 * circleHeading / (experiment.CircleOmega * experiment.CircleTime)

// circleShown is the time for which headings are plotted, s. It takes two and a half circles.
const circleShown = 8

func runCircle(ctx context.Context, t *Trial) error {
	for i, way := range circleWays {
		paths, err := driveCircles(ctx, t, way.ramp, 1-way.slower)
		if err != nil {
			return err
		}
		p := experiment.Plot{Name: way.plot, Title: "2 m/s and 2 rad/s, " + way.name,
			XLabel: "x from the circle's middle, m", YLabel: "y, m", Square: true}
		headings := experiment.Plot{Name: way.plot + "-heading", Title: "Heading, " + way.name, XLabel: "time, s",
			YLabel: "heading, rad"}
		for _, path := range paths {
			p.Curves = append(p.Curves, experiment.Curve{Name: path.name, X: path.x, Y: path.y})
			headings.Curves = append(headings.Curves, path.heading)
			t.addCircle(path.name+", "+way.name, &path.CircleErrors, way.slower > 0)
		}
		t.Plot(p)
		t.Plot(headings)
		t.Progress(float64(i+1) / float64(len(circleWays)))
	}
	return nil
}

// addCircle adds the errors of a path. If the robot turns too slowly on purpose, they only help to explain the paper's.
func (t *Trial) addCircle(name string, path *experiment.CircleErrors, slow bool) {
	if slow {
		t.Add(Aside(name+": mean position error", 100*path.Position, "cm"))
		t.Add(Aside(name+": mean heading error", path.Heading, "rad"))
		return
	}
	position := AtMost(name+": mean position error", 100*path.Position, circlePosition, "cm")
	if position.Verdict == Differs {
		position = position.because("the circle lies %s cm aside and is round within %s cm: the robot's own "+
			"controller has the rate of turn before the speed, so that it begins with a tighter arc; see the same robot "+
			"after a ramp", number(100*path.CentreShift), number(100*path.Radius))
	}
	t.Add(position)
	t.Add(AtMost(name+": mean heading error", path.Heading, circleHeading, "rad"))
	t.Add(Aside(name+": mean distance from a circle of 1 m around its own middle", 100*path.Radius, "cm"))
}

// circlePath is the path of one robot.
type circlePath struct {
	name string
	experiment.CircleErrors
	x, y    []float64        // positions relative to the centre of the commanded circle, m
	heading experiment.Curve // rad over s, of the first circles
}

// driveCircles drives all robots of the world on circles. Each starts at its initial pose, in the direction of its
// heading. The result contains the path of each robot.
//
// The commanded speeds rise from 0 within the time ramp. The rate of turn is the paper's times the argument turn.
func driveCircles(ctx context.Context, t *Trial, ramp time.Duration, turn float64) ([]circlePath, error) {
	sim, err := t.start()
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	w := sim.World()
	samples := make([]experiment.CircleSamples, len(w.Robots))
	starts := make([]spatial.Pose, len(w.Robots))
	for i := range starts {
		starts[i] = sim.Truth().Robots[i].PoseWB
	}
	end := ramp + time.Duration(experiment.CircleTime*float64(time.Second))
	err = steps(ctx, sim, end, func() error {
		share := 1.0
		if sim.Truth().Time < ramp {
			share = (sim.Truth().Time.Seconds() + w.Time.Step.Seconds()/2) / ramp.Seconds()
		}
		for _, r := range w.Robots {
			if err := sim.Do(&action.Drive{Robot: r.Name, VX: share * experiment.CircleSpeed,
				Omega: share * turn * experiment.CircleOmega}); err != nil {
				return err
			}
		}
		return nil
	}, func() {
		for i := range samples {
			if sim.Truth().Time > ramp {
				samples[i].Add((sim.Truth().Time - ramp).Seconds(), sim.Truth().Robots[i].PoseWB)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	paths := make([]circlePath, len(w.Robots))
	for i, r := range w.Robots {
		middleW := starts[i].Apply(mgl64.Vec3{0, experiment.CircleSpeed / experiment.CircleOmega, 0})
		s := &samples[i]
		paths[i] = circlePath{name: r.Name, heading: experiment.Curve{Name: r.Name}, CircleErrors: s.Errors(middleW[0],
			middleW[1], starts[i].Heading()+experiment.CircleOmega*ramp.Seconds()/2)}
		for k := range s.X {
			paths[i].x, paths[i].y = append(paths[i].x, s.X[k]-middleW[0]), append(paths[i].y, s.Y[k]-middleW[1])
			if s.Time[k] <= circleShown {
				paths[i].heading.Add(s.Time[k], s.Heading[k])
			}
		}
	}
	return paths, nil
}
