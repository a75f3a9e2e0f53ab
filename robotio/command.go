package robotio

import (
	"context"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// centimetresPerMetre converts to the unit of all of NuBot's messages.
const centimetresPerMetre = 100

// shootLimit is the strongest shot that NuBot's hardware node lets through, m/s.
const shootLimit = 15

// commands takes velocities and answers the services of a robot's hardware node.
func (b *Bridge) commands(robot string) error {
	drive := func(t physics.PlanarTwist) {
		if err := b.sim.Command(robot, t); err != nil {
			b.refused(err)
		}
	}
	if err := b.keep(ros1.Subscribe(b.node, under(robot, "nubotcontrol/velcmd"), "nubot_common/VelCmd", func(m *msg.VelCmd) {
		drive(physics.PlanarTwist{
			VX: float64(m.Vx) / centimetresPerMetre, VY: float64(m.Vy) / centimetresPerMetre, Omega: float64(m.W),
		})
	})); err != nil {
		return err
	}
	if err := b.keep(ros1.Subscribe(b.node, under(robot, "cmd_vel"), "geometry_msgs/Twist", func(m *msg.Twist) {
		drive(physics.PlanarTwist{VX: m.Linear.X, VY: m.Linear.Y, Omega: m.Angular.Z})
	})); err != nil {
		return err
	}
	if err := b.keep(ros1.Serve(b.node, under(robot, "BallHandle"), "nubot_common/BallHandle",
		func(ctx context.Context, r *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
			return ballHandle(ctx, b.sim, robot, r)
		})); err != nil {
		return err
	}
	return b.keep(ros1.Serve(b.node, under(robot, "Shoot"), "nubot_common/Shoot",
		func(ctx context.Context, r *msg.ShootRequest) (*msg.ShootResponse, error) {
			return shoot(ctx, b.sim, robot, r)
		}))
}

// ballHandle switches the dribbler and answers 1 while the robot holds the ball.
func ballHandle(ctx context.Context, sim *omnipitch.Sim, robot string, r *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
	out, err := sim.Ask(ctx, robot, func(c *physics.Command) { c.Dribble = r.Enable != 0 })
	if err != nil {
		return nil, err
	}
	return &msg.BallHandleResponse{BallIsHolding: flag(out.Holding)}, nil
}

// shoot kicks a held ball: flat for a position of −1, lobbed for 1, and not at all for 0, which always succeeds.
func shoot(ctx context.Context, sim *omnipitch.Sim, robot string, r *msg.ShootRequest) (*msg.ShootResponse, error) {
	var kick physics.Kick
	switch r.ShootPos {
	case 0:
		return &msg.ShootResponse{ShootIsDone: 1}, nil
	case 1:
		kick = physics.Kick{Mode: physics.LobKick} // the strength is ignored: the lob aims itself
	default:
		kick = physics.Kick{Mode: physics.FlatKick, Speed: min(max(float64(r.Strength), 0), shootLimit)}
	}
	out, err := sim.Ask(ctx, robot, func(c *physics.Command) { c.Kick = kick })
	if err != nil {
		return nil, err
	}
	return &msg.ShootResponse{ShootIsDone: flag(out.Kicked)}, nil
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
