package ode

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// In free flight position and velocity are those of the closed form, at any speed (so with any number of sub-steps).
func TestFlightIsAParabola(t *testing.T) {
	for _, v := range []mgl64.Vec3{{}, {3, 1, 5}, {14, 0, 7}} {
		scene := testScene()
		start0 := mgl64.Vec3{-8, -1, 3}
		r := start(t, scene)
		r.PlaceBall(start0, spatial.Twist{Lin: v})
		r.run(0.6, func() {
			at := r.s.Time.Seconds()
			g := mgl64.Vec3{0, 0, -scene.Config.Gravity}
			wantPos := start0.Add(v.Mul(at)).Add(g.Mul(at * at / 2))
			wantVel := v.Add(g.Mul(at))
			if r.s.Ball.PosW.Sub(wantPos).Len() > 1e-9 || r.s.Ball.TwistInW.Lin.Sub(wantVel).Len() > 1e-9 {
				t.Fatalf("at %v s: %v moving %v, want %v moving %v", at, r.s.Ball.PosW, r.s.Ball.TwistInW.Lin, wantPos, wantVel)
			}
		})
	}
}

func TestBounceKeepsItsShareOfSpeed(t *testing.T) {
	for _, e := range []float64{0.4, 0.65, 0.85} {
		for _, drop := range []float64{0.5, 1, 2} {
			scene := testScene()
			scene.Ball.Restitution, scene.Ball.Z = e, drop
			r := start(t, scene)
			apex, bounced := 0.0, false
			r.run(1.5, func() {
				if r.s.Ball.TwistInW.Lin[2] > 0.2 {
					bounced = true
				}
				if bounced && apex >= 0 {
					apex = math.Max(apex, r.s.Ball.PosW[2]-scene.Ball.Radius)
				}
			})
			// The impact is noticed up to one step late: v·dt = 3 cm lower and so much faster.
			near(t, "share of speed", math.Sqrt(apex/drop), e, 0.02)
		}
	}
}

func TestRollingBallSlowsDownAsTold(t *testing.T) {
	for _, radius := range []float64{0.11, 0.05} {
		for _, decel := range []float64{0.2, 0.35, 0.8} {
			for _, dir := range []float64{0, 0.4, math.Pi / 4} {
				scene := testScene()
				scene.Ball.Radius, scene.Ball.RollingDecel = radius, decel
				r := start(t, scene)
				from, along, v := mgl64.Vec3{-6, -4, radius}, mgl64.Vec3{math.Cos(dir), math.Sin(dir), 0}, 2.0
				r.PlaceBall(from, spatial.Twist{Lin: along.Mul(v), Ang: mgl64.Vec3{-along[1], along[0], 0}.Mul(v / radius)})
				r.run(2)
				near(t, "deceleration", (v-r.s.Ball.TwistInW.Lin.Dot(along))/2, decel, 0.02*decel)
				r.run(v/decel - 2 + 0.5)
				want := from.Add(along.Mul(v * v / (2 * decel)))
				near(t, "distance from where it should stop", r.s.Ball.PosW.Sub(want).Len(), 0, 0.02*v*v/(2*decel))
				near(t, "speed at the end", r.s.Ball.TwistInW.Lin.Len(), 0, 1e-3)
			}
		}
	}
}

// A sliding hollow ball rolls at 3/5 of its speed: momentum about the contact point stays.
func TestSlidingBallStartsToRoll(t *testing.T) {
	scene := testScene()
	scene.Ball.RollingDecel = 0
	r := start(t, scene)
	r.PlaceBall(mgl64.Vec3{-6, 3, scene.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{2.4, -1.8, 0}})
	r.run(1)
	near(t, "vx", r.s.Ball.TwistInW.Lin[0], 0.6*2.4, 0.01)
	near(t, "vy", r.s.Ball.TwistInW.Lin[1], -0.6*1.8, 0.01)
	near(t, "slip", r.s.Ball.TwistInW.PointVelocity(mgl64.Vec3{0, 0, -scene.Ball.Radius}).Len(), 0, 1e-3)
}

// Shots at everything that stands, and at a robot: the ball never gets behind boards, net or hull.
func TestNothingTunnels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	scene := testScene()
	scene.Robots = append(scene.Robots, testRobot(levels[0], 3, 0, 0))
	r := start(t, scene)
	f := &scene.Field
	inside := func() {
		p := r.s.Ball.PosW
		if math.Abs(p[0]) > f.Length/2+f.Border || math.Abs(p[1]) > f.Width/2+f.Border {
			t.Fatalf("behind the boards: %v", p)
		}
	}
	for range 60 { // at the boards
		speed, dir := 6+24*rnd.Float64(), 2*math.Pi*rnd.Float64()
		r.PlaceBall(mgl64.Vec3{-7 + 14*rnd.Float64(), -5 + 10*rnd.Float64(), 0.11},
			spatial.Twist{Lin: mgl64.Vec3{speed * math.Cos(dir), speed * math.Sin(dir), 0}})
		r.run(0.3, inside)
	}
	for range 60 { // into the goal: it stays there
		from := mgl64.Vec3{7.5, -1 + 2*rnd.Float64(), 0.2 + 0.5*rnd.Float64()}
		to := mgl64.Vec3{9.1, -0.8 + 1.6*rnd.Float64(), 0.2 + 0.6*rnd.Float64()}
		v := to.Sub(from).Normalize().Mul(12 + 8*rnd.Float64())
		r.PlaceBall(from, spatial.Twist{Lin: v})
		been := false
		r.run(0.3, func() {
			g := f.Goals()[1]
			been = been || f.InGoal(g, r.s.Ball.PosW, 0)
			if p := r.s.Ball.PosW; p[0] > g.X+f.GoalDepth {
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
		r.PlaceRobot(0, scene.Robots[0].Pose, spatial.Twist{})
		r.PlaceBall(from, spatial.Twist{Lin: mgl64.Vec3{speed, 0, 0}})
		r.run(0.3, func() {
			if r.s.Ball.PosW[0] > target[0]+0.1 && math.Abs(r.s.Ball.PosW[1]-target[1]) < 0.15 {
				t.Fatalf("through what stands at %v: %v", target, r.s.Ball.PosW)
			}
		})
	}
}

// Flying, so that the floor has no say.
func TestBoardsThrowBackAndNetsCatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		from mgl64.Vec3
		want float64
	}{{"boards", mgl64.Vec3{10, 3, 0.3}, 0.65}, {"net", mgl64.Vec3{9.2, 0, 0.4}, netBounce}} {
		for _, v := range []float64{3, 6, 9.5, 13} {
			scene := testScene()
			scene.Config.Gravity = 0
			r := start(t, scene)
			r.PlaceBall(tt.from, spatial.Twist{Lin: mgl64.Vec3{v, 0, 0}})
			r.run(0.3)
			near(t, tt.name, -r.s.Ball.TwistInW.Lin[0], math.Max(tt.want*v, 0.3), 0.01)
		}
	}
}

func TestBoardsEndAtTheirHeightForTheBall(t *testing.T) {
	r := start(t, testScene())
	r.PlaceBall(mgl64.Vec3{0, 6.5, 0.7}, spatial.Twist{Lin: mgl64.Vec3{0, 12, 2}})
	r.run(0.5)
	if y := r.s.Ball.PosW[1]; y < 9.5 {
		t.Errorf("y = %v: the ball did not leave", y)
	}
}

func TestNoBallRestsOnARobot(t *testing.T) {
	scene := testScene()
	scene.Robots = append(scene.Robots, testRobot(levels[1], 0, 0, 0))
	r := start(t, scene)
	r.PlaceBall(mgl64.Vec3{0.02, 0.01, 1.2}, spatial.Twist{})
	r.run(5)
	near(t, "height", r.s.Ball.PosW[2], scene.Ball.Radius, 1e-3)
}

func TestABallPlacedInARobotComesOut(t *testing.T) {
	scene := testScene()
	scene.Ball.X, scene.Ball.Y = 0, 0
	scene.Robots = append(scene.Robots, testRobot(levels[0], 0, 0, 0))
	r := start(t, scene)
	fastest := 0.0
	r.run(2, func() { fastest = math.Max(fastest, r.s.Ball.TwistInW.Lin.Len()) })
	if d := r.s.Ball.PosW.Sub(r.s.Robots[0].PoseWB.Pos).Len(); d < 0.35 || fastest > 0.5 {
		t.Errorf("%v m away, at up to %v m/s", d, fastest)
	}
}
