package robotio

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

var (
	errFell  = errors.New("the robot fell")
	errNever = errors.New("the robot did not begin the motion")
)

// motionStart is the sim time within which a motion begins, after the robot has stopped and ended what it does. It is a
// guess, longer than a robot takes to get up.
const motionStart = 20 * time.Second

// motionGoal follows a motion of a robot's joints until its end: an animation, or a kick by a leg. All fields but the
// channels belong to the goroutine that steps.
type motionGoal struct {
	robot    int
	state    physics.MotionState // of the robot while the motion lasts
	begun    bool
	until    time.Duration // sim time at which the motion must have begun
	progress chan []byte   // newest feedback
	done     chan error
}

// motionOf returns the motion of the joints that actions ask for, and the robot's name. The state is Controllable if
// they ask for none.
func (b *Bridge) motionOf(actions []action.Action) (robot string, state physics.MotionState) {
	for _, a := range actions {
		switch a := a.(type) {
		case *action.PlayAnimation:
			return a.Robot, physics.Animating
		case *action.Kick:
			r, err := b.sim.World().FindRobot(a.Robot)
			if err == nil && r.Motion != nil && (r.Motion.KickLeft != "" || r.Motion.KickRight != "") {
				return a.Robot, physics.Kicking
			}
		}
	}
	return "", physics.Controllable
}

// followMotion waits for the end of a motion that a robot's program has asked for, and passes on its feedback.
func (b *Bridge) followMotion(ctx context.Context, i *mapping.Instance, robot string, state physics.MotionState,
	feedback func([]byte)) error {
	g := &motionGoal{state: state, until: -1, progress: make(chan []byte, 1), done: make(chan error, 1)}
	g.robot = slices.IndexFunc(b.sim.World().Robots, func(r worlds.Robot) bool { return r.Name == robot })
	c, step, last := i.Context, b.sim.World().Time.Step, []byte(nil)
	var look func(time.Duration)
	look = func(time.Duration) {
		now := b.sim.Truth()
		if g.until < 0 {
			g.until = now.Time + motionStart
		}
		if err, over := g.over(now); over {
			g.done <- err
			return
		}
		if g.begun && i.Feedback != nil {
			c.Stamp, c.Truth = now.Time, now
			if text := i.Feedback.Append(nil, &c); !bytes.Equal(text, last) {
				last = text
				select {
				case <-g.progress: // a newer one replaces it
				default:
				}
				g.progress <- text
			}
		}
		b.sim.Clock().After(step, look)
	}
	b.sim.Clock().After(0, look)
	for {
		select {
		case text := <-g.progress:
			feedback(text)
		case err := <-g.done:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// over reports whether the motion has ended, and why if it failed.
func (g *motionGoal) over(now *physics.Snapshot) (err error, over bool) {
	switch state := now.Robots[g.robot].Motion; {
	case state == g.state:
		g.begun = true
		return nil, false
	case state == physics.Falling || state == physics.Fallen || g.begun && state == physics.GettingUp:
		return errFell, true
	case g.begun:
		return nil, true
	}
	return errNever, now.Time > g.until
}
