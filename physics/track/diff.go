package track

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Difference is a quantity that differs between two states.
type Difference struct {
	Quantity string // name for users: "robot cyan1: pose x"
	A, B     any    // the two values: numbers, integers, bools or names
}

// Diff compares two states of a model bit by bit. It returns the first quantity that differs, and reports whether any
// quantity differs.
func Diff(a, b *physics.Snapshot, model *physics.Model) (d Difference, differ bool) {
	if a.Hash() == b.Hash() {
		return d, false
	}
	c := comparison{}
	c.value("step", a.Step, b.Step)
	c.value("time", a.Time, b.Time)
	c.at("robots").value("count", len(a.Robots), len(b.Robots))
	c.at("obstacles").value("count", len(a.Obstacles), len(b.Obstacles))
	if c.found {
		return c.Difference, true
	}
	for i := range a.Robots {
		c.at("robot "+nameOf(model, model.RobotID(i))).robot(&a.Robots[i], &b.Robots[i])
	}
	c.at("ball").value("held by", holder(model, a), holder(model, b))
	c.body(spatial.Pose{Pos: a.Ball.PosW, Rot: a.Ball.RotW}, spatial.Pose{Pos: b.Ball.PosW, Rot: b.Ball.RotW},
		a.Ball.TwistInW, b.Ball.TwistInW)
	for i := range a.Obstacles {
		o, p := &a.Obstacles[i], &b.Obstacles[i]
		c.at("obstacle "+nameOf(model, model.ObstacleID(i))).body(o.PoseWO, p.PoseWO, o.TwistWOInW, p.TwistWOInW)
	}
	c.at("touches").value("count", len(a.Touches), len(b.Touches))
	for i := range min(len(a.Touches), len(b.Touches)) {
		c.touch("touch", model, &a.Touches[i], &b.Touches[i])
	}
	c.at("events").value("count", len(a.Events), len(b.Events))
	for i := range min(len(a.Events), len(b.Events)) {
		c.at(fmt.Sprint("event ", i)).value("kind", a.Events[i].Kind, b.Events[i].Kind)
		c.touch("event", model, &a.Events[i].Touch, &b.Events[i].Touch)
	}
	return c.Difference, c.found
}

// comparison keeps the first difference that it finds.
type comparison struct {
	Difference
	where string
	found bool
}

// at sets the body that the next quantities belong to.
func (c *comparison) at(where string) *comparison {
	c.where = where
	return c
}

func (c *comparison) differ(what string, a, b any) {
	if c.found {
		return
	}
	c.found, c.Difference = true, Difference{what, a, b}
	if c.where != "" {
		c.Quantity = c.where + ": " + what
	}
}

// value compares integers, names and bools.
func (c *comparison) value(what string, a, b any) {
	if a != b {
		c.differ(what, a, b)
	}
}

func (c *comparison) number(what string, a, b float64) {
	if math.Float64bits(a) != math.Float64bits(b) {
		c.differ(what, a, b)
	}
}

var axes = [...]string{" x", " y", " z"}

func (c *comparison) vec(what string, a, b [3]float64) {
	for i, axis := range axes {
		c.number(what+axis, a[i], b[i])
	}
}

func (c *comparison) body(p, q spatial.Pose, v, w spatial.Twist) {
	c.vec("pose", p.Pos, q.Pos)
	c.number("orientation w", p.Rot.W, q.Rot.W)
	c.vec("orientation", p.Rot.V, q.Rot.V)
	c.vec("velocity", v.Lin, w.Lin)
	c.vec("angular velocity", v.Ang, w.Ang)
}

func (c *comparison) robot(a, b *physics.RobotState) {
	c.body(a.PoseWB, b.PoseWB, a.TwistWBInW, b.TwistWBInW)
	c.vec("acceleration", a.AccelWBInW, b.AccelWBInW)
	c.vec("angular acceleration", a.AngAccelWBInW, b.AngAccelWBInW)
	for i := range a.WheelRad {
		c.number(fmt.Sprintf("wheel %d: rate", i), a.WheelRadS[i], b.WheelRadS[i])
		c.number(fmt.Sprintf("wheel %d: angle", i), a.WheelRad[i], b.WheelRad[i])
		c.value(fmt.Sprintf("wheel %d: stuck", i), a.WheelStuck[i], b.WheelStuck[i])
	}
	c.number("motor current", a.MotorA, b.MotorA)
	c.number("battery voltage", a.BatteryV, b.BatteryV)
	c.number("left dribbling arm", a.ArmM[0], b.ArmM[0])
	c.number("right dribbling arm", a.ArmM[1], b.ArmM[1])
	c.number("kicker's charge", a.Charge, b.Charge)
	c.value("extension", a.Extension, b.Extension)
	c.value("kicks", a.Kicks, b.Kicks)
	c.value("stuck", a.Stuck, b.Stuck)
}

func (c *comparison) touch(what string, model *physics.Model, a, b *physics.Touch) {
	c.at(what).value("first body", nameOf(model, a.A), nameOf(model, b.A))
	c.value("second body", nameOf(model, a.B), nameOf(model, b.B))
	c.at(what + " of " + nameOf(model, a.A) + " and " + nameOf(model, a.B))
	c.vec("point", a.PosW, b.PosW)
	c.number("impulse", a.Impulse, b.Impulse)
	c.number("closing speed", a.Closing, b.Closing)
}

// holder returns the name of the robot that holds the ball.
func holder(model *physics.Model, s *physics.Snapshot) string {
	if s.Ball.HeldBy < 0 {
		return "nobody"
	}
	return nameOf(model, model.RobotID(s.Ball.HeldBy))
}

// nameOf returns the name of a body, or a text for an id that no body has.
func nameOf(model *physics.Model, id physics.BodyID) string {
	if id < physics.Static || id > model.BallID() {
		return fmt.Sprint("body ", int(id))
	}
	return model.BodyName(id)
}
