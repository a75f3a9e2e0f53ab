package bench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds"
)

// measureCrowds times 10, 20 and 50 robots that drive in circles, with listeners to all sensors at level objects, on
// the planar engine.
func (c *Levels) measureCrowds(ctx context.Context, report *Report) error {
	for _, robots := range []int{10, 20, 50} {
		sim, err := startCircling("ten-robots", omnipitch.Options{}, nil, crowd(robots, true), func(w *worlds.World) {
			w.Physics.Engine, w.Look = "planar", worlds.LookPlain
			setLevels(w, abstraction.Objects)
		})
		if err != nil {
			return err
		}
		t, err := timeRounds(ctx, c.Rounds, c.Round, sim)
		step := sim.World().Time.Step
		sim.Close()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("crowd_%d_robots", robots)
		report.add(name+"_steps_per_s", median(t[0].factor)/step.Seconds(), "1/s", c.Rounds)
		report.add(name+"_cpu", median(t[0].cpu), "s/s", c.Rounds)
	}
	return nil
}

// crowd returns a change that puts n robots on the field, at least 0.9 m from each other and from the ball. If all is
// false, only the first has sensors. Positions form a low-discrepancy sequence, the powers of the plastic number.
// Source: Roberts (2018), The unreasonable effectiveness of quasirandom sequences.
func crowd(n int, all bool) func(*worlds.World) {
	return func(w *worlds.World) {
		robot := w.Robots[1]
		w.Robots = nil
		poses := []worlds.Pose{{X: w.Ball.X, Y: w.Ball.Y}}
		for i := 1; len(w.Robots) < n; i++ {
			_, u := math.Modf(0.7548776662466927 * float64(i))
			_, v := math.Modf(0.5698402909980532 * float64(i))
			pose := worlds.Pose{X: (u - 0.5) * (w.Field.Length - 1), Y: (v - 0.5) * (w.Field.Width - 1),
				Heading: 2 * math.Pi * u}
			if slices.ContainsFunc(poses, func(p worlds.Pose) bool {
				return math.Hypot(p.X-pose.X, p.Y-pose.Y) < 0.9
			}) {
				continue
			}
			poses = append(poses, pose)
			r := robot
			r.Name, r.Number, r.Pose = fmt.Sprintf("robot%d", len(poses)-1), len(poses), pose
			r.Sensors = nil
			if all || len(w.Robots) == 0 {
				r.Sensors = slices.Clone(robot.Sensors)
			}
			w.Robots = append(w.Robots, r)
		}
	}
}
