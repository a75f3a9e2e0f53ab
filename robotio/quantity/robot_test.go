package quantity

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// noMatch is a match without a referee.
type noMatch struct{ Match }

func (noMatch) Standings() []game.Standing { return make([]game.Standing, 1) }

func TestConditions(t *testing.T) {
	leaning := func(roll, pitch float64) spatial.Pose { return spatial.RPY(mgl64.Vec3{}, roll, pitch, 1) }
	for _, c := range []struct {
		want string
		r    physics.RobotState
	}{
		{"standing", physics.RobotState{PoseWB: spatial.Planar(3, 2, 1)}},
		{"standing", physics.RobotState{PoseWB: leaning(0.1, -0.1),
			TwistWBInW: spatial.Twist{Lin: mgl64.Vec3{0.01, 0.01, 0}}}},
		{"moving", physics.RobotState{PoseWB: spatial.Identity(), TwistWBInW: spatial.Twist{Lin: mgl64.Vec3{0, 0.03,
			0}}}},
		{"moving", physics.RobotState{PoseWB: spatial.Identity(),
			TwistWBInW: spatial.Twist{Ang: mgl64.Vec3{0, 0, -0.1}}}},
		{"parking", physics.RobotState{PoseWB: spatial.Planar(-8, -8.5, 0),
			TwistWBInW: spatial.Twist{Lin: mgl64.Vec3{1, 0, 0}}}},
		{"standing", physics.RobotState{PoseWB: spatial.Planar(9.5, -6.5, 0)}},
		{"sent_off", physics.RobotState{PoseWB: spatial.Planar(-8, -6.65, 0)}},
		{"extending", physics.RobotState{PoseWB: spatial.Identity(), Extension: physics.ExtendUp}},
		{"falling", physics.RobotState{PoseWB: leaning(0.3, 0)}},
		{"falling", physics.RobotState{PoseWB: leaning(0.2, -0.2)}}, // together 0.28 rad
		{"fallen", physics.RobotState{PoseWB: leaning(0, math.Pi/2)}},
		{"fallen", physics.RobotState{PoseWB: leaning(math.Pi, 0)}},
		{"fallen", physics.RobotState{PoseWB: leaning(0.3, 0), Motion: physics.Fallen}},
		{"falling", physics.RobotState{PoseWB: spatial.Identity(), Motion: physics.Falling}},
		{"getting_up", physics.RobotState{PoseWB: leaning(1.5, 0), Motion: physics.GettingUp}},
		{"animation", physics.RobotState{PoseWB: spatial.Identity(), Motion: physics.Animating}},
		{"kicking", physics.RobotState{PoseWB: spatial.Identity(), Motion: physics.Kicking}},
		{"moving", physics.RobotState{PoseWB: spatial.Identity(), Motion: physics.Walking}},
	} {
		w := &worlds.World{}
		w.Field.Length, w.Field.Width = 18, 12
		ctx := Context{World: w, Robot: &worlds.Robot{}, Match: noMatch{},
			Truth: &physics.Snapshot{Robots: []physics.RobotState{c.r}}}
		must.Equal(t, ctx.condition(), c.want, "%+v", c.r.PoseWB)
	}
}
