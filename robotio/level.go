package robotio

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// levels sets up two things for each sensor of a robot: what sets its level, and the topic with its level, which is
// published when the level changes. In ROS 1, the service set_level sets it. Its type is roscpp/SetLoggerLevel, which
// every installation of ROS 1 has. In ROS 2, a parameter sets it.
func (b *Bridge) levels(n wire.Node, r *worlds.Robot) error {
	for i := range r.Sensors {
		if err := b.level(n, r, &r.Sensors[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bridge) level(n wire.Node, r *worlds.Robot, cfg *sensors.Config) error {
	if n.Version() == msg.ROS1 {
		if err := b.setLevel(n, r, cfg); err != nil {
			return err
		}
	}
	pub, err := wire.Advertise[msg.String](n, levelTopic(n.Version(), r, cfg), "std_msgs/String",
		wire.PubOptions{Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	var param *ros2.Param
	if n, ok := n.(*ros2.Node); ok {
		if param, err = b.levelParam(n, r, cfg); err != nil {
			return err
		}
	}
	b.sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		if c.Robot != r.Name || c.Sensor != cfg.Name {
			return
		}
		pub.Send(&msg.String{Data: string(c.Level)})
		if param != nil {
			_ = param.Update(string(c.Level)) // fails only for values of another type
		}
	})
	return nil
}

// levelParam declares the parameter that sets the level of a sensor in ROS 2, such as cyan1.omni.level.
func (b *Bridge) levelParam(n *ros2.Node, r *worlds.Robot, cfg *sensors.Config) (*ros2.Param, error) {
	level, err := b.sim.Sensors().Level(r.Name, cfg.Name)
	if err != nil {
		return nil, err
	}
	return n.DeclareParam(fmt.Sprintf("%s.%s.level", r.Name, cfg.Name), string(level), ros2.ParamOptions{
		Description: fmt.Sprintf("level of %s's sensor %s, one of %v", r.Name, cfg.Name, cfg.Kind.Levels()),
		Set: func(value any) error {
			if err := b.checkWired(r); err != nil {
				return err
			}
			return b.sim.Do(&action.SetLevel{Robot: r.Name, Sensor: cfg.Name,
				Level: abstraction.Level(value.(string))})
		}})
}

// setLevel sets up the service that sets the level of a sensor.
func (b *Bridge) setLevel(n wire.Node, r *worlds.Robot, cfg *sensors.Config) error {
	return b.closeLater(wire.Serve(n, setLevelService(n.Version(), r, cfg), "roscpp/SetLoggerLevel",
		func(_ context.Context, q *msg.SetLoggerLevelRequest) (*msg.SetLoggerLevelResponse, error) {
			if err := b.checkWired(r); err != nil {
				return nil, err
			}
			if q.Logger != "" && q.Logger != cfg.Name {
				return nil, fmt.Errorf("logger = %q: must be %q or empty", q.Logger, cfg.Name)
			}
			return &msg.SetLoggerLevelResponse{}, b.sim.Do(&action.SetLevel{Robot: r.Name, Sensor: cfg.Name,
				Level: abstraction.Level(q.Level)})
		}))
}
