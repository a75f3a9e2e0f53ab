package msg

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Codec encodes and decodes messages of one definition as values of T.
type Codec[T any] struct {
	def  *Definition
	plan *plan
}

// Compile matches T, a struct, with the definition. The error names the first field that does not match.
func Compile[T any](def *Definition) (*Codec[T], error) {
	t := reflect.TypeFor[T]()
	p, err := compileStruct(def, t)
	if err != nil {
		return nil, fmt.Errorf("message %s: Go type %s: %w", def.Name, t, err)
	}
	return &Codec[T]{def, p}, nil
}

// Def returns the codec's definition.
func (c *Codec[T]) Def() *Definition { return c.def }

// Append appends m's encoding to b. It allocates only to grow b.
func (c *Codec[T]) Append(b []byte, m *T) []byte { return c.plan.encode(b, unsafe.Pointer(m)) }

// Decode decodes a message that fills b exactly. Strings and slices are copied from b, into slices of m if their
// capacity suffices. After an error, m has the fields read before.
func (c *Codec[T]) Decode(b []byte, m *T) error {
	rest, err := c.plan.decode(b, unsafe.Pointer(m))
	if err != nil {
		return fmt.Errorf("message %s: %d bytes: %w", c.def.Name, len(b), err)
	}
	if len(rest) != 0 {
		return fmt.Errorf("message %s: %d bytes: %d bytes left over: must end with its last field", c.def.Name, len(b),
			len(rest))
	}
	return nil
}
