package robotio

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// trajectory returns a trajectory of camera_joint to some positions, one per second.
func trajectory(positions ...float64) *msg.JointTrajectory {
	m := &msg.JointTrajectory{JointNames: []string{"camera_joint"}}
	for i, p := range positions {
		m.Points = append(m.Points, msg.JointTrajectoryPoint{Positions: []float64{p},
			TimeFromStart: msg.Duration{Sec: int32(i + 1)}})
	}
	return m
}

// cameraOf returns the state of the first scout's camera_joint.
func cameraOf(sim *omnipitch.Sim) *physics.JointState {
	return &sim.Truth().Joints[sim.World().Model().Robots[0].Joint("camera_joint")]
}

// Trajectories move joints evenly, begin at their stamps, and stop. A wrong one is refused. Arrays of numbers command
// positions, velocities and efforts.
func TestTrajectories(t *testing.T) {
	r := rigOf(t, "scouts", func(w *worlds.World) { w.Events = nil })
	camera := cameraOf(r.sim)
	fastest, begun := 0., time.Duration(-1)
	r.sim.OnStep(func(s *physics.Snapshot) {
		camera = cameraOf(r.sim)
		if fastest = max(fastest, math.Abs(camera.Velocity)); begun < 0 && !(math.Abs(camera.Velocity) <= 0.01) {
			begun = s.Time
		}
	})
	pub := advertise[msg.JointTrajectory](r, "/scout1/joint_trajectory_controller/command",
		"trajectory_msgs/JointTrajectory")
	must.Until(t, "the simulator to subscribe", func() bool { return pub.NumSubscribers() == 1 })
	rests := func(at float64) func() bool {
		return func() bool { return math.Abs(camera.Position-at) < 1e-3 && math.Abs(camera.Velocity) < 1e-3 }
	}
	pub.Publish(trajectory(0.4, 0.8))
	r.until("the end of a trajectory", rests(0.8))
	must.Near(t, "largest speed of an even trajectory", fastest, 0.4, 0.05)

	r.run(time.Second, timesync.Factor(10)) // it comes to rest
	m := trajectory(0.4)
	start := r.sim.Truth().Time + 2*time.Second
	m.Header.Stamp, begun = msg.TimeFrom(start), -1
	pub.Publish(m)
	r.until("a trajectory that begins later", rests(0.4))
	if late := begun - start; late < 0 || late > 20*time.Millisecond {
		t.Errorf("a trajectory that begins at %v moved the joint at %v", start, begun)
	}

	pub.Publish(trajectory(0.4, -0.8))
	r.until("a movement", func() bool { return camera.Velocity < -0.5 })
	pub.Publish(&msg.JointTrajectory{})
	r.until("the joint to stop", func() bool { return math.Abs(camera.Velocity) < 1e-3 })
	if at := camera.Position; !(at > -0.75 && at < 0.4) {
		t.Errorf("the joint has stopped at %v: must be on its way to -0.8", at)
	}

	refused := func(want string, change func(*msg.JointTrajectory)) {
		t.Helper()
		m := trajectory(0.1)
		change(m)
		pub.Publish(m)
		r.until("a refusal", func() bool { return len(r.refused) > 0 })
		must.Fail(t, <-r.refused, want, "a wrong trajectory")
	}
	refused(`joint "x": the robot has no such joint`, func(m *msg.JointTrajectory) { m.JointNames[0] = "x" })
	refused("turns a wheel of the drive", func(m *msg.JointTrajectory) { m.JointNames[0] = "left_wheel_joint" })
	refused("point 0 has 2 positions and 0 velocities", func(m *msg.JointTrajectory) {
		m.Points[0].Positions = []float64{0, 0}
	})
	refused("must be finite", func(m *msg.JointTrajectory) { m.Points[0].Positions[0] = math.NaN() })
	refused("is named twice", func(m *msg.JointTrajectory) { m.JointNames = []string{"camera_joint", "camera_joint"} })
	refused("from_s", func(m *msg.JointTrajectory) { m.Header.Stamp.Sec = 1_700_000_000 }) // wall time
	refused("ends at 1.001s: must end after", func(m *msg.JointTrajectory) { m.Header.Stamp.Nsec = 1_000_000 })

	for topic, reached := range map[string]func() bool{"velocity": func() bool { return camera.Velocity > 0.29 },
		"position": rests(0.3), "effort": func() bool { return camera.Effort > 0.2 }} {
		type array struct {
			Layout struct {
				Dim []struct {
					Label        string
					Size, Stride uint32
				}
				DataOffset uint32
			}
			Data []float64
		}
		publishUntil(r, "/scout1/joint_group_"+topic+"_controller/command", "std_msgs/Float64MultiArray",
			func() *array { return &array{Data: []float64{0.3}} }, topic, reached)
	}
}

// A rospy program sends a trajectory, and sees in joint_states that the joint follows.
func TestTrajectoryFromRospy(t *testing.T) {
	const python = "/usr/bin/python3"
	if testing.Short() || exec.Command(python, "-c", "import rospy").Run() != nil {
		t.Skip("no rospy: apt-get install ros-base python3-rospy")
	}
	r := rigOf(t, "scouts", func(w *worlds.World) { w.Events = nil })
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import rospy, genpy.dynamic, threading, sys
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
types = genpy.dynamic.generate_dynamic('trajectory_msgs/JointTrajectory', '''Header header
string[] joint_names
JointTrajectoryPoint[] points
`+strings.Repeat("=", 80)+`
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
`+strings.Repeat("=", 80)+`
MSG: trajectory_msgs/JointTrajectoryPoint
float64[] positions
float64[] velocities
float64[] accelerations
float64[] effort
duration time_from_start
''')
Trajectory, Point = types['trajectory_msgs/JointTrajectory'], types['trajectory_msgs/JointTrajectoryPoint']
rospy.init_node('arm', disable_signals=True)
there = threading.Event()
def state(m):
    at = dict(zip(m.name, m.position))['camera_joint']
    if abs(at + 0.7) < 0.01: there.set()
rospy.Subscriber('/scout1/joint_states', JointState, state)
pub = rospy.Publisher('/scout1/joint_trajectory_controller/command', Trajectory, latch=True, queue_size=1)
pub.publish(Trajectory(joint_names=['camera_joint'], points=[
    Point(positions=[-0.3], velocities=[-0.4], time_from_start=rospy.Duration(0.5)),
    Point(positions=[-0.7], velocities=[0], time_from_start=rospy.Duration(1.5))]))
print('there' if there.wait(60) else 'not there', flush=True)
`)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), "ROS_MASTER_URI="+r.master, "ROS_IP=127.0.0.1")
	must.Do(t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for end := time.Now().Add(90 * time.Second); len(done) == 0 && time.Now().Before(end); {
		r.run(20*time.Millisecond, timesync.Factor(5))
	}
	if err := <-done; err != nil || strings.TrimSpace(out.String()) != "there" {
		t.Errorf("%v: rospy said %q", err, out.String())
	}
	must.Near(t, "position", cameraOf(r.sim).Position, -0.7, 5e-3)
}

// A program of ROS 2 sends a trajectory, and sees in joint_states that the joint follows.
func TestTrajectoryOfROS2(t *testing.T) {
	w := simtest.World(t, "scouts")
	w.Events = nil
	sim := simtest.New(t, w, omnipitch.Options{})
	domain := must.Domain(t)
	bridge := must.Get(NewBridge(sim.Sim, newROS2Node(t, domain, "/omnipitch"), Options{
		Refused: func(err error) { t.Error(err) }}))(t)
	t.Cleanup(func() { bridge.Close() })
	robot := newROS2Node(t, domain, "/scout1/arm")
	var mu sync.Mutex
	at := math.NaN()
	must.Get(ros2.Subscribe(robot, "joint_states", "sensor_msgs/JointState", func(m *msg.JointState) {
		mu.Lock()
		defer mu.Unlock()
		for i, name := range m.Name {
			if name == "camera_joint" {
				at = m.Position[i]
			}
		}
	}))(t)
	pub := must.Get(ros2.Advertise[msg.JointTrajectory](robot, "joint_trajectory_controller/joint_trajectory",
		"trajectory_msgs/JointTrajectory", ros2.PubOptions{}))(t)
	for end := time.Now().Add(deadline); ; {
		mu.Lock()
		there, begun := math.Abs(at-0.9) < 0.01, !(math.Abs(at) <= 0.02)
		mu.Unlock()
		if there {
			break
		}
		if !begun { // the simulator may not have found the publisher yet
			pub.Publish(trajectory(0.5, 0.9))
		}
		must.Get(sim.Run(t.Context(), omnipitch.Pace{For: 200 * time.Millisecond, Speed: timesync.Factor(5)}))(t)
		if time.Now().After(end) {
			t.Fatalf("camera_joint is at %v: must be at 0.9", at)
		}
	}
}
