package engine_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func (k kit) mixed(i int) physics.DriveLevel { return k.levels[i%len(k.levels)] }

func (k kit) stepAndSnapshotAllocateNothing(t *testing.T) {
	model := enginetest.Match(10, k.mixed)
	model.Robots[0] = boxed(model.Robots[0])
	model.Obstacles[0].Pose = spatial.Planar(10.1, 3, 0.2) // against the boards
	model.Robots[0].Pose = spatial.Planar(9.4, 3, 0)
	r := k.start(t, model)
	for i := range r.Commands {
		r.Commands[i] = physics.Command{TwistB: physics.PlanarTwist{VX: 1, Omega: 0.3}, Dribble: true}
	}
	r.Commands[0].TwistB.Omega = 0
	r.Run(2) // to the centre of the field, where the robots push each other
	must.Equal(t, testing.AllocsPerRun(200, r.Step), 0, "allocations per step")
}

func (k kit) snapshotsDoNotShareMemory(t *testing.T) {
	r := k.start(t, enginetest.Match(2, k.mixed))
	r.Commands[0].TwistB.VX = 1
	r.Run(0.1)
	kept := r.S.Clone()
	var other physics.Snapshot
	r.Snapshot(&other)
	r.Run(0.1)
	if kept.Hash() != other.Hash() || kept.Hash() == r.S.Hash() {
		t.Error("a later step changed an earlier snapshot")
	}
	if kept.Step != 20 || kept.Time != 20*enginetest.StepTime {
		t.Errorf("step %d at %v, want 20 at 100ms", kept.Step, kept.Time)
	}
}

// Implausible commands are errors with the robot's and the field's name, and change nothing.
func (k kit) hostileCommandsAreRefused(t *testing.T) {
	model := enginetest.Match(2, k.mixed)
	model.Robots[1].Name = "magenta1"
	r := k.start(t, model)
	must.Fail(t, r.Engine.Step(nil), "0 commands for 2 robots", "no commands")
	r.Step()
	before := r.S.Hash()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 1e5} {
		for field, c := range map[string]physics.Command{
			"twist.vx":    {TwistB: physics.PlanarTwist{VX: bad}},
			"twist.vy":    {TwistB: physics.PlanarTwist{VY: bad}},
			"twist.omega": {TwistB: physics.PlanarTwist{Omega: bad}},
			"kick.speed":  {Kick: physics.Kick{Mode: physics.FlatKick, Speed: bad}},

			"kick.elevation":      {Kick: physics.Kick{Mode: physics.LobKick, Elevation: bad}},
			"kick.flight":         {Kick: physics.Kick{Mode: physics.LobKick, Flight: bad}},
			"kick.reach.distance": {Kick: physics.Kick{Mode: physics.FlatKick, Reach: physics.Reach{Distance: bad}}},
			"reach.angle":         {Dribble: true, Reach: physics.Reach{Distance: 1, Angle: bad}},
		} {
			err := r.Engine.Step([]physics.Command{{}, c})
			must.Fail(t, err, "magenta1: command: "+field, field, bad)
		}
	}
	if r.Snapshot(&r.S); r.S.Hash() != before {
		t.Error("a refused command changed something")
	}
	r.Step()
}

func (k kit) hostilePlacesAreRefused(t *testing.T) {
	r := k.start(t, enginetest.Match(2, k.mixed))
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e308} {
		for what, err := range map[string]error{
			"position": r.PlaceBall(mgl64.Vec3{bad, 0, 1}, spatial.Twist{}),
			"velocity": r.PlaceBall(mgl64.Vec3{0, 0, 1}, spatial.Twist{Lin: mgl64.Vec3{0, bad, 0}}),
			"rate":     r.PlaceRobot(0, spatial.Identity(), spatial.Twist{Ang: mgl64.Vec3{0, 0, bad}}),
		} {
			must.Fail(t, err, what, what, bad)
		}
	}
	must.Fail(t, r.PlaceRobot(0, spatial.Pose{}, spatial.Twist{}), "unit quaternion", "a rotation that is none")
	r.Step()
}

func (k kit) closedEngine(t *testing.T) {
	r := k.start(t, enginetest.Match(2, k.mixed))
	r.Close()
	r.Close()
	r.Put(mgl64.Vec3{}, spatial.Twist{})
	must.Fail(t, r.Engine.Step(r.Commands), "closed", "Step")
	var s physics.Snapshot
	if r.Snapshot(&s); len(s.Robots) != 2 {
		t.Errorf("snapshot of %d robots", len(s.Robots))
	}
}
