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
			h, err := t.holdOn(ctx, i, speed, false)
			if err != nil {
				return err
			}
			curve.Add(speed, h.kept)
			if speed == dribbleFast {
				t.addHold(&w.Robots[i], h)
				off.Curves = append(off.Curves, h.off)
			}
			t.Progress((float64(i) + float64(k+1)/float64(len(speeds))) / float64(len(w.Robots)))
		}
		kept.Curves = append(kept.Curves, curve)
	}
	for i := range w.Robots {
		if d := w.Robots[i].Dribbler; d != nil && d.Method == physics.DribbleTangential {
			if err := t.asPlugin(ctx, w, i, speeds, &kept, &off); err != nil {
				return err
			}
		}
	}
	t.Plot(kept)
	t.Plot(off)
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
		f := Trend(name, h.kept, "s", "probably lost", fmt.Sprintf("less than %g s", whole), h.kept < whole)
		if f.Verdict == Differs {
			f = f.because("our method does not let errors add up; see below")
		}
		t.Add(f)
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

// holdOn drives a robot on a circle, at a speed in m/s, until it loses the ball or the time is over. If plugin is true,
// the robot's dribbler does not hold the ball. Instead, the ball gets before each step the velocity that NuBot's plugin
// would set.
func (t *Trial) holdOn(ctx context.Context, robot int, speed float64, plugin bool) (h hold, err error) {
	sim, err := t.start(0)
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
	if !plugin {
		if err := sim.Do(&action.Dribble{Robot: r.Name, Enable: true}); err != nil {
			return h, err
		}
	}
	holds := func() bool {
		state := sim.Truth()
		return state.Ball.HeldBy == robot || plugin && r.Reaches(state.Robots[robot].PoseWB, state.Ball.PosW,
			sim.World().Ball.Radius)
	}
	held, lost := false, false
	err = steps(ctx, sim, dribbleTime+sim.World().Time.Step, func() error {
		if held = held || holds(); !held {
			return nil
		}
		if err := sim.Do(&action.Drive{Robot: r.Name, VX: speed, Omega: dribbleOmega}); err != nil || !plugin {
			return err
		}
		return sim.Do(tangential(sim.Truth(), robot, sim.World().Ball.Radius))
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

// tangential returns the action that makes the ball roll with the velocity of the robot's body at the ball's position.
// Both are taken from the state before the step (nubot_gazebo.cc, dribble_ball, method 2).
func tangential(state *physics.Snapshot, robot int, radius float64) *action.Place {
	r, ball := &state.Robots[robot], &state.Ball
	v := r.TwistWBInW.Lin.Add(r.TwistWBInW.Ang.Cross(ball.PosW.Sub(r.PoseWB.Pos)))
	rolling := physics.Rolling(v, radius)
	return &action.Place{Name: "ball", X: ball.PosW[0], Y: ball.PosW[1], Z: ball.PosW[2], VX: v[0], VY: v[1],
		WX: rolling.Ang[0], WY: rolling.Ang[1], WZ: rolling.Ang[2]}
}

// asPlugin repeats the circles with the ball's velocity set as NuBot's plugin does.
func (t *Trial) asPlugin(ctx context.Context, w *worlds.World, robot int, speeds []float64, kept,
	off *experiment.Plot) error {
	curve := experiment.Curve{Name: w.Robots[robot].Name + " as the plugin has it"}
	for k, speed := range speeds {
		h, err := t.holdOn(ctx, robot, speed, true)
		if err != nil {
			return err
		}
		curve.Add(speed, h.kept)
		name := fmt.Sprintf("%s at %g m/s: kept for", curve.Name, speed)
		switch {
		case k == 0:
			t.Add(Trend(name, h.kept, "s", "kept where a robot is slow", "10 s or more", h.kept >= 10))
		case speed == dribbleFast:
			t.Add(Trend(name, h.kept, "s", "probably lost", fmt.Sprintf("less than %g s", dribbleTime.Seconds()),
				h.kept < dribbleTime.Seconds()))
			h.off.Name = curve.Name
			off.Curves = append(off.Curves, h.off)
		}
	}
	kept.Curves = append(kept.Curves, curve)
	step := w.Time.Step.Seconds()
	t.Note("The two methods called tangential differ. A world's method gives the ball the velocity of its intended place "+
		"at the robot. NuBot's plugin (nubot_gazebo.cc, dribble_ball) gives it the velocity of its actual place. "+
		"With both, the ball moves straight during a step while the robot turns: at %g m/s and %g rad/s this is an "+
		"error of %.2g mm in each step of %g ms. With the first method, these errors cancel in the course of a circle, "+
		"and the ball is never farther off than the %.1f cm that it stayed behind when the robot started. With the "+
		"second they add up, to %.1f cm per second, until the ball is out of reach.",
		dribbleFast, dribbleOmega, 1e3*dribbleFast*dribbleOmega*step*step/2, 1e3*step, 100*dribbleFast*step,
		100*dribbleFast*dribbleOmega*step/2)
	return nil
}
