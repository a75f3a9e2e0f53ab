package reproduce

import (
	"context"
	"fmt"
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

// circleRamp is the time in which the commanded speeds rise from 0 in the second of the two ways to command the robots.
const circleRamp = time.Second

// circleShown is the time for which headings are plotted, s. It takes two and a half circles.
const circleShown = 8

func runCircle(ctx context.Context, t *Trial) error {
	for i, ramp := range []time.Duration{0, circleRamp} {
		paths, err := driveCircles(ctx, t, ramp)
		if err != nil {
			return err
		}
		start, plot := "from rest", "rest"
		if ramp > 0 {
			start, plot = "after a ramp", "ramp"
		}
		p := experiment.Plot{Name: plot, Title: "2 m/s and 2 rad/s, " + start, XLabel: "x from the circle's middle, m",
			YLabel: "y, m", Square: true}
		headings := experiment.Plot{Name: plot + "-heading", Title: "Heading, " + start, XLabel: "time, s",
			YLabel: "heading, rad"}
		for _, path := range paths {
			position := AtMost(fmt.Sprintf("%s, %s: mean position error", path.name, start), 100*path.Position,
				circlePosition, "cm")
			heading := AtMost(fmt.Sprintf("%s, %s: mean heading error", path.name, start), path.Heading, circleHeading,
				"rad")
			if position.Verdict == Differs {
				position = position.because("the circle lies %s cm aside and is round within %s cm: the robot's own "+
					"controller has the rate of turn before the speed, so that it begins with a tighter arc",
					number(100*path.CentreShift), number(100*path.Radius))
			}
			t.Add(position)
			t.Add(heading)
			t.Add(Aside(fmt.Sprintf("%s, %s: mean distance from a circle of 1 m around its own middle", path.name,
				start), 100*path.Radius, "cm"))
			p.Curves = append(p.Curves, experiment.Curve{Name: path.name, X: path.x, Y: path.y})
			headings.Curves = append(headings.Curves, path.heading)
		}
		t.Plot(p)
		t.Plot(headings)
		t.Progress(float64(i+1) / 2)
	}
	return nil
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
func driveCircles(ctx context.Context, t *Trial, ramp time.Duration) ([]circlePath, error) {
	sim, err := t.start(0)
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
				Omega: share * experiment.CircleOmega}); err != nil {
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
