package dashboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// overlaid is a picture of a camera with its overlays.
type overlaid struct {
	kind  string // media type of the picture
	image []byte
	overlayJSON
}

// overlaidFrame gets the next frame of a camera with overlays, and updates after.
func (s *served) overlaidFrame(robot, sensor, query string, after *string) *overlaid {
	s.t.Helper()
	for {
		status, head, body := s.send("GET", "/api/cameras/"+robot+"/"+sensor+"/next?"+query+"&after="+*after, "", nil)
		if status == http.StatusNoContent {
			continue
		}
		if status != 200 {
			s.t.Fatalf("got %d: %s", status, body)
		}
		*after = head.Get("Omnipitch-Frame")
		kind, params, err := mime.ParseMediaType(head.Get("Content-Type"))
		if err != nil {
			s.t.Fatal(err)
		}
		if kind != "multipart/form-data" {
			continue // a frame from before the level changed
		}
		form := must.Get(multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(1 << 24))(s.t)
		o := &overlaid{kind: form.File["picture"][0].Header.Get("Content-Type")}
		file, err := form.File["picture"][0].Open()
		if err == nil {
			o.image, err = io.ReadAll(file)
		}
		must.Do(s.t, errors.Join(err, json.Unmarshal([]byte(form.Value["overlay"][0]), &o.overlayJSON)))
		return o
	}
}

// inside reports whether a point is inside the outlines, by counting the crossings of a ray, or within some pixels of
// one of them.
func inside(lines []pixels, u, v, within float64) bool {
	in := false
	for _, line := range lines {
		for i := range line {
			a, b := line[i], line[(i+1)%len(line)]
			if (a[1] > v) != (b[1] > v) && u < a[0]+(v-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
			du, dv := b[0]-a[0], b[1]-a[1]
			along := max(0, min(1, ((u-a[0])*du+(v-a[1])*dv)/max(du*du+dv*dv, 1e-9)))
			if math.Hypot(a[0]+along*du-u, a[1]+along*dv-v) <= within {
				return true
			}
		}
	}
	return in
}

func (o *overlaid) body(name string) *outlinedJSON {
	for i := range o.Bodies {
		if o.Bodies[i].Name == name {
			return &o.Bodies[i]
		}
	}
	return nil
}

// ballColored returns the number of pixels with the ball's colour, their mean position, and how many lie neither inside
// the outlines nor within some pixels of them.
func ballColored(m image.Image, lines []pixels, within float64) (n int, u, v float64, outside int) {
	b := m.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, b, _ := m.At(x, y).RGBA()
			// Most limits are relative to red, so that shaded parts of the ball count too.
			if red, green, blue := int(r>>8), int(g>>8), int(b>>8); red < 70 || red-blue < red*3/5 ||
				green-blue < red/4 || red-green < red/10 {
				continue
			}
			n, u, v = n+1, u+float64(x), v+float64(y)
			if !inside(lines, float64(x), float64(y), within) {
				outside++
			}
		}
	}
	return n, u / float64(n), v / float64(n), outside
}

// middle returns the mean position of a closed outline. Each edge counts by its length.
func middle(line pixels) (u, v float64) {
	sum := 0.0
	for i, a := range line {
		b := line[(i+1)%len(line)]
		l := math.Hypot(b[0]-a[0], b[1]-a[1])
		u, v, sum = u+l*(a[0]+b[0])/2, v+l*(a[1]+b[1])/2, sum+l
	}
	return u / sum, v / sum
}

// TestOverlaysFitPictures checks that overlays fit the exact moment of the picture, however fast the robot and the ball
// move. The outline of the ball must enclose all pixels of its colour and no others, in the image of a mirror and of a
// lens.
func TestOverlaysFitPictures(t *testing.T) {
	t.Parallel()
	w := looking(t, 240, 180)
	s := serve(t, w)
	robot := w.Robots[1].Name
	for _, c := range []struct{ sensor, ball, drive string }{
		{"omni", `"x_m": 1.5, "y_m": 0.6, "vx_m_s": -3, "vy_m_s": 0.5`, `"omega_deg_s": 200`},
		{"front", `"x_m": -1.2, "y_m": 0.3, "vx_m_s": 0.2, "vy_m_s": -4`, `"vy_m_s": 1.5`},
	} {
		after, fits, moved := "0", 0, 0
		lastU, lastV := 0.0, 0.0
		s.do(`{"drive": {"robot": "` + robot + `", ` + c.drive + `}}`)
		for k := 0; fits < 5; k++ {
			if k == 60 {
				t.Fatalf("%s: the ball was seen in %d of %d frames", c.sensor, fits, k)
			}
			if k%6 == 0 {
				s.do(`{"place": {"name": "` + robot + `", "x_m": 0.8, "y_m": -1, "heading_deg": 180}}`)
				s.do(`{"place": {"name": "ball", ` + c.ball + `}}`)
			}
			o := s.overlaidFrame(robot, c.sensor, "width=240&overlay=bodies", &after)
			b := o.body("ball")
			if b == nil || len(b.Outline) != 1 { // outside the image, or behind a rod of the mirror
				continue
			}
			m := must.Get(jpeg.Decode(bytes.NewReader(o.image)))(t)
			const blurred = 2 // px of error from the coarser colour of JPEG
			n, u, v, outside := ballColored(m, b.Outline, blurred)
			atU, atV := middle(b.Outline[0])
			if n < 12 { // too far away to show its colour
				continue
			}
			if !(outside == 0 && math.Hypot(u-atU, v-atV) < blurred+1) { // in the next frame, it is more than 5 px away
				t.Errorf("%s at %g s: got %d of the ball's %d pixels outside its outline, and their centre at (%.1f, "+
					"%.1f), want none, and about (%.1f, %.1f)", c.sensor, o.Stamp, outside, n, u, v, atU, atV)
			}
			if math.Hypot(u-lastU, v-lastV) > 5 {
				moved++
			}
			lastU, lastV = u, v
			fits++
		}
		if moved < 3 {
			t.Errorf("%s: the ball moved between %d frames, want 3 at least", c.sensor, moved)
		}
		s.do(`{"drive": {"robot": "` + robot + `", "stop": true}}`)
	}
}

// TestDepthColorsDecode checks that the colours of a depth image encode the depth to within half a step. Pixels without
// a measurement must have other colours.
func TestDepthColorsDecode(t *testing.T) {
	const near, far, step = 0.5, 8, 7.5 / depthSteps
	d := render.NewDepth(64, 8)
	for i := range d.Z {
		d.Z[i] = near + (far-near)*float32(i)/float32(len(d.Z)-1)
	}
	d.Z[0], d.Z[1], d.Z[2], d.Z[3] = 0, float32(math.Inf(1)), float32(math.NaN()), 0.49
	text := must.Get(encodeDepth(d, d.Width, near, far))(t)
	m, err := png.Decode(bytes.NewReader(text))
	if err != nil || m.Bounds() != image.Rect(0, 0, 64, 8) {
		t.Fatalf("got %v, %v, want an image of 64 × 8 pixels", m, err)
	}
	scale := decodedScale(t)
	for i, z := range d.Z {
		got, ok := depthOf(scale, m.At(i%64, i/64), near, far)
		if known := i > 3; ok != known || known && !(math.Abs(got-float64(z)) <= step/2+1e-6) {
			t.Errorf("%g m is shown as %g m, %v", z, got, ok)
		}
	}
	small := must.Get(encodeDepth(d, 16, near, far))(t)
	if m, err := png.Decode(bytes.NewReader(small)); err != nil || m.Bounds().Dx() != 16 || m.Bounds().Dy() != 2 {
		t.Errorf("got %v, %v, want an image of 16 × 2 pixels", m, err)
	}
}

// decodedScale returns the colours of the scale that the page shows, nearest first.
func decodedScale(t *testing.T) (all []color.Color) {
	t.Helper()
	text := must.Get(depthScale())(t)
	m, err := png.Decode(bytes.NewReader(text))
	if err != nil || m.Bounds().Dx() != depthSteps {
		t.Fatalf("%v, %v", m, err)
	}
	for i := range depthSteps {
		all = append(all, m.At(i, 0))
	}
	return all
}

// depthOf returns the depth that a colour of the scale encodes. It returns false for a colour that is not on the scale.
func depthOf(scale []color.Color, c color.Color, near, far float64) (float64, bool) {
	r, g, b, _ := c.RGBA()
	i := slices.IndexFunc(scale, func(s color.Color) bool {
		sr, sg, sb, _ := s.RGBA()
		return sr == r && sg == g && sb == b
	})
	return near + (float64(i)+0.5)/depthSteps*(far-near), i >= 0
}

// TestDepthAndScansAreTrue compares the depth images and laser scans of a page with the truth: the floor, walls, robots
// and goal posts. It checks the other readings, and the timing of sensors.
func TestDepthAndScansAreTrue(t *testing.T) {
	t.Parallel()
	w := looking(t, 160, 120)
	addLaser(&w.Robots[1])
	s := serve(t, w)
	keeper, player := w.Robots[0].Name, w.Robots[1].Name

	// The depth of the floor in the lowest row of the image, from the pose of the camera.
	after := "0"
	var o *overlaid
	// frames from before the request for overlays arrive first
	for o == nil || o.kind != "image/png" || o.Horizon == nil {
		o = s.overlaidFrame(keeper, "kinect_left", "width=160&picture=depth&overlay=horizon", &after)
	}
	m, err := png.Decode(bytes.NewReader(o.image))
	if err != nil || m.Bounds().Dx() != 160 {
		t.Fatalf("got %v, %v, want an image 160 pixels wide", m, err)
	}
	c, _ := s.sim.Sensors().Camera(keeper, "kinect_left")
	kinect := c.Config()
	scale := decodedScale(t)
	step := (kinect.Ranging.Max - kinect.Ranging.Min) / depthSteps
	poseWC := s.truth.Load().Robots[0].PoseWB.Mul(c.PoseBC())
	for u := 0; u < 160; u += 10 {
		along, _ := c.Model().Unproject(float64(u), 119)
		want := -poseWC.Pos[2] / poseWC.Rotate(along)[2] * along[2]
		// The robot stands on springs of a millimetre.
		if got, ok := depthOf(scale, m.At(u, 119), kinect.Ranging.Min, kinect.Ranging.Max); !ok ||
			!(math.Abs(got-want) <= step/2+0.01) {
			t.Errorf("depth of the floor at column %d: got %g m, %v, want %g m", u, got, ok, want)
		}
	}

	// A scan, while its robot turns and drives.
	s.do(`{"drive": {"robot": "` + player + `", "vx_m_s": 1, "omega_deg_s": 100}}`)
	until(t, "the robot to turn", func() bool { return math.Abs(s.truth.Load().Robots[1].TwistWBInW.Ang[2]) > 1.5 })
	f := w.Model().Field
	x, y := f.Length/2+f.Border, f.Width/2+f.Border
	const near = 0.02 // m: points have a resolution of a millimetre
	on := func(px, py float64) bool {
		now := s.truth.Load()
		keeper, ball := now.Robots[0].PoseWB.Pos, now.Ball.PosW
		return math.Abs(math.Abs(px)-x) < near || math.Abs(math.Abs(py)-y) < near || // a wall
			math.Abs(math.Abs(px)-f.Length/2) < f.GoalDepth+0.2 && math.Abs(py) < f.GoalWidth/2+0.2 || // a goal
			math.Hypot(px-keeper[0], py-keeper[1]) < w.Model().Robots[0].Body.Radius+0.2 ||
			math.Hypot(px-ball[0], py-ball[1]) < 0.2
	}
	path := "/api/sensors/" + player + "/laser/next?after="
	walls, serial := 0, "0"
	for range 3 {
		status, head, body := s.send("GET", path+serial, "", nil)
		var r readingJSON
		if err := json.Unmarshal(body, &r); err != nil || status != 200 || r.Robot == nil || r.Scan == nil {
			t.Fatalf("got %d: %s: %v, want a scan and the robot's pose", status, body, err)
		}
		serial = head.Get("Omnipitch-Frame")
		sin, cos := math.Sincos(r.Robot.Heading * spatial.Degree)
		for _, p := range r.Scan.Points {
			px, py := r.Robot.X+cos*p[0]-sin*p[1], r.Robot.Y+sin*p[0]+cos*p[1]
			if !on(px, py) {
				t.Fatalf("the scan of %g s has a point at (%.3f, %.3f), want it on a body", r.Stamp, px, py)
			}
			if math.Abs(math.Abs(px)-x) < near {
				walls++
			}
		}
		must.Equal(t, len(r.Scan.Points)+r.Scan.TooFar+r.Scan.TooNear, r.Scan.Beams, "beams")
	}
	if walls < 100 {
		t.Errorf("got %d points on the walls behind the goals, want 100 at least", walls)
	}

	// Other sensors are numbers, and cameras are not among them.
	if imu := get[struct{ Reading map[string]any }](s,
		"/api/sensors/"+player+"/imu/next").Reading; imu["specific_force_m_s2"] == nil {
		t.Errorf("got %v, want a specific force", imu)
	}
	for path, want := range map[string]string{"sensors/" + player + "/omni/next": "is a camera",
		"cameras/" + player + "/imu/next": "there is no camera", "sensors/" + player +
			"/x/next": "there is no sensor"} {
		s.refuses("/api/"+path, "", 404, want)
	}
	s.refuses("/api/cameras/"+player+"/omni/next?overlay=rim,halo", "", 400, "must be some of")
	s.refuses("/api/cameras/"+player+"/omni/next?picture=heat", "", 400, "must be color or depth")

	// Timing of sensors.
	report := func(sensor string) *sensorReportJSON {
		s.send("GET", path+"0", "", nil) // simulates a viewer
		reports := get[[]sensorReportJSON](s, "/api/sensors")
		i := slices.IndexFunc(reports, func(r sensorReportJSON) bool { return r.Robot == player && r.Sensor == sensor })
		return &reports[i]
	}
	until(t, "the laser's rate and cost", func() bool {
		r := report("laser")
		return r.Rate != nil && *r.Rate > 0 && r.Cost != nil
	})
	if r := report("laser"); !(*r.Rate > 0 && *r.Rate < 30 && *r.Cost > 0 && *r.Cost < 0.5) || r.Measured == nil ||
		!(*r.Measured >= r.Delay) {
		t.Errorf("got %+v, want the rate and the cost of a laser, and a delay of %v s at least", r, r.Delay)
	}
	if r := report("front"); r.Rate == nil || *r.Rate != 0 || r.Cost != nil {
		t.Errorf("front camera without viewers: got %+v, want rate 0 and no cost", r)
	}
}

// TestOverlaysNeedViewers checks that frames carry the data for overlays only while clients request overlays.
func TestOverlaysNeedViewers(t *testing.T) {
	t.Parallel()
	s := serve(t, looking(t, 120, 96))
	robot := s.sim.World().Robots[1].Name
	after := "0"
	for len(s.overlaidFrame(robot, "omni", "width=120&overlay=bodies,lines", &after).Bodies) == 0 {
	}
	feed := must.Get(s.run.feeds.find(robot, "omni", true))(t)
	must.Equal(t, feed.overlays(), bodiesOverlay|linesOverlay, "wanted overlays")
	for i := range feed.asked {
		feed.asked[i].Store(time.Now().Add(-time.Minute).UnixNano()) // as if the last request was long ago
	}
	// The next two frames may have been captured before.
	plain := must.Get(feed.next(t.Context(), uint64(number(t, after))+2, 0))(t)
	defer plain.release()
	if plain.obs.Overlay != nil {
		t.Error("an overlay was computed without a viewer")
	}
}

// TestEncodedOnce checks that a picture or an overlay is encoded once for any number of viewers, and a picture once for
// similar widths.
func TestEncodedOnce(t *testing.T) {
	f := &frame{obs: observation(200, 100)}
	of := func(width int) func() ([]byte, error) {
		return func() ([]byte, error) {
			body, _, err := f.picture(picture{width: width})
			return body, err
		}
	}
	lines := func() ([]byte, error) { return f.overlay(linesOverlay) }
	for _, pair := range [][2]func() ([]byte, error){{of(100), of(90)}, {lines, lines}} {
		first, err := pair[0]()
		again, err2 := pair[1]()
		if err != nil || err2 != nil || &again[0] != &first[0] {
			t.Errorf("got a second encoding, %v, %v, want the first", err, err2)
		}
	}
	whole, _ := of(5000)()
	if m, err := jpeg.Decode(bytes.NewReader(whole)); err != nil || m.Bounds() != image.Rect(0, 0, 200, 100) {
		t.Errorf("got %v, %v, want an image of 200 × 100 pixels", m, err)
	}
}

// addLaser adds a noise-free laser to a robot.
func addLaser(r *worlds.Robot) {
	c := sensors.Config{Name: "laser", Kind: "laser", Level: abstraction.Ideal}
	c.Complete()
	c.Mount.Z = 0.3
	r.Sensors = append(r.Sensors, c)
}

// observation returns an observation with an image of a size.
func observation(width, height int) *sensors.Observation {
	m := render.NewImage(width, height)
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	return &sensors.Observation{Color: m}
}
