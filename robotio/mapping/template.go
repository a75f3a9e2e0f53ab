package mapping

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var le = binary.LittleEndian

// Limits of a message that is filled or read field by field, far above those of real messages. Nested definitions
// multiply, so that a short file can define a huge message.
const (
	maxLeaves = 10_000
	maxSize   = 1 << 20 // bytes, mainly of arrays of fixed length
)

// fits returns an error if a message exceeds these limits.
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
type writer func(b []byte, c *quantity.Context) []byte

// Template fills messages of one definition.
type Template struct {
	parts   []writer
	tail    func(*quantity.Context) []byte
	when    func(*quantity.Context) float64
	overlay sensors.OverlayParts // that the message reads
}

// templateConfig is the input of newTemplate besides the definition and the table of the profile.
type templateConfig struct {
	known *quantity.Set
	units units
	frame string // text of the frame_id of headers that the table leaves out
	when  string // a quantity; while it is zero, no message is sent. Empty: messages are always sent

	// For error messages:
	path   string // of the table, such as publish[2].message
	entry  string // path of the entry, which has the key when
	from   quantity.Source
	levels []abstraction.Level // that feed the entry
}

// newTemplate compiles a table of the profile for a definition. Its error joins all violations, each a
// *schema.Violation.
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
			t.when = q.Get
		} else {
			c.path = cfg.entry
			c.unknown("when", cfg.when, "number", names(cfg.known.Numbers))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return t, nil
}

// Silent reports whether no message is to be sent now.
func (t *Template) Silent(c *quantity.Context) bool { return t.when != nil && t.when(c) == 0 }

// Append appends a message without its Tail.
func (t *Template) Append(b []byte, c *quantity.Context) []byte {
	for _, w := range t.parts {
		b = w(b, c)
	}
	return b
}

// Tail starts a message; call it before Append. If the last field is a blob, such as the pixels of an image, Tail
// returns its bytes without copying them, and free, which the caller calls once they have been sent. They follow the
// bytes of Append. Other messages have no tail. After Append, Context.FreeBlobs releases the blobs that Append has
// copied.
func (t *Template) Tail(c *quantity.Context) (data []byte, free func()) {
	c.ResetBlobs()
	if t.tail == nil {
		return nil, nil
	}
	return c.DetachBlob(t.tail)
}
