package python

import (
	"reflect"
	"slices"
	"time"
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
	capacity int     // of the memory, in bytes
	forms    []*form // so far, few
	newest   *form
	size     int // of the newest observation, in bytes
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
		t.slots[i] = slot{header: (*header)(unsafe.Pointer(&m.data[offset+i*headerSize]))}
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
func (t *table) putTruth(state *physics.Snapshot, at time.Duration) error {
	s := &t.slots[0]
	f := s.form(content{})
	if f == nil {
		f = t.add(s, content{}, truthForm(t.text))
	}
	h := s.header
	h.Frame, h.Stamp = uint64(state.Step), at.Seconds()
	return t.put(s, f, state)
}

// putObservation writes an observation into a row.
func (t *table) putObservation(row int, o *sensors.Observation) error {
	s := &t.slots[row]
	c := content{o.Level, o.Fault, o.Color != nil, o.Depth != nil, o.Truth != nil, o.Features != nil, o.Objects != nil,
		reflect.TypeOf(o.Reading)}
	f := s.form(c)
	if f == nil {
		f = t.add(s, c, formOf(o, t.text))
	}
	s.header.Frame, s.header.Stamp = o.Frame, o.Stamp.Seconds()
	return t.put(s, f, o)
}

// form returns the form of observations with a content, or nil.
func (s *slot) form(c content) *form {
	for _, f := range s.forms {
		if f.content == c {
			return f
		}
	}
	return nil
}

// add gives a new form its number.
func (t *table) add(s *slot, c content, f *form) *form {
	f.id, f.content = len(t.forms), c
	t.forms = append(t.forms, formJSON{c.level, c.fault, f.describe()})
	s.forms = append(s.forms, f)
	return f
}

// put writes the arrays of an observation.
func (t *table) put(s *slot, f *form, o any) error {
	size := 0
	for i := range f.arrays {
		_, n := f.arrays[i].find(o)
		size += aligned(n * f.arrays[i].stride)
	}
	if err := t.hold(s, f, size); err != nil {
		return err
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

// hold makes room for an observation.
func (t *table) hold(s *slot, f *form, size int) error {
	if size > s.capacity {
		capacity := aligned(size + size/4)
		offset, err := t.memory.allocate(capacity)
		if err != nil {
			return err
		}
		s.header.Offset, s.capacity = uint64(offset), capacity
	}
	s.newest, s.size = f, size
	return nil
}

// kept is a saved row of a table.
type kept struct {
	header header
	form   *form
	bytes  []byte
}

// save returns copies of all rows.
func (t *table) save() (all []kept) {
	for i := range t.slots {
		s := &t.slots[i]
		k := kept{header: *s.header, form: s.newest}
		if k.header.Count > 0 {
			k.bytes = slices.Clone(t.memory.data[k.header.Offset : k.header.Offset+uint64(s.size)])
		}
		all = append(all, k)
	}
	return all
}

// restore sets all rows to saved ones, which may be those of another simulation of the same world.
func (t *table) restore(all []kept) error {
	for i := range t.slots {
		s, k := &t.slots[i], &all[i]
		if k.header.Count == 0 {
			s.header.Count = 0
			continue
		}
		f := s.form(k.form.content)
		if f == nil {
			f = t.add(s, k.form.content, &form{arrays: k.form.arrays})
		}
		if err := t.hold(s, f, len(k.bytes)); err != nil {
			return err
		}
		copy(t.memory.data[s.header.Offset:], k.bytes)
		offset := s.header.Offset
		*s.header = k.header
		s.header.Offset, s.header.Form = offset, int64(f.id)
	}
	return nil
}
