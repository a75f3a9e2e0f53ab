package window

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/viewer"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// How hard a drag kicks: as in the dashboard.
const (
	kickPerMetre = 2.0  // m/s for each metre of the drag
	fastestKick  = 12.0 // m/s
)

// shapes are the bodies of a world that the mouse can take hold of: robots, obstacles and the ball, in the order of
// physics.BodyID.
type shapes struct {
	of    *worlds.World
	field physics.Field
	names []string
	all   []abstraction.Shape
	held  []viewer.Body // memory
}

// find finds those of a world.
func (x *shapes) find(w *worlds.World) {
	if x.of == w {
		return
	}
	model := w.Model()
	*x = shapes{of: w, field: model.Field}
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

// poseOf returns where a body is in a state.
func poseOf(now *physics.Snapshot, body int) spatial.Pose {
	switch n := len(now.Robots); {
	case body < n:
		return now.Robots[body].PoseWB
	case body < n+len(now.Obstacles):
		return now.Obstacles[body-n].PoseWO
	}
	return spatial.Pose{Pos: now.Ball.PosW, Rot: now.Ball.RotW}
}

// bodies returns those that are shown, for the mouse: without the robot through whose camera the window looks, which is
// around it.
func (s *screen) bodies() []viewer.Body {
	x := &s.shapes
	x.find(s.shown.world)
	x.held = x.held[:0]
	self, _, _ := strings.Cut(s.shown.through, ".")
	for i := range x.all {
		if x.names[i] == self {
			continue
		}
		pose, shape := poseOf(&s.shown.truth, i), x.all[i]
		x.held = append(x.held, viewer.Body{Name: x.names[i], PosW: pose.Pos,
			Cast: func(from, along mgl64.Vec3) float64 {
				return shape.Raycast(pose, from, along)
			}})
	}
	return x.held
}

// index returns the index of a body.
func (x *shapes) index(name string) (body int, ok bool) {
	for i := range x.names {
		if x.names[i] == name {
			return i, true
		}
	}
	return 0, false
}

// drop has done what the mouse has dragged: by the goroutine that steps, from where the body is then. It is an input of
// the run.
func (s *screen) drop() {
	drag, ok := s.viewer.TakeDrop()
	if !ok {
		return
	}
	s.sim.After(0, func(time.Duration) {
		body, ok := s.shapesNow().index(drag.Body)
		if !ok { // of a world that has begun again
			return
		}
		place, text := placing(drag, poseOf(s.sim.Truth(), body), &s.shapesNow().field)
		if err := s.sim.Do(place); err != nil {
			s.fail(err)
			return
		}
		s.say("%s", text)
		s.take()
	})
}

// shapesNow returns the bodies of the world that runs, for the goroutine that steps.
func (s *screen) shapesNow() *shapes {
	s.stepping.shapes.find(s.sim.World())
	return &s.stepping.shapes
}

// placing returns the action that a drag asks for, of a body at a pose, and what it does in words.
func placing(drag viewer.Drag, poseWB spatial.Pose, field *physics.Field) (place *action.Place, text string) {
	at := poseWB.Pos
	switch to := within(field, drag.ToW); {
	case !drag.Other:
		place = &action.Place{Name: drag.Body, X: to[0], Y: to[1], Heading: poseWB.Heading()}
		text = fmt.Sprintf("%s placed at %.2f, %.2f m", drag.Body, to[0], to[1])
	case drag.Body == "ball":
		kick := kickOf(drag, at)
		place = &action.Place{Name: drag.Body, X: at[0], Y: at[1], Z: at[2], VX: kick[0], VY: kick[1]}
		text = fmt.Sprintf("ball kicked at %.1f m/s", kick.Len())
	default:
		heading := headingOf(drag, poseWB)
		place = &action.Place{Name: drag.Body, X: at[0], Y: at[1], Heading: heading}
		text = fmt.Sprintf("%s turned to %.0f°", drag.Body, heading/spatial.Degree)
	}
	return place, text
}

// kickOf returns the velocity that a drag gives the ball, m/s.
func kickOf(drag viewer.Drag, ball mgl64.Vec3) mgl64.Vec2 {
	way := drag.ToW.Sub(ball).Vec2().Mul(kickPerMetre)
	if n := way.Len(); n > fastestKick {
		return way.Mul(fastestKick / n)
	}
	return way
}

// headingOf returns the heading that a drag gives a body, rad.
func headingOf(drag viewer.Drag, poseWB spatial.Pose) float64 {
	way := drag.ToW.Sub(poseWB.Pos)
	return math.Atan2(way[1], way[0])
}

// within returns a point of the floor within the boards around a field: where a mouse points far away, it points beyond
// them.
func within(field *physics.Field, at mgl64.Vec3) mgl64.Vec3 {
	x, y := field.Length/2+field.Border, field.Width/2+field.Border
	return mgl64.Vec3{mgl64.Clamp(at[0], -x, x), mgl64.Clamp(at[1], -y, y), at[2]}
}

var handInk = viewer.Ink{R: 255, G: 230, B: 60, Opacity: 230}

// drawHand draws what letting go of the mouse would do.
func (s *screen) drawHand(pen *viewer.Pen) {
	drag, ok := s.viewer.Dragging()
	body, there := s.shapes.index(drag.Body)
	if !ok || !there {
		return
	}
	pose, shape := poseOf(&s.shown.truth, body), &s.shapes.all[body]
	from, to := pose.Pos, drag.ToW
	if !drag.Other {
		to = within(&s.shapes.field, to)
		to[2] = 0
		radius := shape.Radius
		if shape.Kind == abstraction.Box {
			radius = math.Hypot(shape.SizeX, shape.SizeY) / 2
		}
		pen.Circle(to, radius, handInk)
		if shape.Kind != abstraction.Sphere {
			pen.Circle(to.Add(mgl64.Vec3{0, 0, shape.Height}), radius, handInk)
		}
		from[2] = 0
		pen.Line(from, to, handInk)
		pen.Write(to, fmt.Sprintf("%.2f, %.2f m", to[0], to[1]))
		return
	}
	from[2] = to[2]
	pen.Line(from, to, handInk)
	text := fmt.Sprintf("%.1f m/s", kickOf(drag, pose.Pos).Len())
	if drag.Body != "ball" {
		text = fmt.Sprintf("%.0f°", headingOf(drag, pose)/spatial.Degree)
	}
	pen.Write(to, text)
}
