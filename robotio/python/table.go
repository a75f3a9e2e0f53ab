package python

import (
	"reflect"
	"unsafe"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// maxArrays is the largest number of arrays of an observation.
const maxArrays = 14

// header is the row of the true state or of a sensor in the table of a simulation.
type header struct {
	Count  uint64 // number of observations so far
	Frame  uint64
	Stamp  float64 // sim time of capture, s
	Offset uint64  // of the first array, from the beginning of the shared memory; each array is aligned
	Form   int64   // which arrays there are
	Counts [maxArrays]uint32
}

const headerSize = int(unsafe.Sizeof(header{}))

// table is the part of the shared memory that belongs to one simulation.
type table struct {
	memory *memory
	offset int // of the first header
	slots  []slot
	text   int // length of the longest text, in characters
	forms  []formJSON
	told   int // number of forms that Python knows
}

// formJSON describes a form to Python.
type formJSON struct {
	Level  abstraction.Level `json:"level"`
	Fault  sensors.Fault     `json:"fault"`
	Arrays []arrayJSON       `json:"arrays"`
}

// slot is one row of the table, and the memory of its newest observation.
type slot struct {
	header   *header
	capacity int
	forms    map[content]*form
}

// content is what determines the form of an observation of one sensor.
type content struct {
	level                                  abstraction.Level
	fault                                  sensors.Fault
	color, depth, truth, features, objects bool
	reading                                reflect.Type
}

// newTable makes a table with a number of rows. text is the length of the longest text.
func newTable(m *memory, rows, text int) (*table, error) {
	offset, err := m.allocate(rows * headerSize)
	if err != nil {
		return nil, err
	}
	t := &table{memory: m, offset: offset, slots: make([]slot, rows), text: text}
	for i := range t.slots {
		t.slots[i] = slot{(*header)(unsafe.Pointer(&m.data[offset+i*headerSize])), 0, map[content]*form{}}
	}
	return t, nil
}

// clear removes all observations.
func (t *table) clear() {
	for i := range t.slots {
		t.slots[i].header.Count = 0
	}
}

// putTruth writes the true state into row 0.
func (t *table) putTruth(state *physics.Snapshot) error {
	s := &t.slots[0]
	f := s.forms[content{}]
	if f == nil {
		f = truthForm(t.text)
		t.add(s, content{}, f)
	}
	h := s.header
	h.Frame, h.Stamp = uint64(state.Step), state.Time.Seconds()
	return t.put(s, f, state)
}

// putObservation writes an observation into a row.
func (t *table) putObservation(row int, o *sensors.Observation) error {
	s := &t.slots[row]
	c := content{o.Level, o.Fault, o.Color != nil, o.Depth != nil, o.Truth != nil, o.Features != nil, o.Objects != nil,
		reflect.TypeOf(o.Reading)}
	f := s.forms[c]
	if f == nil {
		f = formOf(o, t.text)
		t.add(s, c, f)
	}
	s.header.Frame, s.header.Stamp = o.Frame, o.Stamp.Seconds()
	return t.put(s, f, o)
}

// add gives a new form its number.
func (t *table) add(s *slot, c content, f *form) {
	f.id = len(t.forms)
	t.forms = append(t.forms, formJSON{c.level, c.fault, f.describe()})
	s.forms[c] = f
}

// put writes the arrays of an observation.
func (t *table) put(s *slot, f *form, o any) error {
	size := 0
	for i := range f.arrays {
		_, n := f.arrays[i].find(o)
		size += aligned(n * f.arrays[i].stride)
	}
	if size > s.capacity {
		capacity := aligned(size + size/4)
		offset, err := t.memory.allocate(capacity)
		if err != nil {
			return err
		}
		s.header.Offset, s.capacity = uint64(offset), capacity
	}
	at := int(s.header.Offset)
	for i := range f.arrays {
		a := &f.arrays[i]
		from, n := a.find(o)
		a.copy(t.memory.data[at:at+n*a.stride], from, n)
		s.header.Counts[i] = uint32(n)
		at += aligned(n * a.stride)
	}
	s.header.Form = int64(f.id)
	s.header.Count++
	return nil
}

// newForms returns the forms that Python does not know yet.
func (t *table) newForms() []formJSON {
	fresh := t.forms[t.told:]
	t.told = len(t.forms)
	return fresh
}
