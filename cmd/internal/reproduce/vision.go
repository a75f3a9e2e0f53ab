package reproduce

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/internal/page"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Criteria.
const (
	visionSeen  = 0.5                 // least visible fraction of the ball's disc
	visionWrong = 0.5                 // a detection with a larger error, in m, is a false positive
	visionTurn  = 25 * spatial.Degree // largest bearing of the ball for the front camera
	visionShare = 0.85                // least fraction of balls that must be found, as in refbot's own tests
)

// bearer is a robot's camera in the experiment, and the requirements on it.
type bearer struct {
	sensor string
	reach  float64 // greatest distance of evaluated balls, m
	aim    float64 // greatest median error that refbot's tests allow, m
	near   float64 // distance up to which a ball counts as near, m
}

var bearers = []bearer{{"omni", 5, 0.1, 4}, {"front", 3, 0.03, 1.5}}

// found contains the results of one camera.
type found struct {
	there, right, wrong, images int
	distance, error             []float64 // m, of correct detections
	near                        []float64 // errors of near detections, m
}

func runVision(ctx context.Context, t *Trial) error {
	scenes := 120
	switch {
	case t.brief:
		scenes = 2
	case t.Quick:
		scenes = 12
	}
	p := experiment.Plot{Name: "error", Title: "Error of the ball's place", XLabel: "distance, m: up to",
		YLabel: "median error, cm"}
	for i, b := range bearers {
		f, err := t.look(ctx, b, scenes,
			func(share float64) { t.Progress((float64(i) + share) / float64(len(bearers))) })
		if err != nil {
			return err
		}
		low, high := page.Proportion(f.right, f.there)
		t.Add(Trend(b.sensor+": balls that are found", 100*float64(f.right)/float64(f.there), "%", "the ball is found",
			fmt.Sprintf("at least %.0f %%", 100*visionShare), float64(f.right) >= visionShare*float64(f.there)).within(
			100*low, 100*high))
		t.Add(Aside(b.sensor+": balls of which half is seen", float64(f.there), ""))
		t.Add(Trend(b.sensor+": images in which something else is taken for the ball",
			100*float64(f.wrong)/float64(f.images), "%", "satisfactory", "up to 2 %, or one",
			f.wrong <= max(1, f.images/50)))
		slices.Sort(f.near)
		median := math.NaN()
		if len(f.near) > 0 {
			median = stat.Quantile(0.5, stat.LinInterp, f.near, nil)
		}
		t.Add(Trend(fmt.Sprintf("%s: median error up to %g m", b.sensor, b.near), 100*median, "cm", "satisfactory",
			fmt.Sprintf("up to %.0f cm", 100*b.aim), median <= b.aim))
		p.Curves = append(p.Curves, f.curve(b.sensor, b.reach))
	}
	t.Plot(p)
	return nil
}

// curve returns a curve of the median error over the ball's distance. Each of its points is for a band of distances
// that is 1 m wide.
func (f *found) curve(name string, reach float64) experiment.Curve {
	c := experiment.Curve{Name: name}
	for band := 1.0; band <= reach; band++ {
		var in []float64
		for i, d := range f.distance {
			if d > band-1 && d <= band {
				in = append(in, f.error[i])
			}
		}
		if slices.Sort(in); len(in) > 0 {
			c.Add(band, 100*stat.Quantile(0.5, stat.LinInterp, in, nil))
		}
	}
	return c
}

// look evaluates a number of random scenes with one camera.
func (t *Trial) look(ctx context.Context, b bearer, scenes int, progress func(float64)) (*found, error) {
	w, err := t.Load(0)
	if err != nil {
		return nil, err
	}
	robot := slices.IndexFunc(w.Robots, func(r worlds.Robot) bool {
		return slices.ContainsFunc(r.Sensors, func(c sensors.Config) bool { return c.Name == b.sensor && c.Annotate })
	})
	if robot < 0 {
		return nil, t.unfit("has no robot with a camera %q that has ground_truth = true", b.sensor)
	}
	name := w.Robots[robot].Name
	s, err := t.newSight(ctx, w, name, b.sensor)
	if err != nil {
		return nil, err
	}
	f := &found{}
	for draw := range scenes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.scene(draw, robot, b, s, f); err != nil {
			return nil, err
		}
		progress(float64(draw+1) / float64(scenes))
	}
	return f, nil
}

// scene evaluates one random scene, and adds the result to f. The argument draw is the index of the scene, and is added
// to the seed.
func (t *Trial) scene(draw, robot int, b bearer, s *sight, f *found) error {
	w, err := t.Load(draw)
	if err != nil {
		return err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{Cache: &t.cache})
	if err != nil {
		return err
	}
	defer sim.Close()
	name := w.Robots[robot].Name
	if b.sensor != bearers[0].sensor {
		at, ball := sim.Truth().Robots[robot].PoseWB.Pos, sim.Truth().Ball.PosW
		_, aside := math.Modf(float64(draw+1) * math.Phi) // low-discrepancy sequence
		heading := math.Atan2(ball[1]-at[1], ball[0]-at[0]) + visionTurn*(2*aside-1)
		if err := sim.Do(&action.Place{Name: name, X: at[0], Y: at[1], Heading: heading}); err != nil {
			return err
		}
	}
	// wait until all bodies on the floor are at rest and the camera has set its exposure
	for sim.Truth().Time < visionSettle {
		if err := sim.Step(); err != nil {
			return err
		}
	}
	image, err := sim.Sensors().Capture(name, b.sensor, abstraction.Raw)
	if err != nil {
		return err
	}
	defer image.Release()
	pose := sim.Truth().Robots[robot].PoseWB
	ball := pose.Inverse().Apply(sim.Truth().Ball.PosW)
	told, ok := s.look(pose, image.Color.Pix)
	off := told.Sub(ball).Len()
	f.images++
	if ok && !(off <= visionWrong) {
		f.wrong++
	}
	distance := math.Hypot(ball[0], ball[1])
	if distance > b.reach || s.visible(ball, w.Ball.Radius, image,
		uint16(int(render.LabelBody)+sim.Sensors().Scenery().Ball())) < visionSeen {
		return nil
	}
	f.there++
	if ok && off <= visionWrong {
		f.right++
		f.distance, f.error = append(f.distance, distance), append(f.error, off)
		if distance <= b.near {
			f.near = append(f.near, off)
		}
	}
	return nil
}

// visionSettle is the time before the image is taken.
const visionSettle = 34 * time.Millisecond

// sight is refbot's vision with one camera of a robot, configured by the files that omnipitch calibration would write.
type sight struct {
	eyes  *node.Eyes
	view  *vision.View
	field *locate.Field
	front bool
}

// newSight calibrates a camera and makes its colour table.
func (t *Trial) newSight(ctx context.Context, w *worlds.World, robot, sensor string) (*sight, error) {
	sim, err := omnipitch.New(w, omnipitch.Options{Cache: &t.cache})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	cfg, ok := w.Sensor(robot, sensor)
	if !ok {
		return nil, t.unfit("robot %s has no sensor %s", robot, sensor)
	}
	s := &sight{front: cfg.Kind == sensors.CameraKind, field: markingsOf(w)}
	var mount vision.OmniMount
	var model *vision.OmniModel
	if s.front {
		s.view, err = viewOf(sim, robot, cfg, 0)
	} else {
		model, mount, err = omniOf(sim, robot, cfg)
	}
	if err != nil {
		return nil, t.unfit("%w", err)
	}
	table, err := sightColors(ctx, w, robot, sensor, s.front)
	if err != nil {
		return nil, err
	}
	if s.front {
		// a placeholder for the omni camera, which is not needed
		none := vision.NewFloor(&vision.OmniModel{Width: 1, Height: 1, C: 1}, vision.OmniMount{}, 1)
		s.eyes = node.NewEyes(none, s.field)
		s.eyes.UseFront(table, s.view)
		return s, nil
	}
	floor := vision.NewFloor(model, mount, reach)
	s.view, s.eyes = vision.NewOmniView(model, mount), node.NewEyes(floor, s.field)
	s.eyes.UseColors(table, s.view, floor)
	return s, nil
}

// sightColors makes a colour table in the form in which omnipitch calibration writes it, and reads it.
func sightColors(ctx context.Context, w *worlds.World, robot, sensor string, front bool) (*vision.ColorTable, error) {
	space, ours := calibration.YUV, vision.YUV
	if front {
		space, ours = calibration.BGR, vision.BGR
	}
	made, _, err := colortable.Make(ctx, []*worlds.World{w}, robot, sensor,
		func(seen *calibration.ColorHistogram) *calibration.ColorTable { return seen.Table(space) }, func(string) {},
		calibration.GreenColor, calibration.BallColor)
	if err != nil {
		return nil, err
	}
	file := make([]byte, 0, len(made.Cells))
	for _, c := range made.Cells {
		file = append(file, byte(c))
	}
	return vision.ReadColorTable(bytes.NewReader(file), ours)
}

// look returns the ball's position according to the vision, in the robot's frame, in m. It returns false if the vision
// finds no ball. The vision of an omni camera finds the robot's pose itself, with a compass error of 0.03 rad. The
// vision of a front camera cannot do so. It receives the true pose.
func (s *sight) look(pose spatial.Pose, pix []byte) (ballB mgl64.Vec3, ok bool) {
	if s.front {
		known := locate.Estimate{Pose: locate.Pose{Pos: pitch.Vec{pose.Pos[0], pose.Pos[1]}, Heading: pose.Heading()},
			Known: true}
		c, ok := s.eyes.Front(pix, &known)
		return c.Pos, ok
	}
	s.eyes.Tracker = locate.NewTracker(s.field)
	s.eyes.Tracker.Compass(pose.Heading() + 0.03)
	s.eyes.Tracker.Odometry(time.Second, locate.Pose{})
	seen := s.eyes.Omni(time.Second, pix)
	return seen.Ball.Pos, seen.HasBall
}

// visible returns which fraction of the ball's disc is visible in an image, given the pixel label of the ball. It
// returns 0 if the disc's centre is outside the image.
func (s *sight) visible(ballB mgl64.Vec3, radius float64, image *sensors.Observation, label uint16) float64 {
	c := ballB.Sub(s.view.Pos)
	toward, cos := c.Normalize(), math.Cos(math.Asin(radius/c.Len()))
	seen, all, inside := 0.0, 0.0, false
	for i, l := range image.Truth.Labels {
		if l == label {
			seen++
		}
		if d := s.view.Index(i).Dot(toward); d >= cos {
			all++
			inside = inside || d >= 1-0.1*(1-cos)
		}
	}
	if !inside {
		return 0
	}
	return seen / math.Max(all, 1)
}
