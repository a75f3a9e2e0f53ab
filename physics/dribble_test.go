package physics

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func dribbler() Robot {
	return Robot{
		Body:     Body{Radius: 0.25, Height: 0.8},
		Dribbler: &Dribbler{Reach: 0.05, MaxAngle: 0.4, Hold: 0.36},
	}
}

func TestReaches(t *testing.T) {
	r := dribbler()
	pose := spatial.Planar(1, 2, math.Pi/2)
	at := func(forward, left, up float64) mgl64.Vec3 {
		return pose.Apply(mgl64.Vec3{forward, left, 0.11 + up})
	}
	for _, tt := range []struct {
		name string
		pos  mgl64.Vec3
		want bool
	}{
		{"touching", at(0.36, 0, 0), true},
		{"at the end of reach", at(0.409, 0, 0), true},
		{"too far", at(0.411, 0, 0), false},
		{"at the side, within", at(0.36*math.Cos(0.39), 0.36*math.Sin(0.39), 0), true},
		{"at the side, beyond", at(0.36*math.Cos(0.41), 0.36*math.Sin(0.41), 0), false},
		{"behind", at(-0.36, 0, 0), false},
		{"in the air", at(0.36, 0, 0.1), false},
	} {
		must.Equal(t, r.Reaches(pose, tt.pos, 0.11), tt.want, "%s", tt.name)
	}
	// A robot on its back has the ball in front of its hull wherever the ball is along its axis.
	fallen := pose.Mul(spatial.RPY(mgl64.Vec3{}, 0, math.Pi/2, 0))
	if r.Reaches(fallen, fallen.Apply(mgl64.Vec3{0, 0, 1.5}).Add(mgl64.Vec3{0, 0, 0.11}), 0.11) {
		t.Error("a robot that has fallen over took the ball")
	}
	high := pose
	high.Pos[2] = 0.5
	if r.Reaches(high, at(0.36, 0, 0), 0.11) {
		t.Error("a robot on top of others took the ball")
	}
	r.Dribbler = nil
	if r.Reaches(pose, at(0.36, 0, 0), 0.11) {
		t.Error("a robot without a dribbler took the ball")
	}
}

// The rule of NuBot's match simulator: at most 0.40 m from the robot's origin on the floor to the ball's centre, and
// 10° to either side.
func TestWithin(t *testing.T) {
	r := dribbler()
	pose := spatial.Planar(1, 2, math.Pi/2)
	reach := Reach{Distance: 0.4, Angle: 10 * spatial.Degree}
	ahead := math.Sqrt(0.4*0.4 - 0.11*0.11)
	at := func(away, bearing, z float64) mgl64.Vec3 {
		return pose.Apply(mgl64.Vec3{away * math.Cos(bearing), away * math.Sin(bearing), z})
	}
	for _, tt := range []struct {
		name  string
		reach Reach
		pos   mgl64.Vec3
		want  bool
	}{
		{"just within", reach, at(ahead-1e-3, 0, 0.11), true},
		{"just beyond", reach, at(ahead+1e-3, 0, 0.11), false},
		{"the height counts", reach, at(0.37, 0, 0.16), false},
		{"at 9.9°", reach, at(0.36, 9.9*spatial.Degree, 0.11), true},
		{"at −10.1°", reach, at(0.36, -10.1*spatial.Degree, 0.11), false},
		{"behind", reach, at(0.36, math.Pi, 0.11), false},
		{"behind, of any angle", Reach{Distance: 0.4}, at(0.36, math.Pi, 0.11), true},
		{"the dribbler's own, within", Reach{}, at(0.409, 0, 0.11), true},
		{"the dribbler's own, beyond", Reach{}, at(0.411, 0, 0.11), false},
	} {
		must.Equal(t, r.Within(tt.reach, pose, tt.pos, 0.11), tt.want, "%s", tt.name)
	}
	fallen := pose.Mul(spatial.RPY(mgl64.Vec3{}, 0, math.Pi/2, 0))
	if r.Within(Reach{Distance: 5}, fallen, at(0.3, 0, 0.11), 0.11) {
		t.Error("a robot that has fallen over reaches the ball")
	}
	r.Dribbler = nil
	if !r.Within(reach, pose, at(0.36, 0, 0.11), 0.11) || r.Within(Reach{}, pose, at(0.36, 0, 0.11), 0.11) {
		t.Error("a robot without a dribbler has a reach that is given, and none of its own")
	}
}

func TestHeldBallMovesAndRollsWithTheRobot(t *testing.T) {
	r := dribbler()
	pose := spatial.Planar(1, 0, math.Pi/2)
	pos, twist := r.Held(pose, spatial.Twist{Lin: mgl64.Vec3{0, 2, 0}, Ang: mgl64.Vec3{0, 0, 1}}, 0.11)
	if want := (mgl64.Vec3{1, 0.36, 0.11}); !(pos.Sub(want).Len() <= 1e-12) {
		t.Errorf("position %v, want %v", pos, want)
	}
	if want := (mgl64.Vec3{-0.36, 2, 0}); !(twist.Lin.Sub(want).Len() <= 1e-12) {
		t.Errorf("velocity %v, want %v", twist.Lin, want)
	}
	if slip := twist.PointVelocity(mgl64.Vec3{0, 0, -0.11}); !(slip.Len() <= 1e-12) {
		t.Errorf("the lowest point slides at %v", slip)
	}
}

// tackle returns two robots that face each other with the ball between them.
func tackle() (*Model, *Snapshot, []Command) {
	s := &Model{Step: 5 * time.Millisecond, Ball: DefaultBall(), Robots: []Robot{dribbler(), dribbler()}}
	now := &Snapshot{Robots: make([]RobotState, 2)}
	now.Robots[0].PoseWB = spatial.Planar(-0.37, 0, 0)
	now.Robots[1].PoseWB = spatial.Planar(0.37, 0, math.Pi)
	now.Ball.PosW = mgl64.Vec3{0, 0, 0.11}
	return s, now, make([]Command, 2)
}

func TestPossession(t *testing.T) {
	s, now, commands := tackle()
	p := NewPossession(s)
	expect := func(when string, want int) {
		t.Helper()
		p.Update(now, commands)
		if p.Holder() != want {
			t.Fatalf("%s: held by %d, want %d", when, p.Holder(), want)
		}
		now.Step++
	}
	expect("nobody dribbles", -1)
	commands[0].Dribble, commands[1].Dribble = true, true
	expect("both dribble: the first takes it", 0)
	expect("the second takes it away", 1)
	expect("the first has to wait", 1)
	now.Step += 60 // 0.3 s
	expect("and takes it back", 0)
	commands[0].Dribble = false
	commands[1].Dribble = false
	expect("nobody dribbles any more", -1)
	commands[0].Dribble = true
	expect("dropped, it can be taken at once", 0)
	p.Lose(now.Step)
	expect("lost, it cannot", -1)
}
