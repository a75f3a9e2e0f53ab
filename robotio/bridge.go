package robotio

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Bridge publishes one simulation on one ROS 1 node.
type Bridge struct {
	sim     *omnipitch.Sim
	node    *ros1.Node
	refused func(error)
	ending  []func() error // undoes what was set up, in its order
}

// NewBridge advertises and subscribes all topics and services of a simulation's robots, and the clock. The node is
// the caller's to close, after the bridge. It fails when the master does not answer.
//
// refused, unless it is nil, is told about commands on topics that no robot can mean, on any goroutine; a service
// answers with the same error.
func NewBridge(sim *omnipitch.Sim, node *ros1.Node, refused func(error)) (*Bridge, error) {
	if refused == nil {
		refused = func(error) {}
	}
	b := &Bridge{sim: sim, node: node, refused: refused}
	err := errors.Join(b.clock(), b.acks())
	for i := range sim.World().Robots {
		if err == nil {
			err = b.robot(&sim.World().Robots[i])
		}
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close ends all topics and services of the bridge.
func (b *Bridge) Close() error {
	var errs []error
	for i := len(b.ending) - 1; i >= 0; i-- {
		errs = append(errs, b.ending[i]())
	}
	b.ending = nil
	return errors.Join(errs...)
}

// keep takes over what a set-up call returned.
func (b *Bridge) keep(closer interface{ Close() error }, err error) error {
	if err == nil {
		b.ending = append(b.ending, closer.Close)
	}
	return err
}

// clock publishes sim time, after every step or at the world's rate, and tells nodes to use it. Nodes that come late get the last.
func (b *Bridge) clock() error {
	if err := b.node.SetParam("/use_sim_time", true); err != nil {
		return err
	}
	pub, err := ros1.Advertise[msg.Clock](b.node, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{Queue: 1, Latch: true})
	if err != nil {
		return err
	}
	b.ending = append(b.ending, pub.Close)
	pub.Publish(&msg.Clock{Clock: msg.TimeFrom(b.sim.Time())})
	rate, next := b.sim.World().Time.ClockRate, time.Duration(0)
	b.sim.OnStep(func(truth *physics.Snapshot) {
		if rate > 0 {
			if truth.Time < next {
				return
			}
			n := math.Floor(truth.Time.Seconds()*rate + 1e-9)
			next = time.Duration((n + 1) / rate * float64(time.Second))
		}
		pub.Publish(&msg.Clock{Clock: msg.TimeFrom(truth.Time)})
	})
	return nil
}

// acks takes the times up to which robots have seen everything, at speed lockstep.
func (b *Bridge) acks() error {
	for _, w := range b.sim.World().Time.WaitFor {
		if w.Answer != "ack" {
			continue
		}
		if err := b.keep(ros1.Subscribe(b.node, under(w.Robot, "ack"), "rosgraph_msgs/Clock", func(m *msg.Clock) {
			if err := b.sim.Ack(w.Robot, m.Clock.Since()); err != nil {
				b.refused(err)
			}
		})); err != nil {
			return err
		}
	}
	return nil
}

// robot sets up one robot's topics and services.
func (b *Bridge) robot(r *worlds.Robot) error {
	if err := b.commands(r.Name); err != nil {
		return err
	}
	first := map[sensors.Kind]bool{}
	for i := range r.Sensors {
		cfg := &r.Sensors[i]
		names := topicsOf(cfg, !first[cfg.Kind])
		first[cfg.Kind] = true
		if err := b.sensor(r, cfg, names); err != nil {
			return fmt.Errorf("%s.%s: %w", r.Name, cfg.Name, err)
		}
	}
	return nil
}

func (b *Bridge) sensor(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	if err := b.level(r, cfg); err != nil {
		return err
	}
	if err := b.groundTruth(r, cfg); err != nil {
		return err
	}
	switch cfg.Kind {
	case sensors.OmniCamera:
		if err := b.color(r, cfg, t); err != nil {
			return err
		}
		return b.omniVision(r, cfg, t)
	case sensors.Camera:
		if err := b.color(r, cfg, t); err != nil {
			return err
		}
		return b.frontBall(r, cfg, t)
	case sensors.Kinect:
		if err := b.color(r, cfg, t); err != nil {
			return err
		}
		if err := b.depth(r, cfg, t); err != nil {
			return err
		}
		if err := b.points(r, cfg, t); err != nil {
			return err
		}
		return b.kinectBall(r, cfg, t)
	case sensors.Odometry:
		return b.odometry(r, cfg, t)
	case sensors.IMU:
		return b.imu(r, cfg, t)
	case sensors.LaserScan:
		return b.laser(r, cfg, t)
	case sensors.Heading:
		return b.compass(r, cfg, t)
	case sensors.Arms:
		return b.arms(r, cfg, t)
	case sensors.Bumpers:
		return b.bumper(r, cfg, t)
	case sensors.Battery:
		return b.battery(r, cfg, t)
	}
	return nil
}

// listen adds a listener to a sensor until the bridge closes.
func (b *Bridge) listen(robot, sensor string, l omnipitch.Listener) error {
	remove, err := b.sim.Listen(robot, sensor, l)
	if err == nil {
		b.ending = append(b.ending, func() error { remove(); return nil })
	}
	return err
}
