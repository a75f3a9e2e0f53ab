package engine_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// turning returns a joint about the y axis at a point, with a thin rod that hangs down from it. Its inertia is that of
// a mass of 1 kg, spread over the length.
func turning(name string, parent int, at mgl64.Vec3, length float64) physics.Joint {
	i := length * length / 12
	return physics.Joint{Name: name, Parent: parent, AxisB: mgl64.Vec3{0, 1, 0}, PointB: at, Lower: math.Inf(-1),
		Upper: math.Inf(1), MaxSpeed: math.Inf(1), MaxEffort: math.Inf(1), Mimics: -1, Wheel: -1, Mass: 1,
		CoMB: at.Sub(mgl64.Vec3{0, 0, length / 2}), InertiaB: mgl64.Diag3(mgl64.Vec3{i, i, 1e-6})}
}

// jointed returns a model of a heavy robot that stands still, with joints.
func jointed(level physics.DriveLevel, joints ...physics.Joint) *physics.Model {
	model := enginetest.Alone(level, 0, 0, 0)
	model.Robots[0].Body.Mass, model.Robots[0].Body.InertiaZ = 200, 20
	model.Robots[0].Joints = joints
	return model
}

// jointEngines are the engines, each with a level of drives.
var jointEngines = []kit{{levels: []physics.DriveLevel{physics.WheelsDrive}},
	{levels: []physics.DriveLevel{physics.KinematicDrive}}, onMuJoCo}

func move(t *testing.T, r *enginetest.Rig, joint int, to physics.JointTarget) {
	t.Helper()
	must.Do(t, r.MoveJoints(0, []int{joint}, []physics.JointTarget{to}))
}

// A rod that swings freely has the period of a physical pendulum: 2π √(2l/3g) times 1 + a²/16 + 11a⁴/3072 for the
// amplitude a, and times √(1 + J/I) with an armature of inertia J.
func TestPendulumHasItsPeriod(t *testing.T) {
	const length, amplitude = 0.3, 0.2
	for i, armature := range []float64{0, 0.02, 0, 0.02} {
		k := jointEngines[i/2*2] // ode, mujoco
		rod := turning("rod", -1, mgl64.Vec3{0, 0, 0.6}, length)
		rod.Armature = armature
		r := k.start(t, jointed(k.levels[0], rod))
		move(t, r, 0, physics.JointTarget{Mode: physics.JointPosition, Value: amplitude})
		r.Run(3)
		start := r.S.Joints[0].Position
		move(t, r, 0, physics.JointTarget{Mode: physics.JointFree})
		var crossings []float64
		before := start
		r.Run(20, func() {
			now := r.S.Joints[0].Position
			if before > 0 && now <= 0 {
				crossings = append(crossings, r.S.Time.Seconds()-now/(now-before)*enginetest.StepTime.Seconds())
			}
			before = now
		})
		got := (crossings[len(crossings)-1] - crossings[0]) / float64(len(crossings)-1)
		a := amplitude
		want := 2 * math.Pi * math.Sqrt(2*length/3/9.81*(1+armature*3/(length*length))) *
			(1 + a*a/16 + 11*a*a*a*a/3072)
		if off := got/want - 1; !(math.Abs(off) <= 0.005) {
			t.Errorf("armature %g: the period is %.5f s: must be %.5f s within 0.5 %%, and is off by %.3f %%", armature, got,
				want, 100*off)
		} else {
			t.Logf("armature %g: period %.5f s, closed form %.5f s: %.3f %%", armature, got, want, 100*off)
		}
	}
}

// energy returns the energy of two rods of 1 kg that hang from a joint at rest.
func energy(m *physics.Model, s *physics.Snapshot) (sum float64) {
	r := &m.Robots[0]
	a, b := s.Joints[0], s.Joints[1]
	omega := [2]float64{a.Velocity, a.Velocity + b.Velocity}
	elbow := r.Moved(0, s.Joints).Apply(r.Joints[1].PointB)
	shoulder := r.Joints[0].PointB
	y := mgl64.Vec3{0, 1, 0}
	for i, w := range omega {
		com := r.Moved(i, s.Joints).Apply(r.Joints[i].CoMB)
		v := y.Mul(omega[0]).Cross(com.Sub(shoulder))
		if i == 1 {
			v = y.Mul(omega[0]).Cross(elbow.Sub(shoulder)).Add(y.Mul(w).Cross(com.Sub(elbow)))
		}
		sum += v.Dot(v)/2 + r.Joints[i].InertiaB.At(1, 1)*w*w/2 + 9.81*com[2]
	}
	return sum
}

// A double pendulum keeps its energy. The tolerance is a share of the energy that moves back and forth.
func TestDoublePendulumKeepsItsEnergy(t *testing.T) {
	upper := turning("upper", -1, mgl64.Vec3{0, 0, 0.7}, 0.3)
	lower := turning("lower", 0, mgl64.Vec3{0, 0, 0.4}, 0.3)
	model := jointed(physics.WheelsDrive, upper, lower)
	r := kit{}.start(t, model)
	move(t, r, 0, physics.JointTarget{Mode: physics.JointPosition, Value: 2})
	move(t, r, 1, physics.JointTarget{Mode: physics.JointPosition, Value: 0.5})
	r.Run(3)
	move(t, r, 0, physics.JointTarget{})
	move(t, r, 1, physics.JointTarget{})
	r.Step()
	low := &physics.Snapshot{Joints: make([]physics.JointState, 2)}
	start, span := energy(model, &r.S), energy(model, &r.S)-energy(model, low)
	worst := 0.0
	r.Run(10, func() {
		worst = max(worst, math.Abs(energy(model, &r.S)-start)/span)
	})
	t.Logf("energy drifts by at most %.3f %% of the %.2f J that swing", 100*worst, span)
	if !(worst <= 0.002) {
		t.Errorf("the energy drifts by %.3f %% of the %.2f J that swing: must stay within 0.2 %%", 100*worst, span)
	}
}

// A gear moves exactly as its joint does, in both engines, whatever acts on it.
func TestGearIsExact(t *testing.T) {
	for _, k := range jointEngines {
		level := k.levels[0]
		first := turning("first", -1, mgl64.Vec3{0, 0, 0.6}, 0.3)
		gear := turning("gear", -1, mgl64.Vec3{0, 0.1, 0.6}, 0.2)
		gear.Mimics, gear.Multiplier, gear.Offset, gear.Zero = 0, -2.5, 0.3, 0.3
		r := k.start(t, jointed(level, first, gear))
		move(t, r, 0, physics.JointTarget{Mode: physics.JointPosition, Value: 1, Speed: 0.8})
		check := func() {
			a, b := r.S.Joints[0], r.S.Joints[1]
			if want := -2.5*a.Position + 0.3; b.Position != want {
				t.Fatalf("%s: the gear is at %v: must be at %v", level, b.Position, want)
			}
			if want := -2.5 * a.Velocity; b.Velocity != want {
				t.Fatalf("%s: the gear turns at %v rad/s: must turn at %v", level, b.Velocity, want)
			}
		}
		r.Run(2, check)
		if got := r.S.Joints[0].Position; !(math.Abs(got-1) <= 2e-3) {
			t.Errorf("%s: the joint is at %v: must be at 1", level, got)
		}
		move(t, r, 0, physics.JointTarget{Mode: physics.JointFree})
		r.Run(1, check)
	}
}

// A motor with gains of its command acts with P·(position − q) + D·(velocity − q') + effort: at rest that is what the
// weight asks for, and without P the rod turns at the velocity, up to what the weight takes. The gains are those of a
// large humanoid's knee.
func TestMotorTakesGains(t *testing.T) {
	const length, p, d, effort = 0.3, 20, 5, 0.4
	weight := func(q float64) float64 { return 9.81 * length / 2 * math.Sin(q) }
	r := onMuJoCo.start(t, jointed(physics.ChassisDrive, turning("rod", -1, mgl64.Vec3{0, 0, 0.6}, length)))
	move(t, r, 0, physics.JointTarget{Mode: physics.JointGains, Value: 1, P: p, D: d, Effort: effort})
	r.Run(10)
	q := r.S.Joints[0].Position
	must.Near(t, "effort at rest, N m", p*(1-q)+effort, weight(q), 1e-4)
	must.Near(t, "effort in the state, N m", r.S.Joints[0].Effort, weight(q), 1e-4)
	move(t, r, 0, physics.JointTarget{Mode: physics.JointGains, Velocity: 2, D: 50})
	turned := 0
	r.Run(2, func() {
		if turned++; turned > 100 {
			must.Near(t, "velocity, rad/s", r.S.Joints[0].Velocity, 2, 1.5/50)
		}
	})
	for _, k := range jointEngines[:2] { // without forces of motors, or with stiff ones
		r := k.start(t, jointed(k.levels[0], turning("rod", -1, mgl64.Vec3{0, 0, 0.6}, length)))
		move(t, r, 0, physics.JointTarget{Mode: physics.JointGains, Value: 1, P: p})
		r.Run(2)
		must.Near(t, "position", r.S.Joints[0].Position, 1, 0.01)
	}
	must.Fail(t, r.MoveJoints(0, []int{0}, []physics.JointTarget{{Mode: physics.JointGains, P: math.NaN()}}),
		"stiffness NaN", "P")
}

// Joints keep their limits of position, speed and effort, and follow paths.
func TestJointsKeepTheirLimits(t *testing.T) {
	for _, k := range jointEngines {
		level := k.levels[0]
		rod := turning("rod", -1, mgl64.Vec3{0, 0, 0.6}, 0.3)
		rod.Lower, rod.Upper, rod.MaxSpeed = -0.5, 1.2, 0.7
		lift := turning("lift", -1, mgl64.Vec3{0.1, 0, 0.5}, 0.1)
		lift.Slides, lift.AxisB, lift.Lower, lift.Upper, lift.MaxEffort = true, mgl64.Vec3{0, 0, 1}, 0, 0.4, 15
		r := k.start(t, jointed(level, rod, lift))
		soft, over := 0.0, 1.001 // how far joints press into their stops, and exceed the speed that they want
		if k.engine == "mujoco" {
			soft, over = 5e-3, 1.2
		}
		var peaks [2]float64
		check := func() {
			for i := range peaks {
				j := &r.S.Joints[i]
				peaks[i] = max(peaks[i], math.Abs(j.Velocity))
				if k := []physics.Joint{rod, lift}[i]; !(j.Position >= k.Lower-soft && j.Position <= k.Upper+soft) {
					t.Fatalf("%s: joint %s is at %v: must lie in [%v, %v]", level, k.Name, j.Position, k.Lower, k.Upper)
				}
				if !(math.Abs(r.S.Joints[1].Effort) <= 15) {
					t.Fatalf("%s: the lift's motor acts with %v N: must be at most 15 N", level, r.S.Joints[1].Effort)
				}
			}
		}
		move(t, r, 0, physics.JointTarget{Mode: physics.JointVelocity, Value: 3})
		r.Run(3, check)
		if !(peaks[0] <= 0.7*over && peaks[0] >= 0.69) {
			t.Errorf("%s: the rod turned at %v rad/s: must reach its limit of 0.7", level, peaks[0])
		}
		if got := r.S.Joints[0].Position; !(math.Abs(got-1.2) <= 1e-3) {
			t.Errorf("%s: the rod is at %v: must be at its stop of 1.2", level, got)
		}
		move(t, r, 1, physics.JointTarget{Mode: physics.JointPath, Path: []physics.JointPoint{
			{At: time.Second, Position: 0.2, Velocity: 0.1}, {At: 2 * time.Second, Position: 0.3}}})
		r.Run(1, check)
		if got := r.S.Joints[1].Position; !(math.Abs(got-0.2) <= 2e-3) {
			t.Errorf("%s: the lift is at %v after a second: must be at 0.2", level, got)
		}
		r.Run(1.5, check)
		if got := r.S.Joints[1].Position; !(math.Abs(got-0.3) <= 1e-3) {
			t.Errorf("%s: the lift is at %v at the end of its path: must be at 0.3", level, got)
		}
		for _, refused := range []struct {
			joint int
			to    physics.JointTarget
			rule  string
		}{
			{0, physics.JointTarget{Mode: physics.JointPosition, Value: 2}, "position 2: must lie in [-0.5, 1.2]"},
			{0, physics.JointTarget{Mode: physics.JointVelocity, Value: math.NaN()}, "must lie in [-10000, 10000]"},
			{1, physics.JointTarget{Mode: physics.JointPath}, "0 points: must be 1 to 1000"},
			{1, physics.JointTarget{Mode: physics.JointPath, Path: []physics.JointPoint{{At: -1}}}, "not negative"},
		} {
			err := r.MoveJoints(0, []int{refused.joint}, []physics.JointTarget{refused.to})
			if err == nil || !strings.Contains(err.Error(), refused.rule) {
				t.Errorf("%s: %+v: got error %v: must contain %q", level, refused.to, err, refused.rule)
			}
		}
	}
}

// A path begins at its time, and its former path continues until then. Points that have passed are left out. Joints
// move evenly where a path asks for it. A path that is over, or from another clock, is refused.
func TestPathsBeginAtTheirTimes(t *testing.T) {
	for _, k := range jointEngines {
		level := k.levels[0]
		lift := physics.Joint{Name: "lift", Slides: true, Parent: -1, AxisB: mgl64.Vec3{0, 0, 1}, Lower: -1, Upper: 1,
			MaxSpeed: 5, MaxEffort: math.Inf(1), Mimics: -1, Wheel: -1, Mass: 1, CoMB: mgl64.Vec3{0, 0, 0.5},
			InertiaB: mgl64.Diag3(mgl64.Vec3{0.01, 0.01, 0.01})}
		r := k.start(t, jointed(level, lift))
		path := func(from time.Duration, points ...physics.JointPoint) physics.JointTarget {
			return physics.JointTarget{Mode: physics.JointPath, From: from, Path: points}
		}
		at := func(seconds, want, wantSpeed float64) {
			t.Helper()
			r.Run(seconds - r.S.Time.Seconds())
			got := r.S.Joints[0]
			if !(math.Abs(got.Position-want) <= 5e-3) || !(math.Abs(got.Velocity-wantSpeed) <= 0.02) {
				t.Errorf("%s: after %v s the lift is at %v m with %v m/s: must be at %v m with %v m/s", level, seconds,
					got.Position, got.Velocity, want, wantSpeed)
			}
		}
		move(t, r, 0, path(0, physics.JointPoint{At: 4 * time.Second, Position: 0.8, Even: true}))
		at(1, 0.2, 0.2)
		move(t, r, 0, path(3*time.Second, physics.JointPoint{At: 0}, // left out: the joint comes from elsewhere
			physics.JointPoint{At: time.Second, Position: 0.3, Even: true}))
		at(2, 0.4, 0.2)
		at(3, 0.6, 0.2)
		at(3.5, 0.45, -0.3)
		at(5, 0.3, 0)
		move(t, r, 0, path(4*time.Second, physics.JointPoint{At: time.Second, Position: -0.9}, // has passed
			physics.JointPoint{At: 3 * time.Second, Position: 0.5, Even: true}))
		at(6, 0.4, 0.1)
		move(t, r, 0, physics.JointTarget{Mode: physics.JointHold})
		at(7, 0.4, 0)
		move(t, r, 0, path(8*time.Second, physics.JointPoint{At: time.Second, Position: 0.5, Even: true}))
		at(7.9, 0.4, 0)
		at(8.5, 0.45, 0.1)
		for from, rule := range map[time.Duration]string{7 * time.Second: "a path that ends at 8s: must end after",
			1e6 * time.Second: "does the program use sim time?"} {
			err := r.MoveJoints(0, []int{0}, []physics.JointTarget{path(from, physics.JointPoint{At: time.Second})})
			must.Fail(t, err, rule, string(level)+" from "+from.String())
		}
		at(9.5, 0.5, 0)
	}
}

// A motor that is too weak for its load gives way; links that swing push their robot.
func TestLinksActOnTheirRobot(t *testing.T) {
	weak := turning("weak", -1, mgl64.Vec3{0, 0, 0.6}, 0.3)
	weak.MaxEffort, weak.Damping = 0.5, 0.2 // a third of what the rod needs to stay level
	r := kit{}.start(t, jointed(physics.WheelsDrive, weak))
	move(t, r, 0, physics.JointTarget{Mode: physics.JointPosition, Value: math.Pi / 2})
	r.Run(4)
	want := math.Asin(0.5 / (9.81 * 0.15))
	if got := r.S.Joints[0].Position; !(math.Abs(got-want) <= 0.05) {
		t.Errorf("the rod is at %v rad: must hang at %v, where its weight and the motor are equal", got, want)
	}
	boom := turning("boom", -1, mgl64.Vec3{0, 0, 0.5}, 0.8)
	boom.AxisB, boom.CoMB, boom.Mass = mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, 0, 0.1}, 25
	model := enginetest.Alone(physics.WheelsDrive, 0, 0, 0)
	model.Robots[0].Body.Height, model.Robots[0].Joints = 0.8, []physics.Joint{boom}
	r = kit{}.start(t, model)
	move(t, r, 0, physics.JointTarget{Mode: physics.JointPosition, Value: -math.Pi / 2, Speed: 1})
	r.Run(4)
	if tilt := r.Tilt(0); !(tilt > 0.2) {
		t.Errorf("with 25 kg ahead of its wheels the robot leans by %v rad: must fall over", tilt)
	}
}

// The state of joints is restored to the last bit.
func TestRestoredJointsContinue(t *testing.T) {
	for _, k := range jointEngines {
		level := k.levels[0]
		model := jointed(level, turning("upper", -1, mgl64.Vec3{0, 0, 0.7}, 0.3),
			turning("lower", 0, mgl64.Vec3{0, 0, 0.4}, 0.3))
		r := k.start(t, model)
		move(t, r, 0, physics.JointTarget{Mode: physics.JointPath, Path: []physics.JointPoint{
			{At: time.Second, Position: 1}, {At: 3 * time.Second, Position: -1}}})
		move(t, r, 1, physics.JointTarget{Mode: physics.JointFree})
		r.Run(0.7)
		saved := save(t, r)
		hashes := func(r *enginetest.Rig) (all []uint64) {
			r.Run(1.5, func() { all = append(all, r.S.Hash()) })
			return all
		}
		want := hashes(r)
		other := k.start(t, model)
		must.Do(t, restore(other, saved))
		if got := hashes(other); !slices.Equal(got, want) {
			t.Errorf("%s: a restored state continues otherwise", level)
		}
	}
}

// A robot of 23 joints.
func BenchmarkJoints(b *testing.B) {
	var joints []physics.Joint
	for i := range 23 {
		j := turning("joint", i-1, mgl64.Vec3{0, 0, 0.1}, 0.2)
		if i%8 == 0 {
			j.Parent = -1
		}
		j.Lower, j.Upper = -1, 1
		joints = append(joints, j)
	}
	kit{}.start(b, jointed(physics.WheelsDrive, joints...)).Benchmark(b)
}
