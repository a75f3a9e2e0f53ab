package reproduce

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/colortable"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/camera"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/colors"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// sight is refbot's vision behind one camera of a robot, by the files that omnipitch calibration would write for it.
type sight struct {
	eyes  *node.Eyes
	view  *camera.View
	field *locate.Field
	front bool
}

// sightReach is up to where pixels are taken for floor, m, as refbot has it.
const sightReach = 7

// newSight calibrates a camera, and makes its colour table.
func (t *Trial) newSight(ctx context.Context, w *worlds.World, robot, sensor string) (*sight, error) {
	sim, err := omnipitch.New(w, omnipitch.Options{Cache: &t.cache})
	if err != nil {
		return nil, err
	}
	cam, ok := sim.Camera(robot, sensor)
	sim.Close()
	if !ok {
		return nil, t.unfit("%s.%s is no camera", robot, sensor)
	}
	table, err := sightColors(ctx, w, robot, cam)
	if err != nil {
		return nil, err
	}
	f := &w.Field
	s := &sight{front: cam.Config().Mirror == nil, field: locate.NewField(locate.Markings{
		Pitch: pitch.Pitch{Length: f.Length, Width: f.Width}, LineWidth: f.LineWidth, CentreCircle: f.CentreCircle, CornerArc: f.CornerArc})}
	at := cam.Config().Mount
	if s.front {
		k, name, d := optics.Lens(cam.Model())
		width, height := cam.Model().Size()
		p, err := camera.NewPinhole(width, height, [9]float64{k.FX, 0, k.CX, 0, k.FY, k.CY, 0, 0, 1}, name, d)
		if err != nil {
			return nil, t.unfit("%s.%s: %w", robot, sensor, err)
		}
		s.view = camera.NewPinholeView(p, camera.PinholeMount{X: at.X, Y: at.Y, Height: at.Z, Yaw: at.Yaw, Pitch: at.Pitch})
		none := camera.NewFloor(&camera.Model{Width: 1, Height: 1, C: 1}, camera.Mount{}, 1) // of an omni camera, which it does without
		s.eyes = node.NewEyes(none, s.field)
		s.eyes.UseFront(table, s.view)
		return s, nil
	}
	model, err := ocamFile(cam)
	if err != nil {
		return nil, t.unfit("%s.%s: %w", robot, sensor, err)
	}
	mount := camera.Mount{X: at.X, Y: at.Y, Height: at.Z, Yaw: at.Yaw, Mirrored: true}
	floor := camera.NewFloor(model, mount, sightReach)
	s.view, s.eyes = camera.NewView(model, mount), node.NewEyes(floor, s.field)
	s.eyes.UseColors(table, s.view, floor)
	return s, nil
}

// ocamFile is a camera with a mirror as it is read from calib_results.txt, which omnipitch calibration writes.
func ocamFile(cam *sensors.Camera) (*camera.Model, error) {
	model, err := calibration.Central(cam.Model(), cam.PoseBC())
	if err != nil {
		return nil, err
	}
	fit, err := calibration.FitOCam(calibration.Sample(model, 92))
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := calibration.WriteOCamCalib(&file, fit); err != nil {
		return nil, err
	}
	return camera.Read(&file)
}

// sightColors is a colour table as it is read from the file that omnipitch calibration writes.
func sightColors(ctx context.Context, w *worlds.World, robot string, cam *sensors.Camera) (*colors.Table, error) {
	space, ours := calibration.YUV, colors.YUV
	if cam.Config().Mirror == nil {
		space, ours = calibration.BGR, colors.BGR
	}
	made, _, err := colortable.Make(ctx, []*worlds.World{w}, robot, cam.Config().Name,
		func(seen *calibration.ColorHistogram) *calibration.ColorTable { return seen.Table(space) }, func(string) {}, calibration.GreenColor, calibration.BallColor)
	if err != nil {
		return nil, err
	}
	file := make([]byte, 0, len(made.Cells))
	for _, c := range made.Cells {
		file = append(file, byte(c))
	}
	return colors.Read(bytes.NewReader(file), ours)
}

// look returns where the vision says that the ball is, in the robot's frame, m; the robot has a compass that is 0.03 rad off. The front camera's image comes with the pose, which the omni camera would find.
func (s *sight) look(pose spatial.Pose, pix []byte) (ballB mgl64.Vec3, ok bool) {
	if s.front {
		known := locate.Estimate{Pose: locate.Pose{Pos: pitch.Vec{pose.Pos[0], pose.Pos[1]}, Heading: pose.Heading()}, Known: true}
		c, ok := s.eyes.Front(pix, &known)
		return c.Pos, ok
	}
	s.eyes.Tracker = locate.NewTracker(s.field)
	s.eyes.Tracker.Compass(pose.Heading() + 0.03)
	s.eyes.Tracker.Odometry(time.Second, locate.Pose{})
	seen := s.eyes.Omni(time.Second, pix)
	return seen.Ball.Pos, seen.HasBall
}

// visible returns which share of the ball's disc an image shows, by what its pixels are labelled; 0 where the disc's middle is outside of the image.
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
