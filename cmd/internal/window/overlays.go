package window

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
)

// teamInk returns the colour of lines that belong to a team's robots.
func teamInk(team physics.Team, opacity uint8) viewer.Ink {
	if team == physics.Cyan {
		return viewer.Ink{R: 60, G: 230, B: 255, Opacity: opacity}
	}
	return viewer.Ink{R: 255, G: 100, B: 255, Opacity: opacity}
}

// labelGap is the height of a label above its body, m.
const labelGap = 0.06

// drawLabels writes the names of robots and obstacles, and the ball's speed and, in flight, its height.
func (s *screen) drawLabels(pen *viewer.Pen) {
	for i, shape := range s.shapes.all {
		at := poseOf(&s.shown.truth, i).Pos
		text := s.shapes.names[i]
		if shape.Kind == abstraction.Sphere {
			text = ballLabel(&s.shown.truth.Ball, shape.Radius)
		}
		pen.Write(at.Add(mgl64.Vec3{0, 0, top(shape) + labelGap}), text)
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

// drawRays draws the beams of lasers and the cones of sonars up to the measured distances, from the robot's pose at the
// time of measurement.
func (s *screen) drawRays(pen *viewer.Pen) {
	s.scans = s.feeds.latestScans(s.scans[:0])
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
