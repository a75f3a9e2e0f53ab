package track

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// testModel returns a model with two robots and an obstacle.
func testModel() *physics.Model {
	m := enginetest.Match(2, func(int) physics.DriveLevel { return physics.KinematicDrive })
	m.Config.Engine = "planar"
	m.Obstacles = m.Obstacles[:1]
	return m
}

// awkward numbers have bits that a codec with arithmetic might lose.
var awkward = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.Float64frombits(0x7ff0000000000001),
	math.Float64frombits(0xfff8000000001234), math.SmallestNonzeroFloat64, -math.MaxFloat64, 1, -1, 0.1}

// randomize sets every field of a value by reflection, so that no field is forgotten.
func randomize(t *testing.T, v reflect.Value, rng *rand.Rand) {
	switch v.Kind() {
	case reflect.Float64:
		x := math.Float64frombits(rng.Uint64())
		if rng.IntN(3) == 0 {
			x = awkward[rng.IntN(len(awkward))]
		}
		v.SetFloat(x)
	case reflect.Int, reflect.Int64:
		switch v.Type() {
		case reflect.TypeFor[physics.BodyID]():
			v.SetInt(rng.Int64N(5) - 1)
		default:
			v.SetInt(int64(rng.Uint64()))
		}
	case reflect.Uint8:
		v.SetUint(rng.Uint64N(4))
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Struct:
		for i := range v.NumField() {
			randomize(t, v.Field(i), rng)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			randomize(t, v.Index(i), rng)
		}
	default:
		t.Fatalf("a snapshot has a field of kind %v: the codec does not know how to keep it", v.Kind())
	}
}

func randomState(t *testing.T, m *physics.Model, rng *rand.Rand) *physics.Snapshot {
	s := &physics.Snapshot{
		Robots: make([]physics.RobotState, len(m.Robots)), Obstacles: make([]physics.ObstacleState, len(m.Obstacles)),
		Touches: make([]physics.Touch, rng.IntN(4)), Events: make([]physics.Event, rng.IntN(3)),
		Joints: make([]physics.JointState, m.CountJoints()), Feet: make([]physics.FootLoad, m.CountFeet()),
	}
	randomize(t, reflect.ValueOf(s).Elem(), rng)
	s.Ball.HeldBy = rng.IntN(len(m.Robots)+1) - 1
	return s
}

// bitsOf writes every field of a snapshot; numbers as their bits.
func bitsOf(v reflect.Value, out *bytes.Buffer) {
	switch v.Kind() {
	case reflect.Float64:
		fmt.Fprintf(out, "%x ", math.Float64bits(v.Float()))
	case reflect.Struct:
		for i := range v.NumField() {
			fmt.Fprint(out, v.Type().Field(i).Name, ":")
			bitsOf(v.Field(i), out)
		}
	case reflect.Array, reflect.Slice:
		fmt.Fprint(out, v.Len(), "[")
		for i := range v.Len() {
			bitsOf(v.Index(i), out)
		}
		fmt.Fprint(out, "]")
	default:
		fmt.Fprintf(out, "%d:%v ", v.Kind(), v) // the String methods of enumerations do not tell unknown values apart
	}
}

func sameBits(t *testing.T, what string, got, want *physics.Snapshot) {
	t.Helper()
	var a, b bytes.Buffer
	bitsOf(reflect.ValueOf(got).Elem(), &a)
	bitsOf(reflect.ValueOf(want).Elem(), &b)
	if a.String() != b.String() {
		t.Fatalf("%s: decoded\n%s\nwant\n%s", what, a.String(), b.String())
	}
}

// roundTrip encodes states in one block, decodes them, and compares.
func roundTrip(t *testing.T, m *physics.Model, states []*physics.Snapshot, settled func(i int) bool) []byte {
	t.Helper()
	e := NewEncoder(m, 3, len(states))
	for i, s := range states {
		if full, err := e.Add(s, settled(i)); err != nil || full != (i == len(states)-1) {
			t.Fatalf("state %d: full %v, error %v", i, full, err)
		}
	}
	h, block := e.Block()
	last := len(states) - 1
	if want := (Header{3, len(states), states[0].Step, states[last].Step, states[0].Time,
		states[last].Time}); h != want {
		t.Fatalf("header %+v, want %+v", h, want)
	}
	var d Decoder
	got, err := d.Decode(block)
	if err != nil || got != h || d.Len() != len(states) {
		t.Fatalf("decoded %+v of %d states, %v", got, d.Len(), err)
	}
	var s physics.Snapshot
	for i := range states {
		d.State(i, &s)
		sameBits(t, fmt.Sprint("state ", i), &s, states[i])
		if step, after := d.StepOf(i); step != states[i].Step || after != settled(i) {
			t.Fatalf("state %d: step %d, settled %v", i, step, after)
		}
	}
	return block
}

func TestEveryFieldComesBackToTheLastBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := testModel()
	for _, n := range []int{1, 2, 3, 60, MaxStates, 7, 100} {
		if n == 7 { // from here on with joints and feet
			m.Robots = append(m.Robots, enginetest.Humanoid(0, 0, 0))
		}
		var states []*physics.Snapshot
		for i := range n {
			s := randomState(t, m, rng)
			if i > 0 && i%5 != 0 { // several states in one step, and gaps
				s.Step = states[i-1].Step + int64(i%3)
			}
			states = append(states, s)
		}
		roundTrip(t, m, states, func(i int) bool { return i%4 == 1 })
	}
}

// Blocks that older programs have coded have joints and no feet.
func TestBlocksWithoutFeet(t *testing.T) {
	m := testModel()
	m.Robots = append(m.Robots, enginetest.Humanoid(0, 0, 0))
	s := randomState(t, m, rand.New(rand.NewPCG(1, 2)))
	s.Feet = nil
	e := NewEncoder(m, 0, 1)
	e.feet = 0
	if full, err := e.Add(s, false); !full || err != nil {
		t.Fatalf("full %v, error %v", full, err)
	}
	_, block := e.Block()
	var d Decoder
	must.Get(d.Decode(block))(t)
	got := physics.Snapshot{Feet: make([]physics.FootLoad, 2)}
	d.State(0, &got)
	got.Feet = nil
	sameBits(t, "state", &got, s)
	c := cursor{model: m}
	if err := c.decode(func() ([]byte, error) { return block, nil }, &d); err != nil {
		t.Error(err)
	}
}

// States of smooth motion, as engines compute them, survive to the last bit.
func TestSmoothMotionComesBackToTheLastBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := testModel()
	s := m.Start()
	var states []*physics.Snapshot
	for i := range 120 {
		s.Step++
		s.Time += m.Step
		for k := range s.Robots {
			r := &s.Robots[k]
			r.TwistWBInW.Lin[0] = math.Sin(float64(i) / 10)
			r.PoseWB.Pos[0] += r.TwistWBInW.Lin[0] * 0.005
			r.WheelRadS[1] = float64(i) * 0.1
			r.WheelRad[1] += r.WheelRadS[1] * 0.005
		}
		if i%20 == 7 {
			awkwardly := &s.Robots[0].AccelWBInW[rng.IntN(3)]
			*awkwardly = awkward[rng.IntN(len(awkward))]
		}
		states = append(states, s.Clone())
	}
	roundTrip(t, m, states, func(int) bool { return false })
}

// Constant numbers survive, whatever they are: −0 of a body at rest stays −0.
func TestConstantsComeBackToTheLastBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := testModel()
	for range 20 {
		s := randomState(t, m, rng)
		var states []*physics.Snapshot
		for range 30 {
			s.Step++
			states = append(states, s.Clone())
		}
		roundTrip(t, m, states, func(int) bool { return false })
	}
}

func TestEncoderRefusesAnotherModelsStates(t *testing.T) {
	e := NewEncoder(testModel(), 0, 10)
	if _, err := e.Add(&physics.Snapshot{}, false); err == nil || e.Len() != 0 {
		t.Errorf("a state without bodies: error %v, %d states", err, e.Len())
	}
}

func TestEncodingAllocatesNothing(t *testing.T) {
	m := testModel()
	e := NewEncoder(m, 0, 20)
	rng := rand.New(rand.NewPCG(1, 1))
	s := randomState(t, m, rng)
	s.Touches = make([]physics.Touch, 3)
	code := func() {
		for range 20 {
			s.Step++
			if full, err := e.Add(s, false); err != nil {
				t.Fatal(err)
			} else if full {
				e.Block()
			}
		}
	}
	code()
	must.Equal(t, testing.AllocsPerRun(20, code), 0, "allocations a block")
}
