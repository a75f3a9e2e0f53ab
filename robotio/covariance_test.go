package robotio

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// Messages carry the covariances of the readings: 0 at truth, and at raw 1e6 for what the sensor does not measure. −1
// marks an orientation or an acceleration that does not exist (sensor_msgs/Imu).
func TestMessagesCarryCovariances(t *testing.T) {
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Truth} {
		r := newRig(t, func(w *worlds.World) {
			for _, kind := range []sensors.Kind{"compass", "imu", "odometry"} {
				if _, there := w.Sensor("cyan1", string(kind)); there {
					simtest.Sensor(t, w, "cyan1", string(kind)).Level = level
				} else {
					add(&w.Robots[0], string(kind), kind, level)
				}
			}
		})
		var gyro sensors.IMU
		gyro.SetDefaults()
		exact, unknown := level == abstraction.Truth, 1e6
		if exact {
			unknown = 0
		}
		odom := receive[msg.Odometry](r, "/cyan1/odom", "nav_msgs/Odometry")
		for what, c := range map[string]*[36]float64{"pose": &odom.Pose.Covariance, "twist": &odom.Twist.Covariance} {
			for k := range 6 {
				got := c[7*k]
				if k >= 2 && k <= 4 {
					must.Near(t, what, got, unknown, 0)
				} else if !(got >= 0 && got < 0.1) || (got == 0) != exact {
					t.Errorf("%s: variance %d of the %s of odometry is %v", level, k, what, got)
				}
			}
		}
		imu := receive[msg.Imu](r, "/cyan1/imu", "sensor_msgs/Imu")
		wantTurn, wantRate, wantAccel := -1., gyro.GyroNoise*gyro.GyroNoise*100, gyro.AccelNoise*gyro.AccelNoise*100
		if exact {
			wantTurn, wantRate, wantAccel = 0, 0, 0
		}
		must.Near(t, "orientation", imu.OrientationCovariance[0], wantTurn, 0)
		for _, k := range []int{0, 4, 8} { // the bias adds less than 1 % in the first second
			must.Near(t, "rate", imu.AngularVelocityCovariance[k], wantRate, 0.01*wantRate)
			must.Near(t, "acceleration", imu.LinearAccelerationCovariance[k], wantAccel, 0.01*wantAccel)
		}
		compass := receive[msg.Imu](r, "/cyan1/compass", "sensor_msgs/Imu")
		wantHeading := (2*2 + 0.2*0.2) * math.Pow(spatial.Degree, 2)
		if exact {
			wantHeading = 0
		}
		for k, want := range [9]float64{0: unknown, 4: unknown, 8: wantHeading} {
			must.Near(t, "compass", compass.OrientationCovariance[k], want, 1e-12)
		}
	}
}
