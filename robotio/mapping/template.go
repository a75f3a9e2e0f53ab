package mapping

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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
type writer[S any] func(b []byte, s S) []byte

// Template fills messages of one definition.
type Template[S any] struct {
	def   *msg.Definition
	parts []writer[S]
	tail  func(S) []byte
	when  func(S) float64
}

// Config is what Compile needs beside the definition.
type Config[S any] struct {
	Words Words[S]
	Units Units
	Frame string // text of the frame_id of headers that the mapping leaves out
	Stamp string // the word of their stamp
	When  string // a word: nothing is to be said while it is zero; empty: never
	Path  string // of the mapping, for errors: publish[2].message
}

// Compile matches a mapping with a definition. Its error joins everything that is wrong, each a schema.Violation.
func Compile[S any](def *msg.Definition, mapping map[string]any, cfg Config[S]) (*Template[S], error) {
	if err := fits(def); err != nil {
		return nil, &schema.Violation{Path: cfg.Path, Rule: err.Error()}
	}
	c := &compiler[S]{cfg: cfg}
	t := &Template[S]{def: def}
	t.parts, t.tail = c.message(def, mapping, cfg.Words, cfg.Path, true)
	if cfg.When != "" {
		if w, ok := cfg.Words.Numbers[cfg.When]; ok {
			t.when = w.Get
		} else {
			c.unknown(cfg.Path, "when", cfg.When, "number", names(cfg.Words.Numbers))
		}
	}
	if err := errors.Join(c.errs...); err != nil {
		return nil, err
	}
	return t, nil
}

// Def returns the definition that the template fills.
func (t *Template[S]) Def() *msg.Definition { return t.def }

// Silent says that there is nothing to say.
func (t *Template[S]) Silent(s S) bool { return t.when != nil && t.when(s) == 0 }

// Append appends a message but for its Tail.
func (t *Template[S]) Append(b []byte, s S) []byte {
	for _, w := range t.parts {
		b = w(b, s)
	}
	return b
}

// Tail returns the bytes that follow what Append appends, not copied: those of a message's last field, where it is a
// blob such as an image's pixels; else nil.
func (t *Template[S]) Tail(s S) []byte {
	if t.tail == nil {
		return nil
	}
	return t.tail(s)
}
