package window

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// draw draws one frame of the window and shows it.
func (s *screen) draw() error {
	width, height := s.window.Size()
	if s.picture == nil || s.picture.Width != width || s.picture.Height != height {
		s.picture = render.NewImage(width, height)
	}
	said := s.refresh()
	if ready, err := s.open(); err != nil {
		return err
	} else if !ready {
		return s.window.Show(s.picture)
	}
	frame := render.Batch{PosesWB: s.shown.poses, Shading: s.shown.shading}
	view := s.shown.view
	if view.Model != nil {
		w, h := view.Model.Size()
		if s.cameraPicture == nil || s.cameraPicture.Width != w || s.cameraPicture.Height != h {
			s.cameraPicture = render.NewImage(w, h)
		}
		view.Color = s.cameraPicture
	} else {
		view.Model, view.PoseWC = s.viewer.Camera(width, height, frame.PosesWB)
		view.Color = s.picture
	}
	frame.Views = []render.View{view}
	if err := s.renderer.Render(&frame); err != nil {
		return err
	}
	if view.Color != s.picture {
		viewer.Fit(s.picture, view.Color)
	}
	sight := viewer.NewSight(view.Model, view.PoseWC, width, height)
	s.shapes.update(s.shown.world)
	s.overlay(viewer.NewPen(s.picture, sight))
	var insets []viewer.Inset
	for _, o := range s.feeds.images.append(nil) {
		defer o.Release()
		insets = append(insets, viewer.Inset{Name: o.Robot + "." + o.Sensor, Picture: o.Color})
	}
	s.viewer.Write(s.picture, insets, s.status(), said)
	return s.window.Show(s.picture)
}

// open makes sure that the renderer has the scene of the shown state, because a world that restarts from its file may
// look different. It returns false while no state of the new world has arrived.
func (s *screen) open() (ready bool, err error) {
	if s.drawn == s.shown.scenery {
		return true, nil
	}
	if s.sim.Sensors().Scenery() != s.shown.scenery {
		return false, nil
	}
	if s.renderer != nil {
		s.renderer.Close()
		s.renderer = nil
	}
	renderer, err := s.sim.Sensors().NewRenderer()
	if err != nil {
		return false, err
	}
	s.renderer, s.drawn = renderer, s.shown.scenery
	return true, nil
}

// status is the text of the status line: sim time and real-time factor.
func (s *screen) status() string {
	at := fmt.Sprintf("%.2f s", s.shown.truth.Time.Seconds())
	if s.replay != nil {
		at = fmt.Sprintf("%.2f of %.2f s", s.shown.replayed.Seconds(), s.replay.To.Seconds())
	}
	if factor := s.sim.Clock().Factor().Measured; factor > 0 {
		at += fmt.Sprintf("  %.2f x real time", factor)
	}
	return at
}

// overlay draws the overlays that the user has switched on.
func (s *screen) overlay(pen *viewer.Pen) {
	for _, o := range []struct {
		of   viewer.Overlay
		draw func(*viewer.Pen)
	}{
		{viewer.Fields, s.drawFields}, {viewer.Rays, s.drawRays}, {viewer.Paths, s.drawPaths},
		{viewer.Contacts, s.drawContacts}, {viewer.Labels, s.drawLabels},
	} {
		if s.viewer.Shows(o.of) {
			o.draw(pen)
		}
	}
}

// teamInk returns the colour of lines that belong to a team's robots.
func teamInk(team physics.Team, opacity uint8) viewer.Ink {
	if team == physics.Cyan {
		return viewer.Ink{R: 60, G: 230, B: 255, Opacity: opacity}
	}
	return viewer.Ink{R: 255, G: 100, B: 255, Opacity: opacity}
}

// labelGap is the height of a label above its body, m.
const labelGap = 0.06

// drawLabels writes the names of robots and obstacles. At the ball it writes its speed and, if the ball is off the
// floor, the height of its lowest point.
func (s *screen) drawLabels(pen *viewer.Pen) {
	for i, shape := range s.shapes.all {
		pose := poseOf(&s.shown.truth, i)
		if pose.Absent() {
			continue
		}
		text := s.shapes.names[i]
		if shape.Kind == abstraction.Sphere {
			text = ballLabel(&s.shown.truth.Ball, shape.Radius)
		}
		pen.Write(pose.Pos.Add(mgl64.Vec3{0, 0, top(shape) + labelGap}), text)
	}
}

// top returns the height, in m, of the top of a shape above the origin of the shape's frame.
func top(shape abstraction.Shape) float64 {
	if shape.Kind == abstraction.Sphere {
		return shape.Radius
	}
	return shape.Height
}

// ballLabel returns the ball's speed and, if it is off the floor, the height of its lowest point.
func ballLabel(b *physics.BallState, radius float64) string {
	text := fmt.Sprintf("%.1f m/s", b.TwistInW.Lin.Len())
	if above := b.PosW[2] - radius; above > 0.02 {
		text += fmt.Sprintf(", %.2f m up", above)
	}
	return text
}

// drawContacts marks recent contacts between bodies. Older contacts are fainter.
func (s *screen) drawContacts(pen *viewer.Pen) {
	for i := range s.shown.contacts {
		c := &s.shown.contacts[i]
		age := s.shown.truth.Time - c.at
		if age < 0 || age > contactTime {
			continue
		}
		opacity := uint8(255 - 180*age.Seconds()/contactTime.Seconds())
		pen.Mark(c.PosW, 6, viewer.Ink{R: 255, G: 140, B: 0, Opacity: opacity})
	}
}

// staleScan is the age, in sim time, from which a scan is no longer drawn.
const staleScan = 500 * time.Millisecond

// mostBeams is the largest number of beams that are drawn of a scan: more beams would hide the scene. The drawn beams
// are spread evenly over the scan. All end points are drawn.
const mostBeams = 181

var (
	beamInk = viewer.Ink{R: 255, G: 70, B: 70, Opacity: 90}
	hitInk  = viewer.Ink{R: 255, G: 240, B: 60, Opacity: 255}
)

// drawRays draws the beams of lasers, the points of lidars and the cones of sonars up to the measured distances, from
// the robot's pose at the time of measurement.
func (s *screen) drawRays(pen *viewer.Pen) {
	s.scans = s.feeds.scans.append(s.scans[:0])
	for i := range s.scans {
		of := &s.scans[i]
		if age := s.shown.truth.Time - of.Stamp; age < staleScan && age > -staleScan {
			of.draw(pen)
		}
		of.Release()
	}
}

func (of *scan) draw(pen *viewer.Pen) {
	from := of.poseWS.Pos
	along := func(bearing, r float64) mgl64.Vec3 {
		sin, cos := math.Sincos(bearing)
		return of.poseWS.Apply(mgl64.Vec3{r * cos, r * sin})
	}
	switch r := of.Reading.(type) {
	case *sensors.LaserScan:
		every := (len(r.Ranges) + mostBeams - 1) / mostBeams
		for i, length := range r.Ranges {
			if math.IsInf(length, 0) || math.IsNaN(length) {
				continue
			}
			to := along(r.First+float64(i)*r.Step, length)
			if i%every == 0 {
				pen.Beam(from, to, beamInk)
			}
			pen.Dot(to, hitInk)
		}
	case *sensors.PointCloud:
		for i := range r.Points {
			p := &r.Points[i]
			pen.Dot(of.poseWS.Apply(mgl64.Vec3{float64(p.X), float64(p.Y), float64(p.Z)}), hitInk)
		}
	case *sensors.SonarReading:
		length, ink := r.Range, hitInk
		if math.IsInf(length, 0) || math.IsNaN(length) {
			length, ink = r.Max, beamInk
		}
		const parts = 4
		for k := range parts {
			a := r.Angle * (float64(k)/parts - 0.5)
			pen.Line(along(a, length), along(a+r.Angle/parts, length), ink)
		}
		pen.Line(from, along(-r.Angle/2, length), ink)
		pen.Line(from, along(r.Angle/2, length), ink)
	}
}

// overFloor is the height of overlays that lie on the floor, m.
const overFloor = 0.01

// drawPaths draws the planned paths of scripted players, with a ring at each waypoint.
func (s *screen) drawPaths(pen *viewer.Pen) {
	for i, plan := range s.shown.plans {
		if i >= len(s.shown.truth.Robots) {
			break
		}
		ink := teamInk(s.shown.world.Robots[i].Team, 230)
		from := s.shown.truth.Robots[i].PoseWB.Pos
		from[2] = overFloor
		for _, p := range plan {
			to := p.Vec3(overFloor)
			pen.Line(from, to, ink)
			pen.Circle(to, 0.08, ink)
			from = to
		}
	}
}

// shapes are the names and shapes of a world's robots, obstacles and ball, in the order of physics.BodyID.
type shapes struct {
	of    *worlds.World
	names []string
	all   []abstraction.Shape
}

// update sets x to the bodies of w, unless x already describes that world.
func (x *shapes) update(w *worlds.World) {
	if x.of == w {
		return
	}
	model := w.Model()
	*x = shapes{of: w}
	for i := range model.Robots {
		x.names, x.all = append(x.names, model.Robots[i].Name), append(x.all, sensors.RobotShape(&model.Robots[i]))
	}
	for i := range model.Obstacles {
		x.names, x.all = append(x.names, model.Obstacles[i].Name),
			append(x.all, sensors.ObstacleShape(&model.Obstacles[i]))
	}
	x.names, x.all = append(x.names, "ball"), append(x.all, abstraction.Shape{Kind: abstraction.Sphere,
		Radius: model.Ball.Radius})
}

// poseOf returns the pose of a body in a snapshot.
func poseOf(now *physics.Snapshot, body int) spatial.Pose {
	switch n := len(now.Robots); {
	case body < n:
		return now.Robots[body].PoseWB
	case body < n+len(now.Obstacles):
		return now.Obstacles[body-n].PoseWO
	}
	return spatial.Pose{Pos: now.Ball.PosW, Rot: now.Ball.RotW}
}
