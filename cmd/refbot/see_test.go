package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

const seeing = `
name = "seeing"
field = "nubot-18x12"
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -2.5, y_m = 1.75, heading_deg = 40 }
ros1 = { profiles = ["standard"] }
[[robot.sensor]]
name = "omni"
level = "raw"
rate_hz = 10
[[robot.sensor]]
name = "front"
level = "truth"
[[robot.sensor]]
name = "compass"
kind = "compass"
`

// refbot with a calibration file, over ROS beside a simulation: it publishes where the robot is, by raw images. The robot stands, since nothing says in which
// order topics arrive.
func TestRefbotLocalisesByImages(t *testing.T) {
	w := must(worlds.Parse("seeing.toml", []byte(seeing)))(t)
	sim := must(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	cam, ok := sim.Camera("cyan1", "omni")
	if !ok {
		t.Fatal("no camera")
	}
	fit := must(calibration.FitOCam(calibration.Sample(must(calibration.Central(cam.Model(), cam.PoseBC()))(t), 92)))(t)
	var text bytes.Buffer
	if err := calibration.WriteOCamCalib(&text, fit); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calib_results.txt")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	master := must(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	defer master.Close()
	ros := must(ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()}))(t)
	defer ros.Close()
	bridge := must(robotio.NewBridge(sim, ros, robotio.Options{Refused: func(err error) { t.Error(err) }}))(t)
	defer bridge.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	poses := make(chan msg.PoseStamped, 1)
	if _, err := ros1.Subscribe(ros, "/cyan1/vision/pose", "geometry_msgs/PoseStamped", func(m *msg.PoseStamped) {
		select {
		case poses <- *m:
			stop() // one is enough
		default:
		}
	}); err != nil {
		t.Fatal(err)
	}
	var c cli
	if _, err := must(kong.New(&c))(t).Parse([]string{"--robots", "cyan1", "--master", master.URI(), "--calibration", file, "--field", "nubot-18x12"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- c.run(ctx) }()
	// In real time, until a pose comes.
	_, _ = sim.Run(ctx, omnipitch.Pace{For: 30 * time.Second, Speed: timesync.RealTime})
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-poses:
		p, heading := m.Pose.Position, 2*math.Atan2(m.Pose.Orientation.Z, m.Pose.Orientation.W)*180/math.Pi
		if !(math.Hypot(p.X+2.5, p.Y-1.75) < 0.05 && math.Abs(heading-40) < 1) || m.Header.FrameID != "map" {
			t.Errorf("located at (%.3f, %.3f) m, %.1f°, in %q, want (-2.5, 1.75), 40°, in map", p.X, p.Y, heading, m.Header.FrameID)
		}
	default:
		t.Error("no pose")
	}
}

// What is wrong with a calibration is said with the file's name and the line.
func TestRefbotRefusesCalibrations(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("# nothing\n2 -1 x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s    sight
		want string
	}{
		{sight{Calibration: bad, Height: 0.78}, `bad.txt: line 2: direct polynomial: "x": must be a finite number`},
		{sight{Calibration: bad + "x", Height: 0.78}, "no such file"},
	} {
		if _, err := c.s.config(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
