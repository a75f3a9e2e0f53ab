package robotio

import (
	"context"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// Sensors that NuBot's nodes do not know publish the truth at level truth. cyan1 is at (0.5, −0.5) m and faces 15° to
// the left.
func TestDevices(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		for _, kind := range []sensors.Kind{"laser", "compass", "arms", "bumper", "battery"} {
			add(&w.Robots[0], string(kind), kind, abstraction.Truth)
		}
	})
	scan := receive[msg.LaserScan](r, "/cyan1/scan", "sensor_msgs/LaserScan")
	if n := len(scan.Ranges); n < 100 ||
		!scalar.EqualWithinAbs(float64(scan.AngleMin)+float64(n-1)*float64(scan.AngleIncrement), float64(scan.AngleMax),
			1e-4) {
		t.Errorf("%d beams from %v to %v", n, scan.AngleMin, scan.AngleMax)
	}
	seen := 0
	for _, x := range scan.Ranges {
		if x >= scan.RangeMin && x <= scan.RangeMax {
			seen++
		}
	}
	if seen == 0 {
		t.Error("the scanner sees nothing")
	}
	pose := receive[msg.PoseStamped](r, "/cyan1/laser_pose", "geometry_msgs/PoseStamped")
	must.Near(t, "pose x", pose.Pose.Position.X, 0.5, 1e-2)
	must.Near(t, "pose y", pose.Pose.Position.Y, -0.5, 1e-2)
	must.Near(t, "pose heading", 2*math.Atan2(pose.Pose.Orientation.Z, pose.Pose.Orientation.W), 15*math.Pi/180, 1e-2)
	compass := receive[msg.Imu](r, "/cyan1/compass", "sensor_msgs/Imu")
	must.Near(t, "compass", 2*math.Atan2(compass.Orientation.Z, compass.Orientation.W), 15*math.Pi/180, 1e-2)
	if compass.AngularVelocityCovariance[0] != -1 || compass.LinearAccelerationCovariance[0] != -1 {
		t.Error("a compass claims to know rates and accelerations")
	}
	arms := receive[msg.JointState](r, "/cyan1/dribbler", "sensor_msgs/JointState")
	if len(arms.Name) != 2 || len(arms.Position) != 2 || arms.Position[0] != 0 {
		t.Errorf("arms without a ball: %+v", arms)
	}
	if receive[msg.Bool](r, "/cyan1/bumper", "std_msgs/Bool").Data {
		t.Error("something touches the robot")
	}
	battery := receive[msg.BatteryState](r, "/cyan1/battery", "sensor_msgs/BatteryState")
	if !(battery.Voltage >= 10) || !(battery.Current <= 0) || !math.IsNaN(float64(battery.Percentage)) {
		t.Errorf("battery %+v", battery)
	}
}

func TestSetLevel(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	set := func(logger, level string) error {
		_, err := ros1.Call[msg.SetLoggerLevelRequest, msg.SetLoggerLevelResponse](ctx, r.robot,
			"/cyan1/omni/set_level",
			"roscpp/SetLoggerLevel", &msg.SetLoggerLevelRequest{Logger: logger, Level: level})
		return err
	}
	must.Do(t, set("", "objects"))
	if level, err := r.sim.Sensors().Level("cyan1", "omni"); err != nil || level != abstraction.Objects {
		t.Errorf("stands at %s, %v", level, err)
	}
	for _, c := range [][3]string{
		{"omni", "pose", `level = "pose": must be one of raw, ideal, features, objects, truth`},
		{"front", "objects", `logger = "front": must be "omni" or empty`},
	} {
		must.Fail(t, set(c[0], c[1]), c[2])
	}
	if level := receive[msg.String](r, "/cyan1/omni/level", "std_msgs/String"); level.Data != "objects" {
		t.Errorf("the topic says %q", level.Data)
	}
}
