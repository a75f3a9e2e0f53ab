package msg

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Codec converts between encoded messages of one definition and values of the Go type T.
type Codec[T any] struct {
	def  *Definition
	plan *plan
}

// Compile returns a codec for the struct T and the definition. If a field of T does not match the definition, Compile
// returns an error that names the first such field.
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

// Append appends the encoded message m to b. It allocates memory only if b has too little space.
func (c *Codec[T]) Append(b []byte, m *T) []byte { return c.plan.encode(b, unsafe.Pointer(m)) }

// Decode decodes a message into m. The message must fill b exactly. Strings and slices are copied from b; a copy uses
// the memory of the slice in m if it is large enough. After an error, m has the fields that were read before the error.
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
