package reproduce

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

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
// finds no ball. The robot's compass has an error of 0.03 rad. The omni camera, which would provide the robot's pose,
// is not used together with the front camera. The vision then receives the true pose.
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
