package robotio

import (
	"math"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// device publishes what make builds of a sensor's observations; nil is nothing.
func device[T any](b *Bridge, r *worlds.Robot, cfg *sensors.Config, topic, typ string, make func(*sensors.Observation) *T) error {
	pub, err := ros1.Advertise[T](b.node, under(r.Name, topic), typ, ros1.PubOptions{})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{
		Wants: func(abstraction.Level) bool { return pub.NumSubscribers() > 0 },
		Observe: func(o *sensors.Observation) {
			if pub.NumSubscribers() == 0 {
				return
			}
			if m := make(o); m != nil {
				pub.Publish(m)
			}
		},
	})
}

// laser publishes scans, and where the robot is at the levels that tell.
func (b *Bridge) laser(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	err := device(b, r, cfg, t.reading, "sensor_msgs/LaserScan", func(o *sensors.Observation) *msg.LaserScan {
		s := o.Scan
		m := &msg.LaserScan{
			Header: header(o, r.Name+"/"+cfg.Name), AngleMin: float32(s.First), AngleIncrement: float32(s.Step),
			AngleMax: float32(s.First + float64(len(s.Ranges)-1)*s.Step), ScanTime: float32(1 / cfg.Rate),
			RangeMin: float32(cfg.Laser.Min), RangeMax: float32(cfg.Laser.Max), Ranges: make([]float32, len(s.Ranges)),
		}
		for i, x := range s.Ranges {
			m.Ranges[i] = float32(x)
		}
		return m
	})
	if err != nil {
		return err
	}
	return device(b, r, cfg, t.pose, "geometry_msgs/PoseStamped", func(o *sensors.Observation) *msg.PoseStamped {
		if !o.Scan.PoseKnown {
			return nil
		}
		p := o.Scan.PoseWB
		return &msg.PoseStamped{Header: header(o, "world"), Pose: msg.Pose{
			Position: msg.Point{X: p.Pos[0], Y: p.Pos[1], Z: p.Pos[2]}, Orientation: quaternion(p.Rot),
		}}
	})
}

// compass publishes headings as an orientation; the rest is marked as unknown as REP-145 says.
func (b *Bridge) compass(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return device(b, r, cfg, t.reading, "sensor_msgs/Imu", func(o *sensors.Observation) *msg.Imu {
		sin, cos := math.Sincos(o.Heading.Heading / 2)
		m := &msg.Imu{Header: header(o, r.Name+"/"+cfg.Name), Orientation: msg.Quaternion{Z: sin, W: cos}}
		m.AngularVelocityCovariance[0], m.LinearAccelerationCovariance[0] = -1, -1
		return m
	})
}

// arms publishes how far the ball presses in the dribbler's arms, metres.
func (b *Bridge) arms(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	names := []string{r.Name + "/left_arm", r.Name + "/right_arm"}
	return device(b, r, cfg, t.reading, "sensor_msgs/JointState", func(o *sensors.Observation) *msg.JointState {
		return &msg.JointState{Header: header(o, r.Name), Name: names, Position: []float64{o.Arms.Pressed[0], o.Arms.Pressed[1]}}
	})
}

// bumper publishes whether any switch is pressed.
func (b *Bridge) bumper(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return device(b, r, cfg, t.reading, "std_msgs/Bool", func(o *sensors.Observation) *msg.Bool {
		return &msg.Bool{Data: o.Bumper.Touched}
	})
}

// battery publishes voltage and current.
func (b *Bridge) battery(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return device(b, r, cfg, t.reading, "sensor_msgs/BatteryState", func(o *sensors.Observation) *msg.BatteryState {
		const discharging = 2
		nan := float32(math.NaN())
		return &msg.BatteryState{
			Header: header(o, r.Name), Voltage: float32(o.Battery.Voltage), Current: -float32(o.Battery.Current),
			Temperature: nan, Charge: nan, Capacity: nan, DesignCapacity: nan, Percentage: nan,
			PowerSupplyStatus: discharging, Present: true,
		}
	})
}
