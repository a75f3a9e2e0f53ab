package experiment

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Arrival is how a robot came to a point.
type Arrival struct {
	Seconds float64 // until it was within 0.15 m for the first time; NaN if it never was
	Error   float64 // distance from the point 2 s later, m
	Fell    bool    // it leaned by more than 60° at some time
}

// WalkTo lets the first robot of a model walk to a point on the floor, for at most a number of seconds. A simple
// strategy steers it: it turns towards the point, walks at most at a speed in m/s and the slower the more it must turn,
// and stops within 0.15 m.
func WalkTo(model *physics.Model, toW mgl64.Vec2, speed, limit float64) (a Arrival, err error) {
	const near, wait = 0.15, 2.0
	a.Seconds = math.NaN()
	err = walk(model, limit, func(now *physics.Snapshot) (physics.PlanarTwist, bool) {
		t, d := now.Time.Seconds(), &model.Robots[0].Drive
		pose := now.Robots[0].PoseWB
		pose.Pos[2] = 0
		level := spatial.Planar(pose.Pos[0], pose.Pos[1], pose.Heading())
		toB := level.Inverse().Apply(mgl64.Vec3{toW[0], toW[1], 0})
		a.Error = math.Hypot(toB[0], toB[1])
		if a.Fell = a.Fell || lies(&pose); a.Fell {
			return physics.PlanarTwist{}, false
		}
		if a.Error < near && math.IsNaN(a.Seconds) {
			a.Seconds = t
		}
		if !math.IsNaN(a.Seconds) {
			return physics.PlanarTwist{}, t < a.Seconds+wait
		}
		turn := math.Atan2(toB[1], toB[0])
		return physics.PlanarTwist{VX: speed * max(0, math.Cos(turn)) * min(1, a.Error/0.5),
			Omega: mgl64.Clamp(1.5*turn, -d.MaxOmega/2, d.MaxOmega/2)}, true
	})
	return a, err
}

// walk runs a model, and calls a function before each step that commands the first robot, and reports whether to go on.
func walk(model *physics.Model, limit float64,
	command func(now *physics.Snapshot) (physics.PlanarTwist, bool)) error {
	e, err := engine.New(model)
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	defer e.Close()
	commands, now := make([]physics.Command, len(model.Robots)), &physics.Snapshot{}
	for e.Snapshot(now); now.Time.Seconds() < limit; e.Snapshot(now) {
		var on bool
		if commands[0].TwistB, on = command(now); !on {
			return nil
		}
		if err := e.Step(commands); err != nil {
			return fmt.Errorf("walk: %w", err)
		}
	}
	return nil
}

// FreeWalk makes an engine with the robots of a model, which walk in small circles without touching
// each other. It is used as FreeDrive.
func FreeWalk(model *physics.Model) (step func() error, end func()) {
	r := start(model)
	for i := range r.commands {
		r.commands[i].TwistB = physics.PlanarTwist{VX: 0.03, Omega: 0.3}
	}
	return func() error {
		r.step()
		return r.err
	}, r.Close
}
