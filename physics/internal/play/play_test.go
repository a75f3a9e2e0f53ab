package play

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The extension obeys the rules, whatever is asked for and when: out for at most one second, then in for at least four.
func TestFrameKeepsTheRules(t *testing.T) {
	var f physics.KeeperExtension
	f.SetDefaults()
	const dt = 0.005
	rapid.Check(t, func(t *rapid.T) {
		var timer extensionTimer
		out, in := 0.0, math.Inf(1)
		last := physics.NotExtended
		for range 30 {
			asked := physics.ExtensionState(rapid.IntRange(0, 3).Draw(t, "asked"))
			for range rapid.IntRange(1, 300).Draw(t, "steps") {
				now := timer.update(&f, asked, dt)
				switch {
				case now != physics.NotExtended && last == physics.NotExtended:
					if !(in >= f.Rest.Seconds()-1e-6) {
						t.Fatalf("out again after %v s", in)
					}
					out = dt
				case now != physics.NotExtended:
					if now != last {
						t.Fatalf("went from %v to %v without coming in", last, now)
					}
					out += dt
				case last != physics.NotExtended:
					in = dt
				default:
					in += dt
				}
				if !(out <= f.Hold.Seconds()+1e-6) {
					t.Fatalf("out for %v s", out)
				}
				last = now
			}
		}
	})
}

// still implements Bodies with bodies that do not move.
type still struct{ model *physics.Model }

func (still) Step([]Setpoint) error { return nil }
func (s still) Read(now *physics.Snapshot) {
	for i := range now.Robots {
		now.Robots[i].PoseWB, now.Robots[i].TwistWBInW = s.model.Robots[i].Pose, spatial.Twist{}
	}
}
func (still) PlaceRobot(int, spatial.Pose, spatial.Twist)    {}
func (still) PlaceObstacle(int, spatial.Pose, spatial.Twist) {}
func (still) Push(physics.BodyID, mgl64.Vec3, mgl64.Vec3)    {}
func (still) Exchange(*keyframe.Codec) error                 { return nil }
func (still) Close()                                         {}

func keeper() *physics.Model {
	s := &physics.Model{Config: physics.DefaultConfig(), Step: 5 * time.Millisecond, Ball: physics.DefaultBall()}
	s.Config.AirDensity = 0
	s.Field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, GoalWidth: 2, GoalHeight: 1,
		GoalDepth: 0.6, PostWidth: 0.125, WallHeight: 0.5}
	d := physics.Drive{Level: physics.ChassisDrive, WheelAngles: []float64{0.8, 2.4, 4, 5.5}, WheelDistance: 0.2,
		WheelRadius:   0.06,
		MaxWheelSpeed: 5, MaxWheelForce: 100, MaxSpeed: 5, MaxOmega: 6, MaxAccel: 4, MaxAlpha: 40}
	s.Robots = []physics.Robot{{Name: "keeper", Team: physics.Cyan, Pose: spatial.Planar(0, 0, 0), Drive: d,
		Body:      physics.Body{Radius: 0.25, Height: 0.8, Mass: 31, InertiaZ: 2.86, CoMZ: 0.2},
		Extension: &physics.KeeperExtension{}}}
	s.Robots[0].Extension.SetDefaults()
	return s
}

// The extension on a side stops a ball that passes the hull on this side, and no other ball.
func TestExtendedFrameStopsTheBall(t *testing.T) {
	for _, tt := range []struct {
		extend physics.ExtensionState
		y, z   float64
		stops  bool
	}{
		{physics.NotExtended, 0.40, 0.3, false},
		{physics.ExtendLeft, 0.40, 0.3, true},
		{physics.ExtendRight, 0.40, 0.3, false},
		{physics.ExtendRight, -0.40, 0.3, true},
		{physics.ExtendLeft, 0.50, 0.3, false},
		{physics.ExtendUp, 0, 0.95, true},
		{physics.NotExtended, 0, 0.95, false},
		{physics.ExtendUp, 0, 1.05, false},
	} {
		s := keeper()
		s.Config.Gravity = 0
		e := must.Get(New(s, still{s}))(t)
		must.Do(t, e.PlaceBall(mgl64.Vec3{1, tt.y, tt.z}, spatial.Twist{Lin: mgl64.Vec3{-8, 0, 0}}))
		var now physics.Snapshot
		for range 60 {
			must.Do(t, e.Step([]physics.Command{{Extend: tt.extend}}))
		}
		if e.Snapshot(&now); (now.Ball.PosW[0] > -0.2) != tt.stops {
			t.Errorf("extension %d, ball at y %v z %v: ends at x = %v, stopped should be %v", tt.extend, tt.y, tt.z,
				now.Ball.PosW[0], tt.stops)
		}
	}
}

// With a reach, a kick moves a ball that no robot holds, even with the dribbler off. Beyond the reach, or without one,
// it does not. A reach also limits which balls the dribbler takes.
func TestReachDecidesWhatIsKickedAndHeld(t *testing.T) {
	near, wide := physics.Reach{Distance: 0.4, Angle: 0.17}, physics.Reach{Distance: 0.5, Angle: 0.26}
	flat := physics.Kick{Mode: physics.FlatKick, Speed: 6}
	for _, tt := range []struct {
		name   string
		reach  physics.Reach
		y      float64
		kicked bool
	}{
		{"within", near, 0.05, true},
		{"too far aside", near, 0.07, false},
		{"a wider one", wide, 0.07, true},
		{"none", physics.Reach{}, 0, false},
	} {
		s := keeper()
		s.Config.Gravity = 0 // so that the floor does not slow the ball
		s.Robots[0].Kicker = &physics.Kicker{MaxSpeed: 10, LobAngle: 0.8}
		s.Robots[0].Dribbler = &physics.Dribbler{Method: physics.DribblePose, Reach: 0.001, MaxAngle: 0.01, Hold: 0.34}
		e := must.Get(New(s, still{s}))(t)
		step := func(c physics.Command) (now physics.Snapshot) {
			t.Helper()
			must.Do(t, e.Step([]physics.Command{c}))
			e.Snapshot(&now)
			return now
		}
		place := func() {
			t.Helper()
			must.Do(t, e.PlaceBall(mgl64.Vec3{0.37, tt.y, s.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{1, 0, 0}}))
		}
		place()
		kick := flat
		kick.Reach, kick.Absolute = tt.reach, true
		want, kicks := 1.0, 0
		if tt.kicked {
			want, kicks = 6, 1
		}
		if now := step(physics.Command{Kick: kick}); !scalar.EqualWithinAbs(now.Ball.TwistInW.Lin[0], want, 0.01) ||
			now.Robots[0].Kicks != kicks {
			t.Errorf("%s: the ball moves at %v m/s after %d kicks, want %v after %d", tt.name, now.Ball.TwistInW.Lin,
				now.Robots[0].Kicks, want, kicks)
		}
		place()
		if now := step(physics.Command{Dribble: true, Reach: tt.reach}); tt.kicked && now.Ball.HeldBy == 0 {
			t.Errorf("%s: took the ball that it has just kicked", tt.name)
		}
		for range 80 { // longer than holdOff
			step(physics.Command{})
		}
		place()
		if now := step(physics.Command{Dribble: true, Reach: tt.reach}); (now.Ball.HeldBy == 0) != tt.kicked {
			t.Errorf("%s: the ball is held by %d", tt.name, now.Ball.HeldBy)
		}
	}
}

// Charging takes time, and a second shot soon after the first has only the remaining energy.
func TestKickerRecharges(t *testing.T) {
	s := keeper()
	r := &s.Robots[0]
	r.Extension = nil
	r.Kicker = &physics.Kicker{MaxSpeed: 10, LobAngle: 0.8, Charge: 4 * time.Second}
	r.Dribbler = &physics.Dribbler{Method: physics.DribblePose, Reach: 0.1, MaxAngle: 0.5, Hold: 0.34}
	e := must.Get(New(s, still{s}))(t)
	var now physics.Snapshot
	shoot := func(wait int) float64 {
		t.Helper()
		must.Do(t, e.PlaceBall(mgl64.Vec3{0.36, 0, s.Ball.Radius}, spatial.Twist{}))
		for range wait {
			must.Do(t, e.Step([]physics.Command{{Dribble: true}}))
		}
		must.Do(t, e.Step([]physics.Command{{Dribble: true, Kick: physics.Kick{Mode: physics.FlatKick, Speed: 10}}}))
		e.Snapshot(&now)
		return now.Ball.TwistInW.Lin[0]
	}
	if v := shoot(1); !scalar.EqualWithinAbs(v, 10, 0.1) {
		t.Errorf("first shot at %v m/s", v)
	}
	// After one second there is a quarter of the energy, so half of the speed.
	if v := shoot(199); !scalar.EqualWithinAbs(v, 5, 0.1) {
		t.Errorf("second shot at %v m/s, want 5", v)
	}
	if now.Robots[0].Kicks != 2 || !(now.Robots[0].Charge <= 0.01) {
		t.Errorf("%d kicks, charged to %v", now.Robots[0].Kicks, now.Robots[0].Charge)
	}
}
