package physics

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func keyframes(hermite bool) Animation {
	at := func(joint int, position float64) []JointGoal { return []JointGoal{{joint, position}} }
	return Animation{Name: "a", Hermite: hermite, Frames: []KeyFrame{
		{Duration: time.Second, Goals: at(0, 1)},
		{Duration: time.Second, Pause: time.Second / 2, Goals: at(0, 2)},
		{Duration: time.Second, Goals: at(2, -1)},
		{Duration: time.Second, Goals: at(0, 0)},
	}}
}

// A joint comes to each of its goals in time, rests in pauses, and passes key frames without a goal for it. A cubic
// path has a velocity only at goals that lie on the way, and never passes beyond a goal.
func TestAnimationPath(t *testing.T) {
	a, states := keyframes(false), make([]JointState, 3)
	joints, to := a.Path(states)
	must.Equal(t, len(joints), 2, "joints")
	must.Equal(t, joints[0]*10+joints[1], 2, "joints 0 and 2")
	want := []JointPoint{{At: time.Second, Position: 1, Even: true}, {At: 2 * time.Second, Position: 2, Even: true},
		{At: 2500 * time.Millisecond, Position: 2, Even: true}, {At: 4500 * time.Millisecond, Even: true}}
	for i, p := range to[0].Path {
		must.Equal(t, p, want[i], "point %d", i)
	}
	must.Equal(t, to[1].Path[0].At, 3500*time.Millisecond, "time of joint 2")
	a = keyframes(true)
	_, to = a.Path(states)
	must.Near(t, "velocity on the way", to[0].Path[0].Velocity, 1, 1e-12)
	must.Near(t, "velocity before a pause", to[0].Path[1].Velocity, 0, 0)
	must.Near(t, "velocity at the end", to[0].Path[3].Velocity, 0, 0)
	states[0].Position = 5 // from there, the first goal is where the joint turns back
	_, to = a.Path(states)
	must.Near(t, "velocity where it turns back", to[0].Path[0].Velocity, 0, 0)
	must.Equal(t, a.Length(), 4500*time.Millisecond, "length")
}

func TestMotionErrors(t *testing.T) {
	robot := func() *Robot {
		r := &Robot{Animations: []Animation{keyframes(false)}, Motion: &MotionControl{}}
		r.Motion.SetDefaults()
		for range 3 {
			r.Joints = append(r.Joints, Joint{Lower: -2, Upper: 2, Mimics: -1, Wheel: -1})
		}
		return r
	}
	must.Do(t, robot().validateMotion())
	for want, spoil := range map[string]func(*Robot){
		"has 0 key frames":             func(r *Robot) { r.Animations[0].Frames = nil },
		"must be another joint":        func(r *Robot) { r.Animations[0].Frames[0].Goals[0].Joint = 3 },
		"position 3: must lie in":      func(r *Robot) { r.Animations[0].Frames[0].Goals[0].Position = 3 },
		"a number of the command":      func(r *Robot) { r.Animations[0].Frames[0].Goals[0].Position = math.NaN() },
		"key frame 1 takes 0s":         func(r *Robot) { r.Animations[0].Frames[1].Duration = 0 },
		"two animations named":         func(r *Robot) { r.Animations = append(r.Animations, r.Animations[0]) },
		`get_up_back = "b"`:            func(r *Robot) { r.Motion.GetUpBack = "b" },
		"fall tilt = NaN: must lie":    func(r *Robot) { r.Motion.FallTilt = math.NaN() },
		"has 65 animations: must have": func(r *Robot) { r.Animations = make([]Animation, 65) },
	} {
		r := robot()
		spoil(r)
		must.Fail(t, r.validateMotion(), want)
	}
}
