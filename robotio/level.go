package robotio

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// levels sets up two things for each sensor of a robot: the service set_level, and the topic with the sensor's level,
// which is published when the level changes. The type of the service is roscpp/SetLoggerLevel, which every ROS 1
// installation has.
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
	b.sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
		if c.Robot == r.Name && c.Sensor == cfg.Name {
			pub.Send(&msg.String{Data: string(c.Level)})
		}
	})
	return nil
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
