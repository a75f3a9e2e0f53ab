package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// In free flight, position and velocity follow the closed form at any speed, and so with any number of substeps.
func (k kit) flightIsAParabola(t *testing.T) {
	for _, v := range []mgl64.Vec3{{}, {3, 1, 5}, {14, 0, 7}} {
		model := enginetest.Model()
		start0 := mgl64.Vec3{-8, -1, 3}
		r := k.start(t, model)
		r.Put(start0, spatial.Twist{Lin: v})
		r.Run(0.6, func() {
			at := r.S.Time.Seconds()
			g := mgl64.Vec3{0, 0, -model.Config.Gravity}
			wantPos := start0.Add(v.Mul(at)).Add(g.Mul(at * at / 2))
			wantVel := v.Add(g.Mul(at))
			if !(r.S.Ball.PosW.Sub(wantPos).Len() <= 1e-9) || !(r.S.Ball.TwistInW.Lin.Sub(wantVel).Len() <= 1e-9) {
				t.Fatalf("at %v s: %v moving %v, want %v moving %v", at, r.S.Ball.PosW, r.S.Ball.TwistInW.Lin, wantPos,
					wantVel)
			}
		})
	}
}

func (k kit) bounceKeepsItsShareOfSpeed(t *testing.T) {
	for _, e := range []float64{0.4, 0.65, 0.85} {
		for _, drop := range []float64{0.5, 1, 2} {
			model := enginetest.Model()
			model.Config.Contacts.BallCarpet.Restitution, model.Ball.Z = e, drop
			r := k.start(t, model)
			apex, bounced := 0.0, false
			r.Run(1.5, func() {
				if r.S.Ball.TwistInW.Lin[2] > 0.2 {
					bounced = true
				}
				if bounced {
					apex = math.Max(apex, r.S.Ball.PosW[2]-model.Ball.Radius)
				}
			})
			// The impact may be detected up to one step late: v·dt = 3 cm lower.
			must.Near(t, "share of speed", math.Sqrt(apex/drop), e, 0.02)
		}
	}
}

func (k kit) rollingBallSlowsDownAsTold(t *testing.T) {
	for _, radius := range []float64{0.11, 0.05} {
		for _, decel := range []float64{0.2, 0.35, 0.8} {
			for _, dir := range []float64{0, 0.4, math.Pi / 4} {
				model := enginetest.Model()
				model.Ball.Radius, model.Ball.RollingDecel = radius, decel
				r := k.start(t, model)
				from, along, v := mgl64.Vec3{-6, -4, radius}, mgl64.Vec3{math.Cos(dir), math.Sin(dir), 0}, 2.0
				r.Put(from, spatial.Twist{Lin: along.Mul(v), Ang: mgl64.Vec3{-along[1], along[0], 0}.Mul(v / radius)})
				r.Run(2)
				must.Near(t, "deceleration", (v-r.S.Ball.TwistInW.Lin.Dot(along))/2, decel, 0.02*decel)
				r.Run(v/decel - 2 + 0.5)
				want := from.Add(along.Mul(v * v / (2 * decel)))
				must.Near(t, "distance from where it should stop", r.S.Ball.PosW.Sub(want).Len(), 0,
					0.02*v*v/(2*decel))
				must.Near(t, "speed at the end", r.S.Ball.TwistInW.Lin.Len(), 0, 1e-3)
			}
		}
	}
}

// A sliding hollow ball ends up rolling at 3/5 of its speed, because angular momentum about the contact point is
// conserved.
func (k kit) slidingBallStartsToRoll(t *testing.T) {
	model := enginetest.Model()
	model.Ball.RollingDecel = 0
	r := k.start(t, model)
	r.Put(mgl64.Vec3{-6, 3, model.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{2.4, -1.8, 0}})
	r.Run(1)
	must.Near(t, "vx", r.S.Ball.TwistInW.Lin[0], 0.6*2.4, 0.01)
	must.Near(t, "vy", r.S.Ball.TwistInW.Lin[1], -0.6*1.8, 0.01)
	must.Near(t, "slip", r.S.Ball.TwistInW.PointVelocity(mgl64.Vec3{0, 0, -model.Ball.Radius}).Len(), 0, 1e-3)
}

// The ball never gets behind boards, net or hull.
func (k kit) nothingTunnels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	model := enginetest.Model()
	model.Robots = append(model.Robots, enginetest.Robot(k.levels[0], 3, 0, 0))
	r := k.start(t, model)
	f := &model.Field
	inside := func() {
		p := r.S.Ball.PosW
		if !(math.Abs(p[0]) <= f.Length/2+f.Border) || !(math.Abs(p[1]) <= f.Width/2+f.Border) {
			t.Fatalf("behind the boards: %v", p)
		}
	}
	for range 60 { // at the boards
		speed, dir := 6+24*rnd.Float64(), 2*math.Pi*rnd.Float64()
		r.Put(mgl64.Vec3{-7 + 14*rnd.Float64(), -5 + 10*rnd.Float64(), 0.11},
			spatial.Twist{Lin: mgl64.Vec3{speed * math.Cos(dir), speed * math.Sin(dir), 0}})
		r.Run(0.3, inside)
	}
	for range 60 { // into the goal, where it stays
		from := mgl64.Vec3{7.5, -1 + 2*rnd.Float64(), 0.2 + 0.5*rnd.Float64()}
		to := mgl64.Vec3{9.1, -0.8 + 1.6*rnd.Float64(), 0.2 + 0.6*rnd.Float64()}
		v := to.Sub(from).Normalize().Mul(12 + 8*rnd.Float64())
		r.Put(from, spatial.Twist{Lin: v})
		been := false
		r.Run(0.3, func() {
			g := f.Goals()[1]
			been = been || f.InGoal(g, r.S.Ball.PosW, 0)
			if p := r.S.Ball.PosW; !(p[0] <= g.X+f.GoalDepth) {
				t.Fatalf("through the net: %v, shot %v from %v", p, v, from)
			}
		})
		if !been {
			t.Fatalf("shot %v from %v missed", v, from)
		}
	}
	for range 60 { // at a post or the robot, which throw it back
		target, half := mgl64.Vec3{9.05, 1.0625, 0.11}, 0.05
		if rnd.IntN(2) == 0 {
			target, half = mgl64.Vec3{3, 0, 0.11}, 0.15
		}
		speed := 12 + 8*rnd.Float64()
		from := target.Add(mgl64.Vec3{-1.5 - rnd.Float64(), half * (2*rnd.Float64() - 1), 0})
		r.Place(0, model.Robots[0].Pose)
		r.Put(from, spatial.Twist{Lin: mgl64.Vec3{speed, 0, 0}})
		r.Run(0.3, func() {
			if !(r.S.Ball.PosW[0] <= target[0]+0.1) && !(math.Abs(r.S.Ball.PosW[1]-target[1]) >= 0.15) {
				t.Fatalf("through what stands at %v: %v", target, r.S.Ball.PosW)
			}
		})
	}
}

// The ball flies, so the floor has no influence.
func (k kit) boardsThrowBackAndNetsCatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		from mgl64.Vec3
		want float64
	}{{"boards", mgl64.Vec3{10, 3, 0.3}, 0.65}, {"net", mgl64.Vec3{9.2, 0, 0.4}, 0.05}} {
		for _, v := range []float64{3, 6, 9.5, 13} {
			model := enginetest.Model()
			model.Config.Gravity = 0
			r := k.start(t, model)
			r.Put(tt.from, spatial.Twist{Lin: mgl64.Vec3{v, 0, 0}})
			r.Run(0.3)
			must.Near(t, tt.name, -r.S.Ball.TwistInW.Lin[0], tt.want*v, 1e-9)
		}
	}
}

func (k kit) boardsEndAtTheirHeightForTheBall(t *testing.T) {
	r := k.start(t, enginetest.Model())
	r.Put(mgl64.Vec3{0, 6.5, 0.7}, spatial.Twist{Lin: mgl64.Vec3{0, 12, 2}})
	r.Run(0.5)
	if y := r.S.Ball.PosW[1]; !(y >= 9.5) {
		t.Errorf("y = %v: the ball did not leave", y)
	}
}

func (k kit) noBallRestsOnARobot(t *testing.T) {
	model := enginetest.Model()
	model.Robots = append(model.Robots, enginetest.Robot(k.levels[len(k.levels)-1], 0, 0, 0))
	r := k.start(t, model)
	r.Put(mgl64.Vec3{0.02, 0.01, 1.2}, spatial.Twist{})
	r.Run(5)
	must.Near(t, "height", r.S.Ball.PosW[2], model.Ball.Radius, 1e-3)
}

func (k kit) aBallPlacedInARobotComesOut(t *testing.T) {
	model := enginetest.Model()
	model.Ball.X, model.Ball.Y = 0, 0
	model.Robots = append(model.Robots, enginetest.Robot(k.levels[0], 0, 0, 0))
	r := k.start(t, model)
	fastest := 0.0
	r.Run(2, func() { fastest = math.Max(fastest, r.S.Ball.TwistInW.Lin.Len()) })
	if d := r.S.Ball.PosW.Sub(r.S.Robots[0].PoseWB.Pos).Len(); !(d >= 0.35) || !(fastest <= 0.5) {
		t.Errorf("%v m away, at up to %v m/s", d, fastest)
	}
}
