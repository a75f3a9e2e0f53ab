package track

import (
	"fmt"
	"io"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Checker is an engine that wraps another engine, and compares the states of that engine with a log, or with hashes. In
// each step it compares two states: the state after the step, and the observed state.
type Checker struct {
	physics.Engine
	model   *physics.Model
	want    *Playback                  // plays the log, from which it holds the next state; nil: no log
	hash    func(int64) (uint64, bool) // returns the hashes of states that the log lacks; may be nil
	changed bool                       // the state is new and has not been compared yet
	state   [2]physics.Snapshot        // reused
	at      int64                      // current step
	steps   int64
	parting *Parting
}

var _ physics.Settler = (*Checker)(nil)

// Parting is the first place at which a run differs from a log.
type Parting struct {
	Step       int64
	Difference       // A is the run's value, B the log's
	Err        error // not nil: the log has no state to compare with, because it ends before the step or is damaged
}

// NewChecker returns a checker that wraps an engine of a model. The engine must be at its start. The argument want, if
// not nil, plays a log, which may begin at a later step and have gaps. The function hash, if not nil, returns the hash
// of the observed state of a step (physics.Snapshot.Hash), and reports whether it is known. The checker uses this hash
// for steps whose states the log lacks.
func NewChecker(engine physics.Engine, model *physics.Model, want *Playback, hash func(step int64) (uint64,
	bool)) *Checker {
	return &Checker{Engine: engine, model: model, want: want, hash: hash, changed: true}
}

// Parting returns the first difference between the run and the log, or nil.
func (c *Checker) Parting() *Parting { return c.parting }

// Steps returns the number of steps whose observed states agree with the log or the hashes.
func (c *Checker) Steps() int64 { return c.steps }

// Step implements physics.Engine.
func (c *Checker) Step(commands []physics.Command) error {
	if err := c.Engine.Step(commands); err != nil {
		return err
	}
	c.changed = true
	c.at++
	if c.want == nil || c.parting != nil || c.want.step() >= c.at {
		return nil
	}
	switch err := c.want.next(); {
	case err == io.EOF && c.hash != nil:
		c.want = nil
	case err == io.EOF:
		c.parting = &Parting{Step: c.at, Err: fmt.Errorf("the log ends with step %d", c.want.step())}
	case err != nil:
		c.parting = &Parting{Step: c.at, Err: err}
	}
	return nil
}

// known reports whether the log has states of the current step.
func (c *Checker) known() bool { return c.want != nil && c.want.step() == c.at }

// Snapshot implements physics.Engine.
func (c *Checker) Snapshot(s *physics.Snapshot) {
	c.Engine.Snapshot(s)
	if c.changed {
		c.compare(s)
	}
	c.changed = false
}

// Settle implements physics.Settler.
func (c *Checker) Settle() bool {
	changed := false
	if s, ok := c.Engine.(physics.Settler); ok {
		changed = s.Settle()
	}
	if c.parting != nil {
		return changed
	}
	s := &c.state[0]
	c.Engine.Snapshot(s)
	if c.known() {
		c.want.Settle()
		c.compare(s)
	} else if c.hash == nil {
		return changed
	} else if want, ok := c.hash(s.Step); !ok {
		return changed
	} else if got := s.Hash(); got != want {
		c.parting = &Parting{Step: s.Step, Difference: Difference{"hash of the state", got, want}}
	}
	if c.parting == nil {
		c.steps++
	}
	return changed
}

// compare compares a state with the current state of the log.
func (c *Checker) compare(s *physics.Snapshot) {
	if c.parting != nil || !c.known() {
		return
	}
	want := &c.state[1]
	c.want.Snapshot(want)
	if c.want.err != nil {
		c.parting = &Parting{Step: s.Step, Err: c.want.err}
	} else if d, differ := Diff(s, want, c.model); differ {
		c.parting = &Parting{Step: s.Step, Difference: d}
	}
}

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
	c.at("joints").value("count", len(a.Joints), len(b.Joints))
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
	for i := range model.Robots {
		r := &model.Robots[i]
		now, other := model.JointsOf(i, a), model.JointsOf(i, b)
		for k := range now {
			c.at("robot "+r.Name+": joint "+r.Joints[k].Name).number("velocity", now[k].Velocity, other[k].Velocity)
			c.number("position", now[k].Position, other[k].Position)
			c.number("effort", now[k].Effort, other[k].Effort)
		}
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

// at sets the body to which the next quantities belong.
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
	c.value("motion state", a.Motion, b.Motion)
	c.value("progress of the animation", a.Progress, b.Progress)
	c.value("motors off", a.Limp, b.Limp)
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
