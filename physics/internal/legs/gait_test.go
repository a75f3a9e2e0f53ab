package legs

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// walker returns a robot with legs that has a walk.
func walker() *physics.Robot {
	r := enginetest.Humanoid(0, 0, 0)
	r.Drive.MaxSpeed, r.Drive.MaxOmega, r.Drive.MaxAccel, r.Drive.MaxAlpha = 0.3, 1, 0.5, 2
	r.Drive.Walk = &physics.Walk{}
	r.Drive.Walk.SetDefaults()
	r.Drive.Walk.Crouch = 0.01
	return &r
}

// pitchFirst changes the order of the hips' joints to pitch, roll and yaw, and turns the axis of each knee.
func pitchFirst(r *physics.Robot) {
	for i := range r.Joints {
		if j := &r.Joints[i]; j.AxisB[2] == 1 && j.Parent < 0 && j.PointB[1] != 0 {
			pitch := &r.Joints[i+2]
			j.AxisB, pitch.AxisB = pitch.AxisB, j.AxisB
			j.Start, pitch.Start = pitch.Start, j.Start
			knee := &r.Joints[i+3]
			knee.AxisB, knee.Start = knee.AxisB.Mul(-1), -knee.Start
			knee.Zero = 0
		}
	}
}

// offAxes moves axes of the legs apart, about as far as those of a Booster T1.
func offAxes(r *physics.Robot) {
	pitchFirst(r)
	for i := range r.Joints {
		if j := &r.Joints[i]; j.AxisB[1] == 1 && j.Parent < 0 && j.PointB[2] < 0.4 {
			roll, yaw, ankle := &r.Joints[i+1], &r.Joints[i+2], &r.Joints[i+5]
			roll.PointB = roll.PointB.Sub(mgl64.Vec3{0, 0, 0.02})
			yaw.PointB = yaw.PointB.Add(mgl64.Vec3{0.005, 0.003, 0})
			ankle.PointB = ankle.PointB.Add(mgl64.Vec3{0, 0.001, -0.012})
		}
	}
}

// The inverse kinematics is that of the tree of joints, for both orders of the hip, and for axes that do not meet.
func TestPositionsReachTheSole(t *testing.T) {
	for i, change := range []func(*physics.Robot){func(*physics.Robot) {}, pitchFirst, offAxes} {
		r := walker()
		change(r)
		g := must.Get(New(r, 9.81))(t)
		must.Equal(t, g.legs[0].meet, i < 2, "axes meet")
		rng := rand.New(rand.NewPCG(1, 2))
		even := func(most float64) float64 { return most * (2*rng.Float64() - 1) }
		states := make([]physics.JointState, len(r.Joints))
		for range 200 {
			for side := range g.legs {
				l := &g.legs[side]
				want := spatial.Pose{Pos: l.sole.Add(mgl64.Vec3{even(0.05), even(0.05), 0.05 + even(0.02)}),
					Rot: mgl64.AnglesToQuat(even(0.5), even(0.3), even(0.3), mgl64.ZYX)}
				var q [LegJoints]float64
				l.positions(want, q[:])
				for i, k := range l.joint {
					states[k].Position = q[i]
				}
				last := l.joint[LegJoints-1]
				moved := r.Moved(last, states)
				got := spatial.Pose{Pos: moved.Apply(l.sole), Rot: moved.Rot}
				must.Near(t, "distance", got.Pos.Sub(want.Pos).Len(), 0, 1e-9)
				v := mgl64.Vec3{1, 2, 3}
				must.Near(t, "turn", got.Unrotate(want.Rotate(v)).Sub(v).Len(), 0, 1e-9)
			}
		}
	}
}

// Feet that support stay where they are on the floor, while R moves at the wanted velocity. At the end they stand side
// by side.
func TestFeetDoNotSlip(t *testing.T) {
	g := must.Get(New(walker(), 9.81))(t)
	const dt = 0.002
	for _, wanted := range []physics.PlanarTwist{{VX: 0.25}, {VX: -0.2}, {VY: 0.2}, {Omega: 0.8},
		{VX: 0.15, VY: -0.1, Omega: 0.3}} {
		s, most := g.Standing(), wanted
		poseWR := spatial.Identity()
		onFloor := func(side int) mgl64.Vec3 { return poseWR.Apply(mgl64.Vec3{s.Feet[side].X, s.Feet[side].Y, 0}) }
		steps, nearest := 0, math.Inf(1)
		for k := range 8000 {
			if k == 6000 {
				wanted = physics.PlanarTwist{}
			}
			before := [2]mgl64.Vec3{onFloor(0), onFloor(1)}
			wasUp := g.rise(&s, 0) > 0
			g.Advance(&s, wanted, dt)
			poseWR = poseWR.Mul(spatial.Planar(s.Twist.VX*dt, s.Twist.VY*dt, s.Twist.Omega*dt))
			for side := range 2 {
				slip := onFloor(side).Sub(before[side]).Len()
				if g.rise(&s, side) == 0 {
					must.Near(t, "slip", slip, 0, 2e-3*dt/0.002)
				}
			}
			if !wasUp && g.rise(&s, 0) > 0 {
				steps++
			}
			nearest = min(nearest, s.Feet[0].Y-s.Feet[1].Y)
			if k == 5999 {
				must.Equal(t, s.Twist, wanted, "velocity")
			}
		}
		must.Equal(t, s.Mode, Standing, "mode")
		must.Near(t, "double steps", float64(steps), 12*1.7, 3)
		must.Near(t, "feet side by side", s.Feet[0].X-s.Feet[1].X, 0, 1e-6)
		must.Near(t, "turn of the feet", s.Feet[0].Yaw-s.Feet[1].Yaw, 0, 1e-6)
		if !(nearest > 2*g.halfDist-0.02) {
			t.Errorf("%+v: the feet come as close as %.3f m: must keep apart by about %.3f m", most, nearest, 2*g.halfDist)
		}
	}
}

// The sway is the motion of the linear inverted pendulum: its acceleration is that of gravity times the distance from
// the centre of pressure, over the height.
func TestSwayIsThatOfThePendulum(t *testing.T) {
	r := walker()
	r.Drive.Walk.DoubleSupport = 0.5
	g := must.Get(New(r, 9.81))(t)
	s := g.Standing()
	s.Mode = Walking
	y := func(phase float64) float64 { s.Phase = phase; return g.Trunk(&s).Pos[1] - g.posture.Pos[1] }
	const h = 1e-3
	rate := 2 * math.Pi * g.walk.Frequency
	for _, phase := range []float64{0, 0.4, math.Pi / 2, 2.9, 4, 3 * math.Pi / 2} {
		accel := (y(phase+h) - 2*y(phase) + y(phase-h)) / (h * h) * rate * rate
		at := y(phase) - accel*g.height/9.81
		must.Near(t, "centre of pressure", at, g.halfDist*g.pressure(phase), 0.06*g.halfDist)
	}
}

// The efforts hold the weight: their virtual work over any motion of the joints is that of the weight.
func TestEffortsHoldTheWeight(t *testing.T) {
	r := walker()
	g := must.Get(New(r, 9.81))(t)
	s := g.Standing()
	var to [2 * LegJoints]Target
	g.Targets(&s, to[:])
	states := make([]physics.JointState, len(r.Joints))
	for i := range states {
		states[i].Position = r.Joints[i].Rest()
	}
	energy := func() (e float64) { // of the whole robot, whose left sole stays
		for i, k := range g.joints {
			states[k].Position = to[i].Position
		}
		com, mass := CentreOfMass(r, states)
		l := &g.legs[0]
		return mass * 9.81 * (com[2] - r.Moved(l.joint[LegJoints-1], states).Apply(l.sole)[2])
	}
	// both knees bend together, as do both ankles and both hips: the soles stay level
	const h = 1e-5
	bend := func(by float64) {
		for side := range 2 {
			for i, share := range []float64{2: -1, 3: 2, 4: -1, 5: 0} {
				to[side*LegJoints+i].Position += by * share
			}
		}
	}
	work := 0.0
	for side := range 2 {
		for i, share := range []float64{2: -1, 3: 2, 4: -1, 5: 0} {
			work += to[side*LegJoints+i].Effort * share
		}
	}
	bend(h)
	high := energy()
	bend(-2 * h)
	must.Near(t, "work per bend, N m", work, (high-energy())/(2*h), 0.02)
}

// A restored state is the saved one.
func TestStateReturns(t *testing.T) {
	g := must.Get(New(walker(), 9.81))(t)
	s := g.Standing()
	for range 900 {
		g.Sense(&s, [2]float64{0.1, 0.2}, [2]float64{0.3, 0.4}, 0.002)
		g.Advance(&s, physics.PlanarTwist{VX: 0.2, VY: 0.1, Omega: 0.3}, 0.002)
	}
	c := keyframe.Append(nil)
	s.Exchange(c)
	var got State
	back := keyframe.Restore(c.Data())
	got.Exchange(back)
	must.Do(t, back.End())
	must.Equal(t, got, s, "state")
}

// A robot without two legs of six joints does not walk.
func TestGaitNeedsLegs(t *testing.T) {
	r := walker()
	r.Joints = r.Joints[:len(r.Joints)-1]
	_, err := New(r, 9.81)
	must.Fail(t, err, "has 1 legs with six joints")
}

// Axes that are so far apart that no correction helps are an error.
func TestGaitNeedsNearAxes(t *testing.T) {
	r := walker()
	for i := range r.Joints {
		if j := &r.Joints[i]; j.AxisB[0] == 1 && j.PointB[2] < 0.4 && j.PointB[2] > 0.2 {
			j.PointB[2] -= 1
		}
	}
	_, err := New(r, 9.81)
	must.Fail(t, err, "misses a step by")
}

// BenchmarkGait compares legs whose axes meet with those of others.
func BenchmarkGait(b *testing.B) {
	for name, change := range map[string]func(*physics.Robot){"meet": pitchFirst, "off": offAxes} {
		b.Run(name, func(b *testing.B) {
			r := walker()
			change(r)
			g := must.Get(New(r, 9.81))(b)
			s := g.Standing()
			var to [2 * LegJoints]Target
			for b.Loop() {
				g.Sense(&s, [2]float64{0.01, 0.02}, [2]float64{0.03, 0.04}, 0.005)
				g.Advance(&s, physics.PlanarTwist{VX: 0.2}, 0.005)
				g.Targets(&s, to[:])
			}
			b.ReportAllocs()
		})
	}
}
