package track

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// table holds the states of a block as rows of 64-bit words, a column for each number of a snapshot, and the touches
// and events of all.
type table struct {
	shape
	groups  []group
	columns int
	rows    int      // states
	words   []uint64 // row after row
	touches []physics.Touch
	events  []physics.Event
}

// The columns of a state's own numbers, before those of its bodies.
const (
	stepColumn = iota
	timeColumn
	settledColumn // 1 for a state after Settle
	heldByColumn
	touchesColumn // how many
	eventsColumn
	stateColumns
)

// The columns of every body, and those that follow for robots. A column is predicted from those before it.
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
	motorColumn    = wheelColumn + physics.MaxWheels // and battery
	armsColumn     = motorColumn + 2                 // and charge
	kicksColumn    = armsColumn + 3
	flagsColumn    = kicksColumn + 1
	robotColumns   = flagsColumn + 1
)

// begin empties the table, and makes room for rows of its shape.
func (t *table) begin(rows int) {
	t.rows = 0
	t.groups, t.columns = t.layout(t.groups[:0])
	t.words = resize(t.words, t.columns*rows)
	t.touches, t.events = t.touches[:0], t.events[:0]
}

// row returns the words of a state.
func (t *table) row(i int) []uint64 { return t.words[i*t.columns:][:t.columns] }

// add appends a state.
func (t *table) add(s *physics.Snapshot, settled bool) {
	t.rows++
	w := t.row(t.rows - 1)
	w[stepColumn] = uint64(s.Step)
	w[timeColumn] = uint64(s.Time)
	w[settledColumn] = bit(settled)
	w[heldByColumn] = uint64(s.Ball.HeldBy)
	w[touchesColumn] = uint64(len(s.Touches))
	w[eventsColumn] = uint64(len(s.Events))
	w = w[stateColumns:]
	putBody(w, &spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}, &s.Ball.TwistInW)
	w = w[bodyColumns:]
	for i := range s.Robots {
		putRobot(w, &s.Robots[i])
		w = w[robotColumns:]
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		putBody(w, &o.PoseWO, &o.TwistWOInW)
		w = w[bodyColumns:]
	}
	t.touches = append(t.touches, s.Touches...)
	t.events = append(t.events, s.Events...)
}

func putNumbers(words []uint64, numbers []float64) {
	words = words[:len(numbers)]
	for i, x := range numbers {
		words[i] = math.Float64bits(x)
	}
}

func putBody(w []uint64, pose *spatial.Pose, twist *spatial.Twist) {
	w = w[:bodyColumns]
	putNumbers(w[angColumn:], twist.Ang[:])
	w[rotColumn] = math.Float64bits(pose.Rot.W)
	putNumbers(w[rotColumn+1:], pose.Rot.V[:])
	putNumbers(w[linColumn:], twist.Lin[:])
	putNumbers(w[posColumn:], pose.Pos[:])
}

func putRobot(w []uint64, r *physics.RobotState) {
	w = w[:robotColumns]
	putBody(w, &r.PoseWB, &r.TwistWBInW)
	putNumbers(w[accelColumn:], r.AccelWBInW[:])
	putNumbers(w[angAccelColumn:], r.AngAccelWBInW[:])
	putNumbers(w[rateColumn:], r.WheelRadS[:])
	putNumbers(w[wheelColumn:], r.WheelRad[:])
	w[motorColumn], w[motorColumn+1] = math.Float64bits(r.MotorA), math.Float64bits(r.BatteryV)
	putNumbers(w[armsColumn:], r.ArmM[:])
	w[armsColumn+2] = math.Float64bits(r.Charge)
	w[kicksColumn] = uint64(r.Kicks)
	flags := uint64(r.Extension) | bit(r.Stuck)<<8
	if r.WheelStuck != [physics.MaxWheels]bool{} { // as hardly ever
		for i, stuck := range r.WheelStuck {
			flags |= bit(stuck) << (9 + i)
		}
	}
	w[flagsColumn] = flags
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func getNumbers(words []uint64, numbers []float64) {
	words = words[:len(numbers)]
	for i, w := range words {
		numbers[i] = number(w)
	}
}

func getBody(w []uint64, pose *spatial.Pose, twist *spatial.Twist) {
	getNumbers(w[angColumn:], twist.Ang[:])
	pose.Rot.W = number(w[rotColumn])
	getNumbers(w[rotColumn+1:], pose.Rot.V[:])
	getNumbers(w[linColumn:], twist.Lin[:])
	getNumbers(w[posColumn:], pose.Pos[:])
}

func getRobot(w []uint64, r *physics.RobotState) {
	getBody(w, &r.PoseWB, &r.TwistWBInW)
	getNumbers(w[accelColumn:], r.AccelWBInW[:])
	getNumbers(w[angAccelColumn:], r.AngAccelWBInW[:])
	getNumbers(w[rateColumn:], r.WheelRadS[:])
	getNumbers(w[wheelColumn:], r.WheelRad[:])
	r.MotorA, r.BatteryV = number(w[motorColumn]), number(w[motorColumn+1])
	getNumbers(w[armsColumn:], r.ArmM[:])
	r.Charge = number(w[armsColumn+2])
	r.Kicks = int(w[kicksColumn])
	flags := w[flagsColumn]
	r.Extension = physics.ExtensionState(flags)
	r.Stuck = flags>>8&1 != 0
	for i := range r.WheelStuck {
		r.WheelStuck[i] = flags>>(9+i)&1 != 0
	}
}

// state copies a row into a snapshot, reusing its slices.
func (t *table) state(row int, into *physics.Snapshot) {
	w := t.row(row)
	into.Step, into.Time = int64(w[stepColumn]), time.Duration(w[timeColumn])
	into.Ball.HeldBy = int(w[heldByColumn])
	touches, events := int(w[touchesColumn]), int(w[eventsColumn])
	w = w[stateColumns:]
	var ball spatial.Pose
	getBody(w, &ball, &into.Ball.TwistInW)
	into.Ball.PosW, into.Ball.RotW = ball.Pos, ball.Rot
	w = w[bodyColumns:]
	into.Robots = resize(into.Robots, t.robots)
	for i := range into.Robots {
		getRobot(w, &into.Robots[i])
		w = w[robotColumns:]
	}
	into.Obstacles = resize(into.Obstacles, t.obstacles)
	for i := range into.Obstacles {
		getBody(w, &into.Obstacles[i].PoseWO, &into.Obstacles[i].TwistWOInW)
		w = w[bodyColumns:]
	}
	touch, event := t.sum(touchesColumn, row), t.sum(eventsColumn, row)
	into.Touches = append(into.Touches[:0], t.touches[touch:touch+touches]...)
	into.Events = append(into.Events[:0], t.events[event:event+events]...)
}

// sum adds up a column over the rows before one.
func (t *table) sum(column, rows int) (n int) {
	for row := range rows {
		n += int(t.row(row)[column])
	}
	return n
}

// resize returns a slice of n elements, the old one if it is long enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
