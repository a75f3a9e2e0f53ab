package series

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// body is a body with recorded truth.
type body struct {
	name       string
	kind       kind
	number     int // of its kind
	quantities []quantity
}

// findBodies lists the bodies. If the recording has exact states, these are the bodies of the world, else the bodies in
// the first message.
func (f *File) findBodies() error {
	if f.run != nil {
		model := f.run.World.Model()
		if !model.Ball.Absent {
			f.bodies = append(f.bodies, body{"ball", isBall, 0, quantitiesOf(isBall, 0, true)})
		}
		for i := range model.Robots {
			f.bodies = append(f.bodies, body{model.Robots[i].Name, isRobot, i,
				quantitiesOf(isRobot, len(model.Robots[i].Drive.AllWheels()), true)})
		}
		for i := range model.Obstacles {
			f.bodies = append(f.bodies, body{model.Obstacles[i].Name, isObstacle, i, quantitiesOf(isObstacle, 0, true)})
		}
		return nil
	}
	var first msg.Truth
	switch err := f.truths(0, func(_ time.Duration, m *msg.Truth) error {
		first = *m
		return errEnough
	}); {
	case err != nil && err != errEnough:
		return err
	}
	for i, b := range first.Bodies {
		of := isRobot | isObstacle // messages of truth have the same quantities for robots and obstacles
		if b.Name == "ball" {
			of = isBall
		}
		f.bodies = append(f.bodies, body{b.Name, of, i, quantitiesOf(of, 0, false)})
	}
	return nil
}

// errEnough stops reading.
var errEnough = errors.New("enough")

// truths calls the function do with each message of ground truth whose log time is at least start.
func (f *File) truths(start time.Duration, do func(at time.Duration, m *msg.Truth) error) error {
	decoder, err := recorder.NewDecoder[msg.Truth]("omnipitch_msgs/Truth")
	if err != nil {
		return err
	}
	var m msg.Truth
	for x, err := range f.All(start, recording.Topic(recorder.Truth)) {
		if err == nil {
			err = decoder.Decode(x, &m)
		}
		if err == nil {
			err = do(x.LogTime, &m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted is a requested quantity of a body.
type wanted struct {
	*body
	quantity
	*Series
}

// readTruth reads the series of bodies.
func (f *File) readTruth(all []*Series, from, to time.Duration) error {
	var asked []wanted
	for _, s := range all {
		for i := range f.bodies {
			b := &f.bodies[i]
			if name, ok := strings.CutPrefix(s.Name, b.name+"."); ok {
				if k := slices.IndexFunc(b.quantities, func(q quantity) bool { return q.name == name }); k >= 0 {
					asked = append(asked, wanted{b, b.quantities[k], s})
				}
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	var err error
	if f.run != nil {
		err = f.run.EachState(from, func(at time.Duration, s *physics.Snapshot) error {
			return f.addInstant(asked, at, to, func(b *body) (state, bool) { return stateOf(b, s), true })
		})
	} else {
		err = f.truths(from, func(at time.Duration, m *msg.Truth) error {
			return f.addInstant(asked, at, to, func(b *body) (state, bool) { return messageState(b, m) })
		})
	}
	for _, w := range asked {
		for i := range min(len(w.Time)-1, periods) {
			if d := w.Time[i+1] - w.Time[i]; w.Period == 0 || d < w.Period {
				w.Period = d
			}
		}
	}
	if err == errEnough {
		return nil
	}
	return err
}

// periods is the number of intervals that determine the period. More than one is needed because the first interval may
// include a gap.
const periods = 10

// addInstant adds the values of the wanted quantities at an instant. The function stateOf returns the state of a body.
func (f *File) addInstant(asked []wanted, at, to time.Duration, stateOf func(*body) (state, bool)) error {
	if at >= to {
		return errEnough
	}
	for i := range asked {
		w := &asked[i]
		s, ok := stateOf(w.body)
		if !ok || s.Pose.Absent() {
			continue
		}
		if err := f.add(w.Series, at, w.value(&s)); err != nil {
			return err
		}
	}
	return nil
}

// stateOf returns the state of a body.
func stateOf(b *body, s *physics.Snapshot) state {
	switch b.kind {
	case isBall:
		return state{spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}, s.Ball.TwistInW, nil}
	case isRobot:
		r := &s.Robots[b.number]
		return state{r.PoseWB, r.TwistWBInW, r}
	}
	o := &s.Obstacles[b.number]
	return state{o.PoseWO, o.TwistWOInW, nil}
}

// messageState returns the state of a body in a message, and reports whether the message has it.
func messageState(b *body, m *msg.Truth) (state, bool) {
	i := b.number
	if i >= len(m.Bodies) || m.Bodies[i].Name != b.name {
		if i = slices.IndexFunc(m.Bodies, func(x msg.Body) bool { return x.Name == b.name }); i < 0 {
			return state{}, false
		}
	}
	p, q, t := m.Bodies[i].Pose.Position, m.Bodies[i].Pose.Orientation, m.Bodies[i].Twist
	return state{
		spatial.Pose{Pos: mgl64.Vec3{p.X, p.Y, p.Z}, Rot: mgl64.Quat{W: q.W, V: mgl64.Vec3{q.X, q.Y, q.Z}}},
		spatial.Twist{Lin: mgl64.Vec3{t.Linear.X, t.Linear.Y, t.Linear.Z}, Ang: mgl64.Vec3{t.Angular.X, t.Angular.Y,
			t.Angular.Z}}, nil,
	}, true
}

// kind is the kind of a body.
type kind uint8

const (
	isBall kind = 1 << iota
	isRobot
	isObstacle
	isAny = isBall | isRobot | isObstacle
)

// state is the state of a body at an instant.
type state struct {
	spatial.Pose
	spatial.Twist // in the world's axes
	// state of the robot, if the body is a robot and the recording has exact states; else nil
	robot *physics.RobotState
}

// quantity is a number that bodies have.
type quantity struct {
	name, unit string
	of         kind
	exact      bool // only exact states have it
	value      func(*state) float64
}

// quantities are the quantities of bodies. Pose and velocity are in the world's frame. vx, vy and omega are in the
// body's own axes, as in commands.
var quantities = []quantity{
	{"pose.x", "m", isAny, false, func(s *state) float64 { return s.Pos[0] }},
	{"pose.y", "m", isAny, false, func(s *state) float64 { return s.Pos[1] }},
	{"pose.z", "m", isAny, false, func(s *state) float64 { return s.Pos[2] }},
	{"pose.yaw", "rad", isRobot | isObstacle, false, func(s *state) float64 { return s.Heading() }},
	{"velocity.x", "m/s", isAny, false, func(s *state) float64 { return s.Lin[0] }},
	{"velocity.y", "m/s", isAny, false, func(s *state) float64 { return s.Lin[1] }},
	{"velocity.z", "m/s", isAny, false, func(s *state) float64 { return s.Lin[2] }},
	{"speed", "m/s", isAny, false, func(s *state) float64 { return s.Lin.Len() }},
	{"spin", "rad/s", isBall, false, func(s *state) float64 { return s.Ang.Len() }},
	{"vx", "m/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Unrotate(s.Lin)[0] }},
	{"vy", "m/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Unrotate(s.Lin)[1] }},
	{"omega", "rad/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Ang[2] }},
	{"acceleration", "m/s²", isRobot, true, func(s *state) float64 { return s.robot.AccelWBInW.Len() }},
	{"current", "A", isRobot, true, func(s *state) float64 { return s.robot.MotorA }},
	{"voltage", "V", isRobot, true, func(s *state) float64 { return s.robot.BatteryV }},
	{"charge", "", isRobot, true, func(s *state) float64 { return s.robot.Charge }},
}

// quantitiesOf returns the quantities of a kind of body with a number of wheels.
func quantitiesOf(k kind, wheels int, exact bool) (all []quantity) {
	for _, q := range quantities {
		if q.of&k != 0 && (exact || !q.exact) {
			all = append(all, q)
		}
	}
	for i := range wheels {
		all = append(all, quantity{fmt.Sprintf("wheel%d", i), "rad/s", isRobot, true,
			func(s *state) float64 { return s.robot.WheelRadS[i] }})
	}
	return all
}
