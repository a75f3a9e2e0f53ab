package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// walkers returns a model of n robots at level walk, in rows 1 m apart.
func walkers(name string, n int) *physics.Model {
	model := humanoids(n)
	model.Config.Engine = name
	for i := range model.Robots {
		w := &physics.Walk{}
		w.SetDefaults()
		w.Crouch, w.Sway.Roll, w.Sway.Pitch, w.Sway.Height = 0.02, 0.05, 0.02, 0.004
		w.Errors.Delay = 20e6
		d := physics.LegsDrive()
		d.Level, d.Walk, d.MaxSpeed, d.MaxOmega, d.MaxAccel, d.MaxAlpha = physics.WalkDrive, w, 0.3, 1, 0.5, 3
		model.Robots[i].Drive = d
	}
	return model
}

// eachEngine runs a test on every engine with robots at level walk.
func eachEngine(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range []string{"planar", "ode", "mujoco"} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

func startWalk(t testing.TB, model *physics.Model) *enginetest.Rig {
	t.Helper()
	r := enginetest.Start(t, engine.New, model)
	r.Run(1) // to the posture of the gait
	return r
}

// The robot walks at its share of the commanded velocity, and its soles stay on the floor.
func TestWalkFollowsCommands(t *testing.T) {
	eachEngine(t, func(t *testing.T, name string) {
		model := walkers(name, 1)
		e := &model.Robots[0].Drive.Walk.Errors
		e.Forward, e.Sideways, e.Turn = 0.8, 0.7, 0.6
		for _, tt := range []struct{ command, want physics.PlanarTwist }{
			{physics.PlanarTwist{VX: 0.2}, physics.PlanarTwist{VX: 0.16}},
			{physics.PlanarTwist{VX: -0.2}, physics.PlanarTwist{VX: -0.2}},
			{physics.PlanarTwist{VY: 0.1}, physics.PlanarTwist{VY: 0.07}},
			{physics.PlanarTwist{Omega: 0.5}, physics.PlanarTwist{Omega: 0.3}},
		} {
			r := startWalk(t, model)
			r.Commands[0].TwistB = tt.command
			r.Run(2)
			from, turned := r.S.Robots[0].PoseWB, 0.0
			sway, low, high := [2]float64{math.Inf(1), math.Inf(-1)}, math.Inf(1), math.Inf(-1)
			const periods, frequency = 5, 1.7
			seconds := periods / frequency
			r.Run(seconds, func() {
				s := &r.S.Robots[0]
				turned += s.TwistWBInW.Ang[2] * enginetest.StepTime.Seconds()
				sole := lowest(&model.Robots[0], s.PoseWB, r.S.Joints)
				low, high = min(low, sole), max(high, sole)
				y := from.Inverse().Apply(s.PoseWB.Pos)[1]
				sway[0], sway[1] = min(sway[0], y), max(sway[1], y)
			})
			seconds = math.Round(seconds/0.005) * 0.005
			moved := from.Inverse().Apply(r.S.Robots[0].PoseWB.Pos).Mul(1 / seconds)
			if tt.command.Omega == 0 {
				must.Near(t, "vx", moved[0], tt.want.VX, 0.005)
				must.Near(t, "vy", moved[1], tt.want.VY, 0.005)
			}
			must.Near(t, "turn rate", turned/seconds, tt.want.Omega, 0.01)
			must.Near(t, "lowest point of the soles", low, 0, 1e-3)
			must.Near(t, "highest point of the lowest sole", high, 0, 1e-3)
			if tt.command.VX != 0 && !(sway[1]-sway[0] > 0.02 && sway[1]-sway[0] < 0.1) {
				t.Errorf("sways by %v m", sway[1]-sway[0])
			}
		}
	})
}

// lowest returns the height of a robot's lowest point: the corner of a box.
func lowest(r *physics.Robot, poseWB spatial.Pose, joints []physics.JointState) float64 {
	least := math.Inf(1)
	check := func(moved spatial.Pose, shapes []physics.Shape) {
		for _, s := range shapes {
			for c := range 8 {
				corner := s.Half
				for k := range corner {
					if c>>k&1 == 1 {
						corner[k] = -corner[k]
					}
				}
				least = min(least, poseWB.Mul(moved).Mul(s.PoseB).Apply(corner)[2])
			}
		}
	}
	check(spatial.Identity(), r.Trunk.Shapes)
	for k := range r.Joints {
		check(r.Moved(k, joints), r.Joints[k].Shapes)
	}
	return least
}

// A push throws the robot down in its direction. It lies on the floor within a second, does not move, and gets up.
func TestWalkFallsAndGetsUp(t *testing.T) {
	eachEngine(t, func(t *testing.T, name string) {
		for _, push := range []mgl64.Vec3{{1, 0.2, 0}, {-1, 0, 0}, {0.1, 1, 0}, {0, -1, 0}} {
			model := walkers(name, 1)
			r := startWalk(t, model)
			r.Commands[0].TwistB.VX = 0.2
			r.Push(0, push.Mul(0.2*4), mgl64.Vec3{})
			r.Run(2)
			if tilt := r.Tilt(0); !(tilt < 0.2) {
				t.Fatalf("leans by %v rad after a small push", tilt)
			}
			r.Push(0, push.Mul(0.5*4), mgl64.Vec3{})
			least := math.Inf(1)
			touches := func() { least = min(least, lowest(&model.Robots[0], r.S.Robots[0].PoseWB, r.S.Joints)) }
			r.Run(1, touches)
			up := r.S.Robots[0].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})
			if !(up.Dot(push.Normalize()) > 0.8 && r.Tilt(0) > 1) {
				t.Errorf("push %v: the trunk points to %v", push, up)
			}
			must.Equal(t, r.S.Robots[0].Motion, physics.Fallen, "motion state while lying")
			lies := r.S.Robots[0].PoseWB
			r.Run(0.5, touches)
			must.Near(t, "way while lying", r.S.Robots[0].PoseWB.Pos.Sub(lies.Pos).Len(), 0, 0.03)
			r.Run(3.5, touches)
			must.Near(t, "lowest point", least, 0, 0.006) // legs move by up to 6 mm in a step
			must.Near(t, "tilt after getting up", r.Tilt(0), 0, 0.2)
			must.Equal(t, r.S.Robots[0].Motion, physics.Walking, "motion state after getting up")
			from := r.S.Robots[0].PoseWB
			r.Run(2)
			if way := from.Inverse().Apply(r.S.Robots[0].PoseWB.Pos)[0]; !(way > 0.2) {
				t.Errorf("walks %v m after getting up", way)
			}
		}
	})
}

// A standing robot that is pushed a little stays where it is.
func TestWalkStandsAgainstAPush(t *testing.T) {
	eachEngine(t, func(t *testing.T, name string) {
		r := startWalk(t, walkers(name, 1))
		from := r.S.Robots[0].PoseWB.Pos
		r.Push(0, mgl64.Vec3{0.2 * 4, 0, 0}, mgl64.Vec3{})
		r.Run(2)
		must.Near(t, "way, m", r.S.Robots[0].PoseWB.Pos.Sub(from).Len(), 0, 0.01)
		must.Near(t, "tilt, rad", r.Tilt(0), 0, 0.01)
	})
}

// The steps' errors and falls have the given statistics, differ between robots, and come again.
func TestWalkErrorsHaveTheirStatistics(t *testing.T) {
	const robots, seeds = 40, 3
	run := func(seed uint64) *physics.Snapshot {
		model := walkers("planar", robots)
		model.Seed = seed
		for i := range model.Robots {
			r := &model.Robots[i]
			r.Name, r.Pose = string(rune('0'+i)), spatial.Planar(float64(i/10)*4-8, float64(i%10)*1.2-5.4, 0)
			r.Drive.Walk.Errors.Slip = 0.01
			r.Drive.Walk.Fall.PerStep, r.Drive.Walk.Fall.Lie = 0.02, 600e9
		}
		r := startWalk(t, model)
		for i := range r.Commands {
			r.Commands[i].TwistB.VX = 0.3
		}
		r.Run(10)
		return &r.S
	}
	fallen, standing, squares := 0.0, 0.0, 0.0
	for seed := range uint64(seeds) {
		s := run(seed)
		for i := range s.Robots {
			p := &s.Robots[i].PoseWB
			if !physics.Upright(p) {
				fallen++
				continue
			}
			side := p.Pos[1] - (float64(i%10)*1.2 - 5.4)
			squares, standing = squares+side*side, standing+1
		}
	}
	// About 32 steps: a robot still stands with a probability of 0.98^32, and its deviation has a variance of 32 steps
	// and that of the sway. The tolerances are three standard deviations.
	const n, steps = robots * seeds, 32
	still := math.Pow(0.98, steps)
	must.Near(t, "share that stands", standing/n, still, 3*math.Sqrt(still*(1-still)/n)+0.02)
	must.Near(t, "deviation to a side", math.Sqrt(squares/standing), math.Hypot(0.01*math.Sqrt(steps), 0.015),
		3*0.06/math.Sqrt(2*standing))
	must.Equal(t, run(1).Hash(), run(1).Hash(), "state of a second run")
}

// A restored state continues with the same bits: walking, falling, lying and getting up.
func TestWalkIsInKeyFrames(t *testing.T) {
	eachEngine(t, func(t *testing.T, name string) {
		model := walkers(name, 2)
		for i := range model.Robots {
			model.Robots[i].Drive.Walk.Errors.Slip = 0.01
		}
		r := startWalk(t, model)
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.Omega = 0.2, 0.4
		r.Run(1)
		r.Push(0, mgl64.Vec3{0, 3, 0}, mgl64.Vec3{})
		for part := range 6 {
			r.Run(0.9)
			save := keyframe.Append(nil)
			must.Do(t, r.Engine.(physics.Keeper).Exchange(save))
			other := enginetest.Start(t, engine.New, model)
			copy(other.Commands, r.Commands)
			must.Do(t, other.Engine.(physics.Keeper).Exchange(keyframe.Restore(save.Data())))
			other.Run(0.3)
			want := r.S.Clone()
			r.Run(0.3)
			if r.S.Hash() == want.Hash() {
				t.Fatal("nothing moves")
			}
			must.Equal(t, other.S.Hash(), r.S.Hash(), "state after a restart")
			_ = part
		}
	})
}

// Velocity and acceleration are the derivatives of the pose, so that cameras and IMUs sense the sway.
func TestWalkMotionIsConsistent(t *testing.T) {
	r := startWalk(t, walkers("planar", 1))
	r.Commands[0].TwistB = physics.PlanarTwist{VX: 0.2, Omega: 0.3}
	before, dt := r.S.Clone(), enginetest.StepTime.Seconds()
	r.Run(3, func() {
		now, was := &r.S.Robots[0], &before.Robots[0]
		v := now.PoseWB.Pos.Sub(was.PoseWB.Pos).Mul(1 / dt)
		must.Near(t, "velocity", v.Sub(now.TwistWBInW.Lin).Len(), 0, 0.01)
		a := now.TwistWBInW.Lin.Sub(was.TwistWBInW.Lin).Mul(1 / dt)
		must.Near(t, "acceleration", a.Sub(now.AccelWBInW).Len(), 0, 1e-9)
		before = r.S.Clone()
	})
}

func TestWalkAllocatesNothing(t *testing.T) {
	r := startWalk(t, walkers("planar", 8))
	for i := range r.Commands {
		r.Commands[i].TwistB.VX = 0.2
	}
	must.Equal(t, testing.AllocsPerRun(200, r.Step), 0, "allocations per step")
}

// BenchmarkWalk times a step of eight robots at level walk, and a ball.
func BenchmarkWalk(b *testing.B) {
	r := startWalk(b, walkers("planar", 8))
	for i := range r.Commands {
		r.Commands[i].TwistB = physics.PlanarTwist{VX: 0.1, Omega: 0.3}
	}
	r.Benchmark(b)
}
