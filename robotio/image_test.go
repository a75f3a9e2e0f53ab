package robotio

import (
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// The second sensor of a kind has its own topics in addition to those of the first.
func TestSecondSensorsPublish(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		for _, kind := range []sensors.Kind{sensors.OmniKind, sensors.CameraKind, "odometry", "imu"} {
			add(&w.Robots[0], string(kind)+"2", kind, abstraction.Truth)
		}
	})
	for _, topic := range []string{cyanVision, "/cyan1/omni2/OmniVisionInfo"} {
		if m := receive[msg.OminiVisionInfo](r, topic, visionType); !m.BallInfo.PosKnown {
			t.Errorf("%s: %+v", topic, m.BallInfo)
		}
	}
	receive[msg.FrontBallInfo](r, "/cyan1/camera2/FrontBallInfo", "nubot_common/FrontBallInfo")
	receive[msg.OdoInfo](r, "/cyan1/odometry2/odoinfo", "nubot_common/OdoInfo")
	receive[msg.Odometry](r, "/cyan1/odometry2/odom", "nav_msgs/Odometry")
	if m := receive[msg.Imu](r, "/cyan1/imu2/imu", "sensor_msgs/Imu"); m.Header.FrameID != "cyan1/imu2" {
		t.Errorf("frame %q", m.Header.FrameID)
	}
}
