package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

const seeing = `
name = "seeing"
look = "plain"
field = "nubot-18x12"
[ball]
x_m = -1.0
y_m = 3.0
[[obstacle]]
name = "box"
pose = { x_m = -4.5, y_m = 1.0 }
[[robot]]
name = "cyan2"
model = "nubot"
pose = { x_m = -0.15, y_m = 2.6, heading_deg = 200 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta1"
team = "magenta"
model = "nubot"
pose = { x_m = -1.0, y_m = 4.35, heading_deg = 200 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
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
level = "raw"
rate_hz = 10
[[robot.sensor]]
name = "compass"
kind = "compass"
`

// byHand is a colour table as a person would draw it for the world's light, as a file in a colour space.
func byHand(t *testing.T, space calibration.ColorSpace) string {
	var colors calibration.ColorHistogram
	for r := 0; r < 256; r += 3 {
		for g := 0; g < 256; g += 3 {
			for b := 0; b < 256; b += 3 {
				class := calibration.UnknownColor
				switch least, most := min(r, g, b), max(r, g, b); {
				case g > r+8 && g > b+4:
					class = calibration.GreenColor
				case r >= g && 2*g > 3*b && r > 60:
					class = calibration.BallColor
				case most < 70 && most-least < 20:
					class = calibration.BlackColor
				}
				colors.Add(byte(r), byte(g), byte(b), int(class))
			}
		}
	}
	table := colors.Table(space)
	name := filepath.Join(t.TempDir(), table.File())
	must.Do(t, os.WriteFile(name, table.Bytes(), 0o600))
	return name
}

// refbot with a calibration file and colour tables runs over ROS with a simulation. By raw images it publishes the
// robot's pose, the ball, obstacles and teammates. The robot stands, because topics arrive in no particular order.
func TestRefbotSeesByImages(t *testing.T) {
	w := must.Get(worlds.Parse("seeing.toml", []byte(seeing)))(t)
	file := calibrated(t, w, "cyan1")
	sim, master, ros := bridged(t, w, omnipitch.Options{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	// One message of each kind is enough, and one ball of each camera; that of the front camera comes last. Several
	// obstacles are needed, because with a hand-drawn table noise changes the class of carpet pixels.
	var mu sync.Mutex
	var pose *msg.PoseStamped
	var ball *msg.PointStamped
	var around []*msg.PoseArray
	var mates *msg.PoseArray
	balls := 0
	enough := func(note func()) {
		mu.Lock()
		defer mu.Unlock()
		if note(); pose != nil && mates != nil && balls > 3 && len(around) >= 12 {
			stop()
		}
	}
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/pose", "geometry_msgs/PoseStamped",
		func(m *msg.PoseStamped) { enough(func() { pose = m }) }))(t)
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/ball", "geometry_msgs/PointStamped",
		func(m *msg.PointStamped) { enough(func() { ball, balls = m, balls+1 }) }))(t)
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/obstacles", "geometry_msgs/PoseArray",
		func(m *msg.PoseArray) { enough(func() { around = append(around, m) }) }))(t)
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/mates", "geometry_msgs/PoseArray",
		func(m *msg.PoseArray) { enough(func() { mates = m }) }))(t)
	var c cli
	must.Get(must.Get(kong.New(&c))(t).Parse([]string{"--robots", "cyan1", "--master", master.URI(),
		"--calibration", file, "--field", "nubot-18x12", "--color-table", byHand(t, calibration.YUV),
		"--front-color-table", byHand(t, calibration.BGR), "--mates", "cyan"}))(t)
	ended := make(chan error)
	go func() { ended <- c.run(ctx) }()
	// In real time, until all messages have arrived.
	_, _ = sim.Run(ctx, omnipitch.Pace{For: 30 * time.Second, Speed: timesync.RealTime})
	stop()
	must.Do(t, <-ended)
	mu.Lock()
	defer mu.Unlock()
	if pose == nil || ball == nil || len(around) == 0 || mates == nil {
		t.Fatalf("pose %v, ball %v, obstacles %v, mates %v: all must come", pose != nil, ball != nil, len(around) != 0,
			mates != nil)
	}
	p, heading := pose.Pose.Position, 2*math.Atan2(pose.Pose.Orientation.Z, pose.Pose.Orientation.W)*180/math.Pi
	if !(math.Hypot(p.X+2.5, p.Y-1.75) < 0.05 && math.Abs(heading-40) < 1) || pose.Header.FrameID != "map" {
		t.Errorf("located at (%.3f, %.3f) m, %.1f°, in %q, want (-2.5, 1.75), 40°, in map", p.X, p.Y, heading,
			pose.Header.FrameID)
	}
	sin, cos := math.Sincos(40 * math.Pi / 180)
	off := func(p msg.Point, x, y float64) float64 { // from a position in the map, m
		dx, dy := x+2.5, y-1.75
		return math.Hypot(p.X-(dx*cos+dy*sin), p.Y-(dy*cos-dx*sin))
	}
	if e := off(ball.Point, -1, 3); !(e < 0.04) || ball.Header.FrameID != "base_link" {
		t.Errorf("ball seen %.3f m off, in %q, want it in base_link", e, ball.Header.FrameID)
	}
	if len(mates.Poses) != 1 || !(off(mates.Poses[0].Position, -0.15, 2.6) < 0.05) ||
		mates.Header.FrameID != "base_link" {
		t.Errorf("mates are %+v, in %q, want one at (-0.15, 2.6), in base_link", mates.Poses, mates.Header.FrameID)
	}
	boxes := 0
	for _, m := range around {
		if m.Header.FrameID == "base_link" && slices.ContainsFunc(m.Poses,
			func(p msg.Pose) bool { return off(p.Position, -4.5, 1) < 0.3 }) {
			boxes++
		}
	}
	if 2*boxes < len(around) {
		t.Errorf("of %d messages %d have the box within 0.3 m, in base_link: want half at least", len(around), boxes)
	}
}

// A goalkeeper's refbot predicts over ROS where and when a lobbed ball lands, from the raw colour and depth images of
// its Kinects. The frame of its odometry starts at the robot.
func TestRefbotForeseesTouchdowns(t *testing.T) {
	w := load(t, "worlds/raw/lobs-raw.toml", 3)
	sim, master, ros := bridged(t, w, omnipitch.Options{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	down, at := mgl64.Vec3{}, time.Duration(0) // true touchdown of the first lob
	lobbed := w.Events[0].At
	sim.OnStep(func(s *physics.Snapshot) {
		if at == 0 && s.Time > lobbed+200*time.Millisecond && s.Ball.PosW[2] < 0.115 {
			down, at = s.Ball.PosW, s.Time
		}
	})
	type told struct {
		down msg.PointStamped
		now  time.Duration
	}
	var mu sync.Mutex
	var all []told
	balls := 0
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/touchdown", "geometry_msgs/PointStamped", func(m *msg.PointStamped) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, told{*m, sim.Clock().Time()})
	}))(t)
	must.Get(ros1.Subscribe(ros, "/cyan1/vision/ball", "geometry_msgs/PointStamped", func(m *msg.PointStamped) {
		mu.Lock()
		defer mu.Unlock()
		if balls++; m.Header.FrameID != "base_link" {
			t.Errorf("the ball is in frame %q", m.Header.FrameID)
		}
	}))(t)
	var c cli
	if _, err := must.Get(kong.New(&c))(t).Parse(append(w.Programs[0].Command[1:], "--master", master.URI(),
		"--kinect-color-table", byHand(t, calibration.BGR))); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- c.run(ctx) }()
	// Slow enough for a busy machine, until the first lob has landed.
	_, _ = sim.Run(ctx, omnipitch.Pace{For: lobbed + 1500*time.Millisecond, Speed: timesync.Factor(0.4)})
	stop()
	must.Do(t, <-ended)
	mu.Lock()
	defer mu.Unlock()
	before, last := 0, told{}
	for _, p := range all {
		if p.now < at && p.down.Header.Stamp.Since() < at+time.Second {
			before, last = before+1, p
		}
	}
	if at == 0 || balls < 10 || before < 5 {
		t.Fatalf("down at %v, seen %d times, told %d times before, want 10 and 5", at, balls, before)
	}
	p := last.down.Point
	if e, late := math.Hypot(p.X-8.5-down[0], p.Y-down[1]), last.down.Header.Stamp.Since()-at; !(e < 0.15) ||
		max(late, -late) > 30*time.Millisecond || last.down.Header.FrameID != "cyan1/odom" {
		t.Errorf("told %v: %.3f m off, %v late, in %q; want it at %.2f in %v in cyan1/odom", p, e, late,
			last.down.Header.FrameID, down, at)
	}
}

// An error in a calibration file is reported with the name of the file and the line.
func TestRefbotRefusesCalibrations(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	must.Do(t, os.WriteFile(bad, []byte("# nothing\n2 -1 x\n"), 0o600))
	good := filepath.Join(t.TempDir(), "good.txt")
	must.Do(t, os.WriteFile(good, []byte("1 -100\n1 0\n20 20\n1 0 0\n41 41\n"), 0o600))
	for _, c := range []struct {
		s    sight
		want string
	}{
		{sight{Calibration: bad, Height: 0.78}, `bad.txt: line 2: direct polynomial: "x": must be a finite number`},
		{sight{Calibration: bad + "x", Height: 0.78}, "bad.txtx: no such file or directory; omnipitch calibration " +
			"WORLD --format refbot --out "},
		{sight{Calibration: good, Height: 0.78, FrontHeight: 0.5, Colors: bad},
			"bad.txt: has 17 bytes: a colour table has 262144"},
		{sight{Calibration: good, Height: 0.78, FrontHeight: 0.5, FrontColors: bad},
			"bad.txt: has 17 bytes: a colour table has 262144"},
		{sight{Calibration: good, Height: 0.78}, "--front-height 0: must lie in (0, 10]"},
		{sight{Kinects: []string{"left"}}, `--kinect "left": must be NAME=X,Y,HEIGHT,PITCH,YAW`},
		{sight{Kinects: []string{"=0,0,1,0,0"}}, `--kinect "=0,0,1,0,0": must be NAME=X,Y,HEIGHT,PITCH,YAW`},
		{sight{Kinects: []string{"left=0,0,1,0"}}, `--kinect "left=0,0,1,0": must be NAME=X,Y,HEIGHT,PITCH,YAW`},
		{sight{Kinects: []string{"left=0,0,1,nan,0"}},
			`--kinect "left=0,0,1,nan,0": "nan": must be a number in [-360, 360]`},
		{sight{Kinects: []string{"left=0,0,0,0,0"}}, `--kinect "left=0,0,0,0,0": height 0: must lie in (0, 10]`},
		{sight{Kinects: []string{"left=0,0,1,0,0"}, KinectColors: bad},
			"bad.txt: has 17 bytes: a colour table has 262144"},
		{sight{Calibration: good, Height: 0.78, FrontHeight: 0.5, ByImages: true}, "--by-images: needs --color-table"},
		{sight{Calibration: filepath.Dir(good), Height: 0.78, FrontHeight: 0.5},
			filepath.Join("cyan1", "calib_results.txt") + ": no such file or directory"},
	} {
		must.Refuse(c.s.config("cyan1"))(t, c.want)
	}
}

// Playing by images needs calibration files and colour tables.
func TestByImagesNeedsCalibration(t *testing.T) {
	c := cli{Robots: "cyan2", sight: sight{ByImages: true}}
	if err := c.run(t.Context()); err == nil || err.Error() != "--by-images: needs --calibration" {
		t.Errorf("without a calibration: %v", err)
	}
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
		err  string
	}{
		{"cyan1", []string{"/cyan1"}, ""},
		{"/cyan1", []string{"/cyan1"}, ""},
		{"cyan1..3,magenta2", []string{"/cyan1", "/cyan2", "/cyan3", "/magenta2"}, ""},
		{"r2d2,NuBot1..2", []string{"/r2d2", "/NuBot1", "/NuBot2"}, ""},
		{"", nil, "must name one"},
		{"cyan1,", nil, `"": must be a name`},
		{"cyan3..1", nil, "must begin with the lower number"},
		{"cyan1..2,cyan2", nil, "/cyan2 is named twice"},
		{"cyan1..999", nil, "at most 100 robots"},
		{"cyan-1", nil, "must be a name"},
	} {
		got, err := expand(c.list)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: err = %v, want %q", c.list, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", c.list, err, diff)
		}
	}
}
