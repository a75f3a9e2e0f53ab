package track

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// table holds the states of a block as 64-bit words: one row per state, one column per number of a snapshot. Touches
// and events are stored as contacts of contactWords words each, in the order of their states.
type table struct {
	shape
	rows     int
	words    []uint64 // row after row
	contacts []uint64 // contacts of all states in order; each state has first its touches, then its events
	zero     []uint64 // a row of zeros
}

// shape holds everything that determines the layout of a row and its prediction.
type shape struct {
	step      time.Duration // length of a step
	robots    int
	obstacles int
	joints    int  // of all robots
	feet      int  // likewise
	arcs      bool // robots move on circular arcs during a step, as in the planar engine
}

func shapeOf(model *physics.Model) shape {
	return shape{model.Step, len(model.Robots), len(model.Obstacles), model.CountJoints(), model.CountFeet(),
		model.Config.Engine == "planar"}
}

// columns returns the number of words of a state without its contacts.
func (s *shape) columns() int {
	return stateColumns + (1+s.obstacles)*bodyColumns + s.robots*robotColumns + s.joints*jointColumns +
		s.feet*footColumns
}

// The first columns of a row. The columns of ball, robots, obstacles, joints and feet follow.
const (
	stepColumn = iota
	timeColumn
	settledColumn // 1 for a state after Settle
	heldByColumn
	touchesColumn // number of touches
	eventsColumn  // number of events
	stateColumns
)

// The columns of a body, relative to its first one. Robots have more columns than the ball and the obstacles.
const (
	angColumn      = 0
	rotColumn      = 3
	linColumn      = 7
	posColumn      = 10
	bodyColumns    = 13
	accelColumn    = 13
	angAccelColumn = 16
	rateColumn     = 19
	wheelColumn    = rateColumn + physics.MaxWheels
	motorColumn    = wheelColumn + physics.MaxWheels // motor current, battery voltage, arms, charge
	kicksColumn    = motorColumn + 5                 // first of the columns with integers and flags
	// the extension, from bit 8 on the motion state, and from bit 16 on the progress of an animation
	extendColumn = kicksColumn + 1
	// first of the flags, which are 1 if the robot, and then each of its wheels, is stuck
	stuckColumn  = kicksColumn + 2
	robotColumns = stuckColumn + 1 + physics.MaxWheels
	jointColumns = 3 // velocity, position, effort
	footColumns  = 3 // force, centre of pressure
)

// contactWords is the number of words of a touch or an event: kind (0 for a touch), A, B, position, impulse, closing
// speed.
const contactWords = 8

// reset empties the table and makes room for rows.
func (t *table) reset(rows int) {
	t.rows, t.contacts = 0, t.contacts[:0]
	t.words = resize(t.words, t.columns()*rows)
	t.zero = resize(t.zero, t.columns())
}

// row returns the words of a state.
func (t *table) row(i int) []uint64 { n := t.columns(); return t.words[i*n:][:n] }

// add appends a state.
func (t *table) add(s *physics.Snapshot, settled bool) {
	t.rows++
	w := words{rest: t.row(t.rows - 1)}
	touches, events := len(s.Touches), len(s.Events)
	w.state(s, &settled, &touches, &events)
	first := len(t.contacts)
	t.contacts = resize(t.contacts, first+contactWords*(touches+events))
	w.rest = t.contacts[first:]
	w.contacts(s)
}

// State copies the i-th state into a snapshot, reusing its slices.
func (t *table) State(i int, into *physics.Snapshot) {
	into.Robots, into.Obstacles = resize(into.Robots, t.robots), resize(into.Obstacles, t.obstacles)
	into.Joints, into.Feet = resize(into.Joints, t.joints), resize(into.Feet, t.feet)
	before := 0
	for row := range i {
		before += t.contactsOf(row)
	}
	var settled bool
	var touches, events int
	w := words{rest: t.row(i), load: true}
	w.state(into, &settled, &touches, &events)
	into.Touches, into.Events = resize(into.Touches, touches), resize(into.Events, events)
	w.rest = t.contacts[before*contactWords:]
	w.contacts(into)
}

// contactsOf returns the number of touches and events of a state.
func (t *table) contactsOf(row int) int {
	w := t.row(row)
	return int(w[touchesColumn] + w[eventsColumn])
}

// StepOf returns the i-th state's step, and reports whether the state came after Settle.
func (t *table) StepOf(i int) (step int64, settled bool) {
	w := t.row(i)
	return int64(w[stepColumn]), w[settledColumn] != 0
}

// Len returns the number of states.
func (t *table) Len() int { return t.rows }

// words copies values into consecutive words. If load is true, it copies them out of the words.
type words struct {
	rest []uint64
	load bool
}

func (w *words) next() *uint64 {
	p := &w.rest[0]
	w.rest = w.rest[1:]
	return p
}

func (w *words) number(x *float64) {
	if p := w.next(); w.load {
		*x = math.Float64frombits(*p)
	} else {
		*p = math.Float64bits(*x)
	}
}

func (w *words) numbers(all []float64) {
	for i := range all {
		w.number(&all[i])
	}
}

func integer[T ~int | ~int64 | ~uint8](w *words, x *T) {
	if p := w.next(); w.load {
		*x = T(*p)
	} else {
		*p = uint64(*x)
	}
}

func (w *words) flag(x *bool) {
	p := w.next()
	switch {
	case w.load:
		*x = *p != 0
	case *x:
		*p = 1
	default:
		*p = 0
	}
}

// state copies all parts of a state except its contacts. If w.load is true, the state already has the right numbers of
// robots, obstacles and joints.
func (w *words) state(s *physics.Snapshot, settled *bool, touches, events *int) {
	integer(w, &s.Step)
	integer(w, &s.Time)
	w.flag(settled)
	integer(w, &s.Ball.HeldBy)
	integer(w, touches)
	integer(w, events)
	w.body(&s.Ball.PosW, &s.Ball.RotW, &s.Ball.TwistInW)
	for i := range s.Robots {
		w.robot(&s.Robots[i])
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		w.body(&o.PoseWO.Pos, &o.PoseWO.Rot, &o.TwistWOInW)
	}
	for i := range s.Joints {
		j := &s.Joints[i]
		w.number(&j.Velocity)
		w.number(&j.Position)
		w.number(&j.Effort)
	}
	for i := range s.Feet {
		w.number(&s.Feet[i].Force)
		w.numbers(s.Feet[i].Pressure[:])
	}
}

func (w *words) body(pos *mgl64.Vec3, rot *mgl64.Quat, twist *spatial.Twist) {
	w.numbers(twist.Ang[:])
	w.number(&rot.W)
	w.numbers(rot.V[:])
	w.numbers(twist.Lin[:])
	w.numbers(pos[:])
}

func (w *words) robot(r *physics.RobotState) {
	w.body(&r.PoseWB.Pos, &r.PoseWB.Rot, &r.TwistWBInW)
	w.numbers(r.AccelWBInW[:])
	w.numbers(r.AngAccelWBInW[:])
	w.numbers(r.WheelRadS[:])
	w.numbers(r.WheelRad[:])
	w.number(&r.MotorA)
	w.number(&r.BatteryV)
	w.numbers(r.ArmM[:])
	w.number(&r.Charge)
	integer(w, &r.Kicks)
	if p := w.next(); w.load {
		r.Extension, r.Motion, r.Progress = physics.ExtensionState(*p), physics.MotionState(*p>>8), uint8(*p>>16)
		r.Limp = *p>>24&1 == 1
	} else {
		*p = uint64(r.Extension) | uint64(r.Motion)<<8 | uint64(r.Progress)<<16
		if r.Limp {
			*p |= 1 << 24
		}
	}
	w.flag(&r.Stuck)
	for i := range r.WheelStuck {
		w.flag(&r.WheelStuck[i])
	}
}

// contacts copies a state's touches and events. If it loads, the slices of the state already have the right lengths.
func (w *words) contacts(s *physics.Snapshot) {
	var none physics.EventKind
	for i := range s.Touches {
		w.contact(&none, &s.Touches[i])
	}
	for i := range s.Events {
		w.contact(&s.Events[i].Kind, &s.Events[i].Touch)
	}
}

func (w *words) contact(kind *physics.EventKind, t *physics.Touch) {
	integer(w, kind)
	integer(w, &t.A)
	integer(w, &t.B)
	w.numbers(t.PosW[:])
	w.number(&t.Impulse)
	w.number(&t.Closing)
}

// resize returns a slice of n elements, of which the first are those of the slice s. Any further elements have
// undefined values.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return append(make([]T, 0, n+n/2), s...)[:n]
	}
	return s[:n]
}
