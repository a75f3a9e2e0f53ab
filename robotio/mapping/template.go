package mapping

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var le = binary.LittleEndian

// Limits of a message that is filled or read field by field. They are far above the sizes of real messages. The limits
// are needed because a short file can define a huge message by nesting arrays of messages.
const (
	maxLeaves = 10_000
	maxSize   = 1 << 20 // largest size in bytes, mainly of arrays of fixed length
)

// fits returns an error if a message exceeds maxSize or another limit above.
func fits(def *msg.Definition) error {
	switch {
	case def.Leaves > maxLeaves:
		return fmt.Errorf("%s has more than %d fields with those nested in it", def.Name, maxLeaves)
	case def.MinSize > maxSize:
		return fmt.Errorf("%s has at least %d bytes: must be at most %d", def.Name, def.MinSize, maxSize)
	}
	return nil
}

// writer appends a part of a message to b and returns the extended slice.
type writer func(b []byte, c *quantity.Context) []byte

// Template fills messages of one definition.
type Template struct {
	parts  []writer
	tail   func(*quantity.Context) []byte
	when   func(*quantity.Context) float64
	needs  quantity.Needs
	format encoding
	team   bool // the message reads quantity.TeamMessages
}

// templateConfig holds the arguments of newTemplate, except for the definition and the table of the profile.
type templateConfig struct {
	known *quantity.Set
	units units
	frame string // frame_id for headers that the table leaves out
	// name of a quantity; no message is sent while the quantity is zero; if empty, messages are always sent
	when string
	find func(typ string) (*msg.Definition, error) // finds types of JSON texts; nil where there are none

	// For error messages:
	path   string // path of the table, such as publish[2].message
	entry  string // path of the entry, for errors about its key when
	from   quantity.Source
	levels []abstraction.Level // levels at which the sensor feeds the entry
}

// newTemplate compiles a table of the profile that says how to fill messages of a definition. The returned error joins
// all errors in the table, each of which is a *schema.Violation.
func newTemplate(def *msg.Definition, mapping map[string]any, cfg templateConfig) (*Template, error) {
	if err := fits(def); err != nil {
		return nil, &schema.Violation{Path: cfg.path, Rule: err.Error()}
	}
	var errs []error
	t := &Template{format: encoding{def.ROS2()}}
	c := compiler{cfg, t.format, &errs, &t.needs, &t.team}
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

// Silent reports whether no message must be sent at the moment.
func (t *Template) Silent(c *quantity.Context) bool { return t.when != nil && t.when(c) == 0 }

// Append appends a message to b, which must be empty for a message of ROS 2. The bytes that Tail returns are left out.
func (t *Template) Append(b []byte, c *quantity.Context) []byte {
	if t.format.cdr {
		b = append(b, cdrStart...)
	}
	for _, w := range t.parts {
		b = w(b, c)
	}
	return b
}

// Tail starts a message and must be called before Append. If the last field of the message is a blob, such as the
// pixels of an image, Tail returns the bytes of this blob without copying them. In the encoded message, they follow the
// bytes that Append appends. Tail then also returns the function free, which the caller must call when the bytes have
// been sent. For a message without such a field, Tail returns nil. Append copies blobs that are not the last field.
// After Append, Context.FreeBlobs releases them.
func (t *Template) Tail(c *quantity.Context) (data []byte, free func()) {
	c.ResetBlobs()
	if t.tail == nil {
		return nil, nil
	}
	return c.DetachBlob(t.tail)
}
