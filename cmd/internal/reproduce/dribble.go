package reproduce

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Parameters of the circles.
const (
	dribbleFast  = 3.0 // m/s, from the paper
	dribbleOmega = 2.0 // rad/s
	dribbleTime  = 12 * time.Second
)

// dribbleSpeeds are the speeds on the circles, m/s.
var dribbleSpeeds = []float64{0.5, 1, 2, dribbleFast, 4}

func runDribble(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	speeds := dribbleSpeeds
	if t.Quick {
		speeds = []float64{0.5, dribbleFast}
	}
	kept := experiment.Plot{Name: "kept", Title: "How long the ball is kept", XLabel: "speed, m/s", YLabel: "time, s"}
	off := experiment.Plot{Name: "off", Title: fmt.Sprintf("Ball from where it should be, at %g m/s", dribbleFast),
		XLabel: "time, s", YLabel: "distance, cm"}
	for i := range w.Robots {
		name := w.Robots[i].Name
		curve := experiment.Curve{Name: name}
		for k, speed := range speeds {
			if w.Robots[i].Dribbler == nil {
				return t.unfit("robot %s has no dribbler", name)
			}
			h, err := t.holdOn(ctx, i, speed)
			if err != nil {
				return err
			}
			curve.Add(speed, h.kept)
			if k == 0 && w.Robots[i].Dribbler.Method == physics.DribbleTangential {
				t.Add(Trend(fmt.Sprintf("%s at %g m/s: kept for", name, speed), h.kept, "s",
					"kept where a robot is slow", "10 s or more", h.kept >= 10))
			}
			if speed == dribbleFast {
				t.addHold(&w.Robots[i], h)
				off.Curves = append(off.Curves, h.off)
			}
			t.Progress((float64(i) + float64(k+1)/float64(len(speeds))) / float64(len(w.Robots)))
		}
		kept.Curves = append(kept.Curves, curve)
	}
	t.Plot(kept)
	t.Plot(off)
	step := w.Time.Step.Seconds()
	t.Note("Method tangential gives the ball the velocity of the robot's body at the ball's place, as NuBot's plugin "+
		"does (nubot_gazebo.cc, dribble_ball). The ball moves straight during a step while the robot turns: at %g m/s "+
		"and %g rad/s this is an error of %.2g mm in each step of %g ms. Nothing corrects these errors, so they add "+
		"up, to %.1f cm per second, until the ball is out of reach.", dribbleFast, dribbleOmega,
		1e3*dribbleFast*dribbleOmega*step*step/2, 1e3*step, 100*dribbleFast*dribbleOmega*step/2)
	return nil
}

// addHold adds the findings on one robot's drive at the paper's speed.
func (t *Trial) addHold(r *worlds.Robot, h hold) {
	whole := dribbleTime.Seconds()
	name := fmt.Sprintf("%s at %g m/s: kept for", r.Name, dribbleFast)
	switch r.Dribbler.Method {
	case physics.DribblePose:
		t.Add(Trend(name, h.kept, "s", "hardly ever lost", fmt.Sprintf("all of %g s", whole), h.kept >= whole))
	case physics.DribbleSecant:
		t.Add(Trend(name, h.kept, "s", "less exact than pose, more than tangential", fmt.Sprintf("all of %g s", whole),
			h.kept >= whole))
	case physics.DribbleTangential:
		t.Add(Trend(name, h.kept, "s", "probably lost", fmt.Sprintf("less than %g s", whole), h.kept < whole))
	default:
		t.Add(Aside(name, h.kept, "s"))
	}
	t.Add(Aside(fmt.Sprintf("%s at %g m/s: ball off, mean", r.Name, dribbleFast), h.mean, "cm"))
}

// hold is the result of one drive with the ball.
type hold struct {
	kept, mean float64 // how long the robot kept the ball, s; mean distance of the ball from its place at the robot, cm
	off        experiment.Curve
}

// holdOn drives a robot on a circle, at a speed in m/s, until it loses the ball or the time is over.
func (t *Trial) holdOn(ctx context.Context, robot int, speed float64) (h hold, err error) {
	sim, err := t.start()
	if err != nil {
		return h, err
	}
	defer sim.Close()
	r := &sim.World().Model().Robots[robot]
	h.off.Name = r.Name
	begin := sim.Truth().Robots[robot]
	ball, _ := r.Held(begin.PoseWB, begin.TwistWBInW, sim.World().Ball.Radius)
	if err := sim.Do(&action.Place{Name: "ball", X: ball[0], Y: ball[1], Z: ball[2]}); err != nil {
		return h, err
	}
	if err := sim.Do(&action.Dribble{Robot: r.Name, Enable: true}); err != nil {
		return h, err
	}
	holds := func() bool { return sim.Truth().Ball.HeldBy == robot }
	held, lost := false, false
	err = steps(ctx, sim, dribbleTime+sim.World().Time.Step, func() error {
		if held = held || holds(); !held {
			return nil
		}
		return sim.Do(&action.Drive{Robot: r.Name, VX: speed, Omega: dribbleOmega})
	}, func() {
		state := sim.Truth()
		if lost = lost || held && !holds(); lost || !held {
			return
		}
		h.kept = math.Min(state.Time.Seconds(), dribbleTime.Seconds())
		want, _ := r.Held(state.Robots[robot].PoseWB, state.Robots[robot].TwistWBInW, sim.World().Ball.Radius)
		h.off.Add(state.Time.Seconds(), 100*state.Ball.PosW.Sub(want).Len())
		h.mean += (h.off.Y[len(h.off.Y)-1] - h.mean) / float64(len(h.off.Y))
	})
	if err == nil && !held {
		h.kept, h.mean = math.NaN(), math.NaN()
	}
	return h, err
}
