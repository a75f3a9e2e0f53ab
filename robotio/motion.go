package robotio

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// odometry publishes NuBot's and the standard message.
func (b *Bridge) odometry(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	nubot, err := ros1.Advertise[msg.OdoInfo](b.node, under(r.Name, t.odoInfo), "nubot_common/OdoInfo", ros1.PubOptions{})
	if err := b.keep(nubot, err); err != nil {
		return err
	}
	standard, err := ros1.Advertise[msg.Odometry](b.node, under(r.Name, t.odom), "nav_msgs/Odometry", ros1.PubOptions{})
	if err := b.keep(standard, err); err != nil {
		return err
	}
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		v := o.Odometry.TwistB
		if nubot.NumSubscribers() > 0 {
			nubot.Publish(&msg.OdoInfo{
				Header: header(o, r.Name),
				Vx:     float32(v.VX * centimetresPerMetre), Vy: float32(v.VY * centimetresPerMetre), W: float32(v.Omega),
				RobotStuck: o.Odometry.Stuck,
				PowerState: true, // without it the omni vision relocalises in every frame
			})
		}
		if standard.NumSubscribers() > 0 {
			m := &msg.Odometry{Header: header(o, r.Name+"/odom"), ChildFrameID: r.Name + "/base_link"}
			m.Pose.Pose.Position = msg.Point{X: o.Odometry.PoseOB.Pos[0], Y: o.Odometry.PoseOB.Pos[1], Z: o.Odometry.PoseOB.Pos[2]}
			m.Pose.Pose.Orientation = quaternion(o.Odometry.PoseOB.Rot)
			m.Twist.Twist.Linear = msg.Vector3{X: v.VX, Y: v.VY}
			m.Twist.Twist.Angular = msg.Vector3{Z: v.Omega}
			standard.Publish(m)
		}
	}})
}

// imu publishes an inertial unit's readings. An orientation that is not known is marked as REP-145 says.
func (b *Bridge) imu(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	pub, err := ros1.Advertise[msg.Imu](b.node, under(r.Name, t.imu), "sensor_msgs/Imu", ros1.PubOptions{})
	if err := b.keep(pub, err); err != nil {
		return err
	}
	return b.listen(r.Name, cfg.Name, omnipitch.Listener{Observe: func(o *sensors.Observation) {
		if pub.NumSubscribers() == 0 {
			return
		}
		m := &msg.Imu{Header: header(o, r.Name+"/"+cfg.Name), AngularVelocity: vector(o.IMU.GyroS), LinearAcceleration: vector(o.IMU.AccelS)}
		if o.IMU.RotKnown {
			m.Orientation = quaternion(o.IMU.RotWS)
		} else {
			m.Orientation.W = 1
			m.OrientationCovariance[0] = -1
		}
		pub.Publish(m)
	}})
}

func vector(v mgl64.Vec3) msg.Vector3 { return msg.Vector3{X: v[0], Y: v[1], Z: v[2]} }

func quaternion(q mgl64.Quat) msg.Quaternion {
	return msg.Quaternion{X: q.V[0], Y: q.V[1], Z: q.V[2], W: q.W}
}
