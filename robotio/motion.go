package robotio

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// odometry publishes NuBot's and the standard message.
func (b *Bridge) odometry(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	err := device(b, r, cfg, t.odoInfo, "nubot_common/OdoInfo", func(o *sensors.Observation) *msg.OdoInfo {
		v := o.Odometry.TwistB
		return &msg.OdoInfo{
			Header: header(o, r.Name),
			Vx:     float32(v.VX * centimetresPerMetre), Vy: float32(v.VY * centimetresPerMetre), W: float32(v.Omega),
			RobotStuck: o.Odometry.Stuck,
			PowerState: true, // without it the omni vision relocalises in every frame
		}
	})
	if err != nil {
		return err
	}
	return device(b, r, cfg, t.odom, "nav_msgs/Odometry", func(o *sensors.Observation) *msg.Odometry {
		m := &msg.Odometry{Header: header(o, r.Name+"/odom"), ChildFrameID: r.Name + "/base_link"}
		m.Pose.Pose.Position = msg.Point{X: o.Odometry.PoseOB.Pos[0], Y: o.Odometry.PoseOB.Pos[1], Z: o.Odometry.PoseOB.Pos[2]}
		m.Pose.Pose.Orientation = quaternion(o.Odometry.PoseOB.Rot)
		m.Twist.Twist.Linear = msg.Vector3{X: o.Odometry.TwistB.VX, Y: o.Odometry.TwistB.VY}
		m.Twist.Twist.Angular = msg.Vector3{Z: o.Odometry.TwistB.Omega}
		return m
	})
}

// imu publishes an inertial unit's readings. An orientation that is not known is marked as REP-145 says.
func (b *Bridge) imu(r *worlds.Robot, cfg *sensors.Config, t topics) error {
	return device(b, r, cfg, t.imu, "sensor_msgs/Imu", func(o *sensors.Observation) *msg.Imu {
		m := &msg.Imu{Header: header(o, r.Name+"/"+cfg.Name), AngularVelocity: vector(o.IMU.GyroS), LinearAcceleration: vector(o.IMU.AccelS)}
		if o.IMU.RotKnown {
			m.Orientation = quaternion(o.IMU.RotWS)
		} else {
			m.Orientation.W = 1
			m.OrientationCovariance[0] = -1
		}
		return m
	})
}

func vector(v mgl64.Vec3) msg.Vector3 { return msg.Vector3{X: v[0], Y: v[1], Z: v[2]} }

func quaternion(q mgl64.Quat) msg.Quaternion {
	return msg.Quaternion{X: q.V[0], Y: q.V[1], Z: q.V[2], W: q.W}
}
