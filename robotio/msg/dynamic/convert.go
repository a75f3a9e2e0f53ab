package dynamic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Converter converts messages of one definition to messages of another, such as from ROS 1 to ROS 2. A Converter is
// immutable, and many goroutines may use it.
type Converter struct {
	from, to *Codec
	steps    []step
}

// step reads a field of the source, writes a field of the target, or both.
type step struct {
	from, to *field // without from, the target's field is 0 or empty; without to, the source's field is skipped
	nested   []step // for fields that are messages
	copies   bool   // whether the bytes of an element are the same, apart from padding
}

// unused has the fields of ROS 1 that ROS 2 lacks on purpose.
var unused = map[string]bool{"std_msgs/Header.seq": true, "vision_msgs/Detection2D.source_img": true,
	"vision_msgs/Detection3D.source_cloud": true}

// renamed maps fields of ROS 2 to their names in ROS 1.
var renamed = map[string]string{"vision_msgs/ObjectHypothesis.class_id": "id"}

// NewConverter returns a Converter between two definitions. Fields match by name, ignoring case and underscores. They
// must have the same types, except that an integer may become a string, and be in the same order. If a field of the
// target that is a message has no counterpart, but all its own fields do, these match. Other fields of the target that
// have no counterpart become 0 or empty. NewConverter returns an error if a field of the source has no counterpart,
// unless ROS 2 lacks it on purpose: the sequence number of a header, and the source image of a detection.
func NewConverter(from, to *msg.Definition) (*Converter, error) {
	source, err := Compile(from)
	if err != nil {
		return nil, err
	}
	target, err := Compile(to)
	if err != nil {
		return nil, err
	}
	steps, err := pairs{}.match(source.root, target.root)
	return &Converter{source, target, steps}, err
}

// To returns the definition of the converted messages.
func (c *Converter) To() *msg.Definition { return c.to.root.def }

// pairs has the steps of pairs of messages whose fields were matched.
type pairs map[[2]*message][]step

// matcher matches the fields of two messages.
type matcher struct {
	known pairs
	from  *message
	next  int // index of the first field of the source that has no counterpart yet
	steps []step
}

func (p pairs) match(from, to *message) ([]step, error) {
	pair := [2]*message{from, to}
	if steps, ok := p[pair]; ok {
		return steps, nil
	}
	x := &matcher{known: p, from: from}
	err := x.fields(to)
	if err == nil {
		err = x.skip(len(from.fields))
	}
	p[pair] = x.steps
	return x.steps, err
}

// fields matches the fields of a message of the target, which the target may have instead of fields of its own.
func (x *matcher) fields(to *message) error {
	for i := range to.fields {
		f := &to.fields[i]
		at := x.find(to, f)
		switch {
		case at >= 0:
			if err := x.skip(at); err != nil {
				return err
			}
			s, err := x.known.step(&x.from.fields[at], f)
			if err != nil {
				return fmt.Errorf("message %s: %w", x.from.def.Name, err)
			}
			x.steps = append(x.steps, s)
			x.next++
		case x.flat(f):
			if err := x.fields(f.msg); err != nil {
				return err
			}
		default:
			x.steps = append(x.steps, step{to: f})
		}
	}
	return nil
}

// find returns the index of the counterpart of a field in the source, or -1.
func (x *matcher) find(to *message, f *field) int {
	name := f.name
	if old, ok := renamed[to.def.Name+"."+name]; ok {
		name = old
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for i := x.next; i < len(x.from.fields); i++ {
		if plain(x.from.fields[i].name) == plain(name) {
			return i
		}
	}
	return -1
}

// flat reports whether a field of the target stands for several fields of the source.
func (x *matcher) flat(f *field) bool {
	if f.kind != kMessage || f.array || len(f.msg.fields) == 0 {
		return false
	}
	for i := range f.msg.fields {
		if x.find(f.msg, &f.msg.fields[i]) < 0 {
			return false
		}
	}
	return true
}

// skip skips the fields of the source up to an index. It returns an error if the target needs one of them.
func (x *matcher) skip(to int) error {
	for ; x.next < to; x.next++ {
		f := &x.from.fields[x.next]
		if !unused[x.from.def.Name+"."+f.name] && f.name != msg.Placeholder {
			return fmt.Errorf("message %s: field %s %s: has no counterpart in the other definition of the type, or one "+
				"in another order", x.from.def.Name, f.typ, f.name)
		}
		x.steps = append(x.steps, step{from: f})
	}
	return nil
}

// step returns the step that converts a field.
func (p pairs) step(from, to *field) (step, error) {
	s := step{from: from, to: to}
	var err error
	bytes := from.kind < kString && to.kind < kString && from.size == 1 && to.size == 1
	switch {
	case from.array != to.array || from.n != to.n:
	case from.kind == kMessage && to.kind == kMessage:
		s.nested, err = p.match(from.msg, to.msg)
		return s, err
	case from.kind == to.kind || bytes:
		s.copies = from.kind != kString
		return s, nil
	case to.kind == kString && kInt8 <= from.kind && from.kind <= kUint64:
		return s, nil
	}
	return s, fmt.Errorf("field %s %s: must have the same type in the other definition, where it is %s", from.typ,
		from.name, to.typ)
}

// Append appends the converted message b to dst. After an error, the result ends with a part of the message.
func (c *Converter) Append(dst, b []byte) ([]byte, error) {
	r, e := c.from.reader(b), encoder{most: len(dst) + maxEncoded + 4*len(b), cdr: c.to.root.def.ROS2()}
	if e.cdr {
		dst = append(dst, cdrHeader...)
	}
	e.start = len(dst)
	dst, err := e.convert(dst, r, c.steps)
	return dst, c.from.end(r, len(b), err)
}

func (e *encoder) convert(dst []byte, r *reader, steps []step) (_ []byte, err error) {
	for i := range steps {
		s := &steps[i]
		if s.from == nil {
			dst = e.zero(dst, s.to)
			continue
		}
		n, err := r.count(s.from)
		if err == nil && s.to == nil {
			err = r.skip(s.from, n, nil)
		} else if err == nil {
			dst, err = e.elements(dst, r, s, n)
		}
		if err != nil {
			return dst, fmt.Errorf("%s: %w", s.from.name, err)
		}
	}
	if len(dst) > e.most {
		return dst, fmt.Errorf("becomes too large: must have at most %d bytes", e.most)
	}
	return dst, nil
}

// elements converts n elements of a field.
func (e *encoder) elements(dst []byte, r *reader, s *step, n int) (_ []byte, err error) {
	if s.to.array && s.to.n == msg.Variable {
		if s.to.most > 0 && n > s.to.most {
			return dst, fmt.Errorf("%d elements: must be at most %d", n, s.to.most)
		}
		dst = le.AppendUint32(e.align(dst, 4), uint32(n))
	}
	if s.copies {
		b, err := r.values(s.from, n)
		if n > 0 {
			dst = append(e.align(dst, s.to.align), b...)
		}
		return dst, err
	}
	for i := 0; i < n && err == nil; i++ {
		if s.to.kind == kMessage {
			dst, err = e.convert(dst, r, s.nested)
		} else {
			dst, err = e.text(dst, r, s)
		}
	}
	return dst, err
}

// text converts a string or an integer to a string.
func (e *encoder) text(dst []byte, r *reader, s *step) ([]byte, error) {
	var b []byte
	var err error
	if s.from.kind == kString {
		b, err = r.text()
	} else if b, err = r.values(s.from, 1); err == nil {
		var digits [20]byte
		if s.from.kind >= kUint8 {
			b = strconv.AppendUint(digits[:0], unsigned(b), 10)
		} else {
			b = strconv.AppendInt(digits[:0], signed(b), 10)
		}
	}
	if err == nil && s.to.mostText > 0 && len(b) > s.to.mostText {
		err = fmt.Errorf("%s: must have at most %d bytes", clip(b), s.to.mostText)
	}
	return e.string(dst, b), err
}
