package mapping

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var le = binary.LittleEndian

// Limits of a message that is filled or read field by field, far above any real one: definitions that are nested in
// each other multiply.
const (
	maxLeaves = 10_000
	maxSize   = 1 << 20 // bytes, of its arrays of fixed length above all
)

// fits refuses what would take more than that.
func fits(def *msg.Definition) error {
	switch {
	case def.Leaves > maxLeaves:
		return fmt.Errorf("%s has more than %d fields with those nested in it", def.Name, maxLeaves)
	case def.MinSize > maxSize:
		return fmt.Errorf("%s has at least %d bytes: must be at most %d", def.Name, def.MinSize, maxSize)
	}
	return nil
}

// writer appends a part of a message.
type writer func(b []byte, c *Context) []byte

// Template fills messages of one definition.
type Template struct {
	parts   []writer
	tail    func(*Context) []byte
	when    func(*Context) float64
	overlay sensors.OverlayParts // that it is read from
}

// templateConfig is what a template is compiled with beside the definition.
type templateConfig struct {
	known *quantities
	units units
	frame string // text of the frame_id of headers that the mapping leaves out
	when  string // a quantity: while it is zero there is no message; empty: there always is
	path  string // of the mapping, for errors: publish[2].message

	// For errors, too:
	entry  string              // path of the entry, where its when stands
	from   string              // what the entry is from; empty: nothing else has quantities
	levels []abstraction.Level // at which it is fed
}

// newTemplate matches a mapping with a definition. Its error joins everything that is wrong, each a schema.Violation.
func newTemplate(def *msg.Definition, mapping map[string]any, cfg templateConfig) (*Template, error) {
	if err := fits(def); err != nil {
		return nil, &schema.Violation{Path: cfg.path, Rule: err.Error()}
	}
	var errs []error
	t := &Template{}
	c := compiler{cfg, &errs, &t.overlay}
	t.parts, t.tail = c.message(def, mapping, true)
	if cfg.when != "" {
		if q, ok := cfg.known.Numbers[cfg.when]; ok {
			t.when = q.get
		} else {
			c.path = cfg.entry
			c.unknown("when", cfg.when, numbers)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return t, nil
}

// Silent says that there is no message to send now.
func (t *Template) Silent(c *Context) bool { return t.when != nil && t.when(c) == 0 }

// Append appends a message but for its Tail.
func (t *Template) Append(b []byte, c *Context) []byte {
	for _, w := range t.parts {
		b = w(b, c)
	}
	return b
}

// Tail begins a message. It returns the bytes that follow what Append appends, not copied: those of the last field,
// where that is a blob such as an image's pixels; and free, to be called once they have been sent. Other messages have
// none. After Append, Context.Free gives back the blobs that were copied into the message.
func (t *Template) Tail(c *Context) (data []byte, free func()) {
	c.blobs = c.blobs[:0]
	if t.tail == nil {
		return nil, nil
	}
	data = t.tail(c)
	free, c.blobs[0].free = c.blobs[0].free, nil
	return data, free
}
