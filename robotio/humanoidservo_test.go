package robotio

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

type (
	temperature struct {
		Header                msg.Header
		Temperature, Variance float64
	}
	servoData struct {
		Voltage     []float32
		Temperature []temperature
	}
)

// A standing robot's motors are warm in the knees and not in the head. Its odometry and its compass from images are
// near the truth, and say how near.
func TestHumanoidServosAndVisualOdometry(t *testing.T) {
	r := rigOf(t, "humanoids-stand", func(w *worlds.World) {
		w.Events = nil
		kid := &w.Robots[0]
		kid.ROS1.Profiles = []string{"humanoid"}
		add(kid, "images", "visual_odometry", abstraction.Raw)
		kid.Sensors = append(kid.Sensors, sensors.Config{Name: "compass", Kind: "compass", Level: abstraction.Raw})
		compass := &kid.Sensors[len(kid.Sensors)-1]
		compass.Prepare(func(key string) string { return map[string]string{"profile": "visual-compass"}[key] })
		for i := range kid.Sensors {
			if kid.Sensors[i].Kind == "joints" {
				kid.Sensors[i].Level, kid.Sensors[i].Joints.ThermalTau = abstraction.Ideal, 1
			}
		}
	})
	servos := subscribe[servoData](r, "/kid1/servo_data", "humanoid_league_msgs/AdditionalServoData")
	robot := &r.sim.World().Model().Robots[0]
	knee, neck := robot.Joint("left_knee"), robot.Joint("head_yaw")
	r.until("warm knees", func() bool {
		m := servos.newest()
		return m != nil && m.Temperature[knee].Temperature > 25.02
	})
	m := servos.newest()
	must.Equal(t, [2]int{len(m.Voltage), len(m.Temperature)}, [2]int{len(robot.Joints), len(robot.Joints)}, "servos")
	must.Equal(t, m.Temperature[knee].Header.FrameID, "left_knee", "frame")
	must.Near(t, "temperature of the neck", m.Temperature[neck].Temperature, 25, 0.01)
	if v := m.Voltage[knee]; !(v > 11.5 && v < 12) || v != m.Voltage[neck] {
		t.Errorf("voltage %v and %v, want equal ones below 12 V", v, m.Voltage[neck])
	}

	at := receive[msg.Odometry](r, "/kid1/visual_odom", "nav_msgs/Odometry")
	must.Equal(t, at.Header.FrameID, "kid1/images", "frame")
	p := at.Pose.Pose.Position
	must.Near(t, "way by images of a robot that stands", math.Hypot(p.X, p.Y), 0, 0.1)
	if c := at.Pose.Covariance; !(c[0] > 0 && c[35] > 0) {
		t.Errorf("variances of x %v and heading %v, want more than 0", c[0], c[35])
	}
	rotation := receive[compassRotation](r, "/kid1/vc_rotation", "humanoid_league_msgs/VisualCompassRotation")
	must.Near(t, "visual compass", float64(rotation.Orientation), r.sim.Truth().Robots[0].PoseWB.Heading(), 0.5)
	// 3° and 4° together, of π/√3
	must.Near(t, "confidence", float64(rotation.Confidence), 1-5*math.Pi/180/(math.Pi/math.Sqrt(3)), 1e-6)
}
