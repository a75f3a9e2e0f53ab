package experiment_test

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var fallSeeds = flag.Int("fall.seeds", 1, "number of falls to each side")

// Humanoids that are pushed over get up by the motors of their joints, and walk on. They fall with random postures and
// are pushed by random impulses, in directions up to 15° off the front, the back or a side. Their headings are not 0,
// since MuJoCo's friction depends on them.
func TestHumanoidsGetUp(t *testing.T) {
	for _, size := range []string{"kid", "adult"} {
		for _, side := range []struct {
			name  string
			angle float64 // of the push, rad
		}{{"front", 0}, {"back", math.Pi}, {"left", math.Pi / 2}, {"right", -math.Pi / 2}} {
			up, ready := 0, 0
			for seed := range *fallSeeds {
				stood, walked := getsUp(t, size, side.angle, uint64(seed))
				if t.Logf("%s %s seed %d: stands %v, walks %v", size, side.name, seed, stood, walked); stood {
					up++
				}
				if walked {
					ready++
				}
			}
			t.Logf("of %d falls of humanoid-%s to the %s, %d end upright, and %d of these robots walk on", *fallSeeds,
				size, side.name, up, ready)
			if least := *fallSeeds - *fallSeeds/10; up < least || ready < least {
				t.Errorf("humanoid-%s gets up after %d of %d falls to the %s, and walks on after %d: must after %d", size,
					up, *fallSeeds, side.name, ready, least)
			}
		}
	}
}

// getsUp pushes a humanoid over, and reports whether it stands again, and then walks by at least 0.5 m in 6 s.
func getsUp(t *testing.T, size string, angle float64, seed uint64) (stands, walks bool) {
	t.Helper()
	m := humanoid(t, size, "joints", seed+1)
	heading := float64(seed + 1)
	m.Robots[0].Pose = spatial.Planar(0, 0, heading)
	e, err := engine.New(m)
	if errors.Is(err, physics.ErrNoMuJoCo) {
		t.Skip(err)
	}
	must.Do(t, err)
	defer e.Close()
	rng, robot := rand.New(rand.NewPCG(seed, 3)), &m.Robots[0]
	within := func(most float64) float64 { return most * (2*rng.Float64() - 1) }
	var now physics.Snapshot
	commands := make([]physics.Command, 1)
	run := func(seconds float64, until func(*physics.RobotState) bool) bool {
		for end := now.Time.Seconds() + seconds; now.Time.Seconds() < end; {
			must.Do(t, e.Step(commands))
			if e.Snapshot(&now); until(&now.Robots[0]) {
				return true
			}
		}
		return false
	}
	run(0.3, func(*physics.RobotState) bool { return false })
	for k := range robot.Joints {
		j := &robot.Joints[k]
		to := mgl64.Clamp(j.Rest()+within(0.2), j.Lower, j.Upper)
		must.Do(t, e.MoveJoints(0, []int{k}, []physics.JointTarget{{Mode: physics.JointPosition, Value: to}}))
	}
	sin, cos := math.Sincos(heading + angle + within(15*spatial.Degree))
	impulse := robot.Body.Mass * (1.1 + within(0.2))
	e.Push(m.RobotID(0), mgl64.Vec3{cos, sin, 0}.Mul(impulse), mgl64.Vec3{})
	if !run(4, func(r *physics.RobotState) bool { return r.Motion == physics.Fallen }) {
		t.Fatalf("seed %d: does not fall", seed)
	}
	run(25, func(r *physics.RobotState) bool { return r.Motion.Free() })
	up := func() float64 { return now.Robots[0].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] }
	run(1, func(*physics.RobotState) bool { return false })
	stands = now.Robots[0].Motion.Free() && up() > 0.95
	from := now.Robots[0].PoseWB.Pos
	commands[0].TwistB.VX = 0.2
	run(6, func(*physics.RobotState) bool { return false })
	return stands, stands && up() > 0.95 && now.Robots[0].PoseWB.Pos.Sub(from).Len() > 0.5
}

// At level walk, a humanoid gets up by the same animations: its legs fold below it, and it comes upright and walks on.
// A state that is restored on the way continues with the same bits.
func TestGetsUpAtLevelWalk(t *testing.T) {
	for _, fall := range []struct {
		size string
		push float64 // change of the velocity, m/s
	}{{"kid", 1.5}, {"kid", -1.5}, {"adult", 1.5}, {"adult", -1.5}} {
		m := humanoid(t, fall.size, "walk", 1)
		e, other := must.Get(engine.New(m))(t), must.Get(engine.New(m))(t)
		defer e.Close()
		defer other.Close()
		var now, again physics.Snapshot
		commands, knee := []physics.Command{{TwistB: physics.PlanarTwist{VX: 0.1}}}, m.Robots[0].Joint("left_knee")
		bent, low, seconds := 0.0, 1.0, 0.0
		for e.Snapshot(&now); now.Time.Seconds() < 16; e.Snapshot(&now) {
			if now.Step == 600 {
				e.Push(m.RobotID(0), mgl64.Vec3{fall.push * m.Robots[0].Body.Mass, 0, 0}, mgl64.Vec3{})
			}
			must.Do(t, e.Step(commands))
			r := &now.Robots[0]
			if r.Motion != physics.GettingUp {
				continue
			}
			if bent, seconds = max(bent, now.Joints[knee].Position), seconds+m.Step.Seconds(); r.Progress > 20 {
				low = min(low, r.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2])
			}
			if r.Progress == 40 && again.Step == 0 {
				c := keyframe.Append(nil)
				must.Do(t, e.(physics.Keeper).Exchange(c))
				must.Do(t, other.(physics.Keeper).Exchange(keyframe.Restore(c.Data())))
				other.Snapshot(&again)
			}
		}
		other.Snapshot(&again)
		for ; again.Step < now.Step; other.Snapshot(&again) {
			must.Do(t, other.Step(commands))
		}
		must.Equal(t, again.Hash(), now.Hash(), "hash after a restored state")
		robot, r := &m.Robots[0], &now.Robots[0]
		name := map[bool]string{true: robot.Motion.GetUpFront, false: robot.Motion.GetUpBack}[fall.push > 0]
		want := robot.Animations[robot.Animation(name)].Length().Seconds()
		must.Near(t, "time to get up, s", seconds, want, 0.02)
		up := r.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2]
		if !(bent > 2 && low < 0.3 && up > 0.98) || r.Motion != physics.Walking {
			t.Errorf("%v: the knee bends to %.2f rad, the upright axis falls to %.2f and ends at %.2f, %v",
				fall, bent, low, up, r.Motion)
		}
	}
}
