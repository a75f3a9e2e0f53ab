package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var localisePoses = flag.Int("localise.poses", 4, "in how many poses TestNuBotsFilesLocalise localises a robot")

// threeMirrors is a world with a robot that has three mirror cameras. One mirror is hyperbolic, one follows NuBot's
// law, and one is the measured mirror of the world mirrors.
const threeMirrors = `
name = "three-mirrors"
field = "msl-18x12"
[ball]
x_m = 2
y_m = 0.7
[[robot]]
name = "cyan1"
model = "nubot"
number = 4
[[robot.sensor]]
name = "front"
level = "truth"
[[robot.sensor]]
name = "omni"
rate_hz = 5
[[robot.sensor]]
name = "ground"
kind = "omni"
rate_hz = 5
mount = { z_m = 0.78, yaw_deg = -90 }
mirror = { profile = "ground", a_m = 1.57, b_rad_px = 0.0052, distance_m = 0.08, rim_radius_m = 0.06 }
[[robot.sensor]]
name = "measured"
kind = "omni"
rate_hz = 5
mount = { z_m = 0.78, yaw_deg = -90 }
[robot.sensor.mirror]
profile = "table"
method = "raycast"
distance_m = 0.07
rim_radius_m = 0.046
r_m = [0.0, 0.01, 0.02, 0.03, 0.035, 0.04, 0.043, 0.046]
z_m = [0.0, 0.00062, 0.0025, 0.00572, 0.00787, 0.01042, 0.01215, 0.01405]
`

// TestNuBotsFilesLocalise checks that a node which reads NuBot's formats can localise with the files of the command.
// omniVision uses the markings in raw images, and starts half a metre and 20° off. Over the 20 poses of make
// verify-localise, the median error must be below 3 cm and 0.3°.
func TestNuBotsFilesLocalise(t *testing.T) {
	if testing.Short() {
		t.Skip("short: draws raw images")
	}
	random := rand.New(rand.NewPCG(1, 0))
	text, sensors := threeMirrors, []string{"omni", "ground", "measured"}
	if !*long { // the other mirrors take a minute
		text, _, _ = strings.Cut(text, "[[robot.sensor]]\nname = \"ground\"")
		sensors = sensors[:1]
	}
	for k := range *localisePoses {
		text += fmt.Sprintf("[[event]]\nat_s = %.1f\nplace = { name = \"cyan1\", x_m = %.3f, y_m = %.3f, heading_deg "+
			"= %.1f }\n", 0.2*float64(k),
			16*(random.Float64()-0.5), 10*(random.Float64()-0.5), 360*random.Float64()-180)
	}
	world, dir := must.File(t, "three-mirrors.toml", text), t.TempDir()
	frames := filepath.Join(dir, "frames")
	end := fmt.Sprintf("%dms", 200**localisePoses-1)
	prints(t, console.ExitDone, "", "run", world, "--for", end, "--speed", "max", "--ros1", "off", "--out", frames)
	truth := truePoses(t, filepath.Join(frames, "truth.jsonl"), 0.2)
	for _, sensor := range sensors {
		t.Run(sensor, func(t *testing.T) {
			files := filepath.Join(dir, "files of "+sensor)
			writeNuBotsFiles(t, world, "cyan1", sensor, files)
			node := newOmniVision(t, files, 4, 18, 12)
			var off, turned []float64 // cm, degrees
			for k := range *localisePoses {
				points := node.whites(readImage(t, filepath.Join(frames, fmt.Sprintf("cyan1.%s.raw.%06d.png", sensor,
					k))))
				want, way := truth[k], 2*math.Pi*random.Float64()
				got := node.localise(points, planarPose{want.x + 50*math.Cos(way), want.y + 50*math.Sin(way),
					want.heading + 0.35*float64(1-k%2*2)})
				off = append(off, math.Hypot(got.x-want.x, got.y-want.y))
				turned = append(turned, math.Abs(math.Remainder(got.heading-want.heading, 2*math.Pi))*180/math.Pi)
				t.Logf("at (%.0f, %.0f) cm, %.0f°, by %d points: off by %.1f cm, %.2f°", want.x, want.y,
					want.heading*180/math.Pi, len(points), off[k], turned[k])
			}
			slices.Sort(off)
			slices.Sort(turned)
			half, last := len(off)/2, len(off)-1
			t.Logf("median %.1f cm, %.2f°, worst %.1f cm, %.2f°", off[half], turned[half], off[last], turned[last])
			if !(off[half] <= 4 && turned[half] <= 0.5 && off[last] <= 12 && turned[last] <= 2) {
				t.Errorf("off by more than 4 cm and 0.5°, median, or than 12 cm and 2°, worst")
			}
		})
	}
}

// truePoses reads the first robot's poses at intervals of a number of seconds.
func truePoses(t *testing.T, path string, every float64) (all []planarPose) {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	for line := range strings.Lines(string(text)) {
		var now struct {
			Time   float64 `json:"time_s"`
			Robots []struct {
				Position mgl64.Vec3 `json:"position_m"`
				Heading  float64    `json:"heading_rad"`
			} `json:"robots"`
		}
		must.Do(t, json.Unmarshal([]byte(line), &now))
		if now.Time > every*float64(len(all))-1e-6 {
			r := now.Robots[0]
			all = append(all, planarPose{100 * r.Position[0], 100 * r.Position[1], r.Heading})
		}
	}
	return all
}

// TestNuBotsROIFitsTheImage checks ROI.xml. The node takes rows and cols for the image size, shortens its scan lines to
// stay inside, and ignores the inner circle. All of the published image must be used and no line shortened. The inner
// circle must cover the robot, except for its rods.
func TestNuBotsROIFitsTheImage(t *testing.T) {
	world := must.File(t, "labels.toml", strings.Replace(threeMirrors, `name = "omni"`,
		"name = \"omni\"\nground_truth = true\nimage = { width_px = 700 }", 1))
	dir := t.TempDir()
	writeNuBotsFiles(t, world, "cyan1", "omni", filepath.Join(dir, "files"))
	args := []string{"run", world, "--for", "50ms", "--speed", "max", "--ros1", "off", "--out",
		filepath.Join(dir, "frames"), "--renderer", "raycast"}
	prints(t, console.ExitDone, "", append(args, "--level", "cyan1.*=truth", "--level", "cyan1.omni=ideal")...)
	n := newOmniVision(t, filepath.Join(dir, "files"), 4, 18, 12)
	labels := readImage(t, filepath.Join(dir, "frames", "cyan1.omni.ideal.000000.labels.png"))
	if size := labels.Bounds().Size(); n.roi["cols"] != float64(size.X) || n.roi["rows"] != float64(size.Y) ||
		n.roi["start_row"] != 0 || n.roi["start_column"] != 0 {
		t.Errorf("ROI.xml says %v of an image of %v", n.roi, size)
	}
	column, row := n.roi["center_point_column"], n.roi["center_point_row"]
	if !(math.Hypot(column-n.mirror["center_coloum"], row-n.mirror["center_row"]) <= 0.75) {
		t.Errorf("the circles' centre is (%v, %v), the mirror's (%v, %v)", column, row, n.mirror["center_coloum"],
			n.mirror["center_row"])
	}
	for degree := range 360 {
		sin, cos := math.Sincos(float64(degree) * math.Pi / 180)
		for _, radius := range []float64{n.roi["small_radius"], n.roi["big_radius"] - 3} {
			if u, v := column+radius*cos, row+radius*sin; !(u >= 0 && v >= 0 && u < n.roi["cols"] &&
				v < n.roi["rows"]) {
				t.Fatalf("the scan line at %d° passes (%.0f, %.0f), which is no pixel of %v × %v", degree, u, v,
					n.roi["cols"], n.roi["rows"])
			}
		}
	}
	own := labelOf(t, filepath.Join(dir, "frames", "labels.json"), "cyan1")
	reach := 0.0 // reach of the robot without its rods, pixels
	for v := range int(n.roi["rows"]) {
		for u := range int(n.roi["cols"]) {
			if r, _, _, _ := labels.At(u, v).RGBA(); r != own {
				continue
			}
			du, dv := float64(u)-n.mirror["center_coloum"], float64(v)-n.mirror["center_row"]
			// Rods are at 60°, 180° and −60°. At the inner circle they are up to 4° wide.
			if beside := math.Abs(math.Remainder(math.Atan2(dv, du)-math.Pi/3, 2*math.Pi/3)); beside > 4*math.Pi/180 {
				reach = math.Max(reach, math.Hypot(du, dv))
			}
		}
	}
	if small := n.roi["small_radius"]; !(reach > 50 && small >= reach && small <= reach+2) {
		t.Errorf("small_radius = %v: the robot reaches %.1f px", small, reach)
	}
}

// labelOf returns the label of a body in label images.
func labelOf(t *testing.T, path, name string) uint32 {
	t.Helper()
	var names map[uint32]string
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &names)
	}
	if err != nil {
		t.Fatal(err)
	}
	for label, of := range names {
		if of == name {
			return label
		}
	}
	t.Fatalf("%s: %v: no %s", path, names, name)
	return 0
}

// TestNuBotsFoldersAreNumbers checks that the folder is named after the robot's number, by which the node finds it. If
// both teams have a robot with the same number, each team must have its own complete folder.
func TestNuBotsFoldersAreNumbers(t *testing.T) {
	shared := must.File(t, "shared.toml", "name = \"shared\"\ninclude = [\"nubot-attack\"]\n[[robot]]\nname = "+
		"\"magenta2\"\nmodel = \"nubot\"\nteam = \"magenta\"\nnumber = 2\npose = { x_m = 5, y_m = 4 }\n")
	w := must.Get(worlds.Load(shared))(t)
	out := "dir"
	c := calibrationCmd{Out: &out}
	for i, want := range []string{"dir/cyan/1", "dir/magenta/1", "dir/magenta/2"} {
		must.Equal(t, c.nubotFolder(&cameraSite{world: w, robot: i}), want, "%s", w.Robots[i].Name)
	}
	w.Robots[0].Number = 5
	must.Equal(t, c.nubotFolder(&cameraSite{world: w, robot: 0}), "dir/5", "folder of teams that share no number")
	dir := t.TempDir()
	stderr := writeNuBotsFiles(t, shared, "magenta2", "omni", dir)
	newOmniVision(t, filepath.Join(dir, "magenta"), 2, 18, 12)
	wantLines(t, stderr, fmt.Sprintf("AGENT=2 rosrun omni_vision omni_vision_node %s\n", filepath.Join(dir, "magenta")))
}

// TestCalibrationSaysWhatNuBotAssumesOfBalls checks that the command says by how much omni_vision misplaces balls,
// because the height of the mirror and the radius of the ball are compiled into the node.
func TestCalibrationSaysWhatNuBotAssumesOfBalls(t *testing.T) {
	for _, c := range []struct{ mount, ball, want string }{
		{"{}", "{}", ""},
		{"{ z_m = 0.785 }", "{}", ""},
		{"{ z_m = 0.62 }", "{}", "it places balls 4.4 % too far, unless mount.z_m = 0.78\n"},
		{"{ z_m = 0.95 }", "{}", "it places balls 2.9 % too near, unless mount.z_m = 0.78\n"},
		{"{}", "{ radius_m = 0.1 }", "it places balls 1.5 % too near, unless mount.z_m = 0.709\n"},
	} {
		world := must.File(t, "height.toml", "name = \"height\"\ninclude = [\"omni-vision\"]\nball = "+c.ball+
			"\n[[robot]]\nname = \"nubot1\"\n[[robot.sensor]]\nname = \"omni\"\nmount = "+c.mount+"\n")
		site := siteOf(t, world, "nubot1", "omni")
		out := "out"
		command := calibrationCmd{Camera: "nubot1.omni", Out: &out}
		var said bytes.Buffer
		command.printNuBotHints(console.Streams{Out: &said, Err: &said}, site)
		if got := said.String(); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "warning") {
			t.Errorf("mount = %s, ball = %s: got %q, want a warning that ends in %q", c.mount, c.ball, got, c.want)
		}
	}
}

// siteOf returns a camera of a world with its surroundings.
func siteOf(t *testing.T, world, robot, sensor string) *cameraSite {
	t.Helper()
	w := must.Get(worlds.Load(world))(t)
	r := slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == robot })
	return must.Get(newCameraSite(w, r, slices.IndexFunc(w.Robots[r].Sensors,
		func(s sensors.Config) bool { return s.Name == sensor })))(t)
}

// writeNuBotsFiles does the same as the command calibration, except for the slow colour table. It returns the messages
// without the quality of the fit.
func writeNuBotsFiles(t *testing.T, world, robot, sensor, out string) (stderr string) {
	t.Helper()
	site := siteOf(t, world, robot, sensor)
	model := must.Get(calibration.Central(site.camera.Model(), site.camera.PoseBC()))(t)
	c := calibrationCmd{Camera: robot + "." + sensor, Format: "nubot", Out: &out}
	var files calibration.Files
	fit, err := c.fit(site, model)
	if err == nil {
		err = fit.write(&files, io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	con := console.Streams{Out: &text, Err: &text}
	c.warn(con, site, model, fit)
	c.printNuBotHints(con, site)
	c.printReplaced(con, &files)
	return text.String()
}
