package keyframe

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Exchanger is a part of a simulation that has state.
type Exchanger interface {
	// Exchange passes the state to a codec, field by field, always in the same order. It checks the restored numbers
	// that must lie in a range.
	Exchange(c *Codec)
}

// Codec saves fields to a key frame, or restores them from one.
type Codec struct {
	data      []byte // saved bytes, or the bytes that are left to restore
	restoring bool
	part      [2]string // part of the simulation to which the following fields belong
	err       error     // first error
}

// Append returns a codec that appends the fields to a buffer.
func Append(to []byte) *Codec { return &Codec{data: to} }

// Restore returns a codec that restores the fields from saved data. The data must not change while the codec is in use.
func Restore(data []byte) *Codec { return &Codec{data: data, restoring: true} }

// Restoring reports whether the codec restores fields.
func (c *Codec) Restoring() bool { return c.restoring }

// Data returns the saved bytes.
func (c *Codec) Data() []byte { return c.data }

// Part names the part of the simulation to which the following fields belong. Errors contain the name. The argument
// within is the name of a smaller part inside it, or empty.
func (c *Codec) Part(name, within string) { c.part = [2]string{name, within} }

// Err returns the first error of restoring, which names the part.
func (c *Codec) Err() error { return c.err }

// End returns the first error, or an error if data is left over.
func (c *Codec) End() error {
	c.Check(!c.restoring || len(c.data) == 0, "%d bytes follow its end", len(c.data))
	return c.err
}

// Check records an error if the argument ok is false. It does nothing when the codec saves, or if it has an error
// already.
func (c *Codec) Check(ok bool, format string, args ...any) {
	if !ok && c.restoring && c.err == nil {
		c.Fail(fmt.Errorf(format, args...))
	}
}

// fails reports whether Check(ok) would record an error. Callers test it first, so that the arguments of Check are not
// allocated on every call.
func (c *Codec) fails(ok bool) bool { return !ok && c.restoring && c.err == nil }

// Fail records an error. It does nothing if the error is nil, when the codec saves, or if it has an error already.
func (c *Codec) Fail(err error) {
	if err == nil || !c.restoring || c.err != nil {
		return
	}
	where := c.part[0]
	if c.part[1] != "" {
		where += "." + c.part[1]
	}
	if where != "" {
		where += ": "
	}
	c.err = fmt.Errorf("key frame: %s%w", where, err)
	c.data = nil
}

// next removes n bytes from the saved data and returns them. If there are fewer than n bytes, it returns nil.
func (c *Codec) next(n int) []byte {
	if n < 0 || n > len(c.data) {
		c.Check(false, "ends too early")
		return nil
	}
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

// Bool saves or restores a truth value.
func (c *Codec) Bool(b *bool) {
	if !c.restoring {
		x := byte(0)
		if *b {
			x = 1
		}
		c.data = append(c.data, x)
	} else if x := c.next(1); x != nil {
		if c.fails(x[0] <= 1) {
			c.Check(false, "has %d where a truth value must be 0 or 1", x[0])
		}
		*b = x[0] == 1
	}
}

// Bools saves or restores truth values.
func (c *Codec) Bools(list ...*bool) {
	for _, b := range list {
		c.Bool(b)
	}
}

// Float saves or restores all bits of a number.
func (c *Codec) Float(f *float64) {
	if !c.restoring {
		c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(*f))
	} else if b := c.next(8); b != nil {
		*f = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
}

// FloatIn saves or restores a number that lies in [from, to].
func (c *Codec) FloatIn(f *float64, from, to float64) {
	x := *f
	if c.Float(&x); c.fails(x >= from && x <= to) { // false for NaN
		c.Check(false, "has %v, which must lie in [%v, %v]", x, from, to)
	}
	if c.restoring && c.err == nil { // during saving, another goroutine, such as a renderer, may read *f
		*f = x
	}
}

// SinglesIn saves or restores single-precision numbers that lie in [from, to].
func (c *Codec) SinglesIn(v []float32, from, to float32) {
	for i := range v {
		x := v[i]
		if c.Single(&x); c.fails(x >= from && x <= to) {
			c.Check(false, "has %v, which must lie in [%v, %v]", x, from, to)
		}
		if c.restoring && c.err == nil {
			v[i] = x
		}
	}
}

// Pose saves or restores a position and an orientation.
func (c *Codec) Pose(pos *mgl64.Vec3, rot *mgl64.Quat) {
	const far, unit = 1e6, 1 + 1e-6 // m; bound of a unit quaternion's components
	for i := range pos {
		c.FloatIn(&pos[i], -far, far)
	}
	c.FloatIn(&rot.W, -unit, unit)
	for i := range rot.V {
		c.FloatIn(&rot.V[i], -unit, unit)
	}
}

// Floats saves or restores the numbers of a vector; the vector must have the saved length.
func (c *Codec) Floats(v []float64) {
	for i := range v {
		c.Float(&v[i])
	}
}

// Single saves or restores all bits of a single-precision number.
func (c *Codec) Single(f *float32) {
	if !c.restoring {
		c.data = binary.LittleEndian.AppendUint32(c.data, math.Float32bits(*f))
	} else if b := c.next(4); b != nil {
		*f = math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
}

// Uint saves or restores an unsigned integer.
func (c *Codec) Uint(u *uint64) {
	if !c.restoring {
		c.data = binary.AppendUvarint(c.data, *u)
		return
	}
	x, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.Check(false, "ends too early, or has an integer that is too large")
		return
	}
	*u, c.data = x, c.data[n:]
}

// Int64 saves or restores an integer.
func (c *Codec) Int64(i *int64) {
	u := uint64(*i)<<1 ^ uint64(*i>>63) // zigzag: small numbers of either sign are short
	c.Uint(&u)
	*i = int64(u>>1) ^ -int64(u&1)
}

// Int saves or restores an integer.
func (c *Codec) Int(i *int) {
	x := int64(*i)
	c.Int64(&x)
	if c.fails(int64(int(x)) == x) {
		c.Check(false, "has an integer that is too large: %d", x)
	}
	*i = int(x)
}

// Index saves or restores an integer that lies in [from, end).
func (c *Codec) Index(i *int, from, end int) {
	x := *i
	c.Int(&x)
	if c.fails(x >= from && x < end) {
		c.Check(false, "has an index of %d, which must lie in [%d, %d)", x, from, end)
	}
	if c.err == nil {
		*i = x
	}
}

// Duration saves or restores a duration.
func (c *Codec) Duration(d *time.Duration) { c.Int64((*int64)(d)) }

// Count saves or restores the number of items that follow, and returns it. Each item must take at least one byte. After
// an error Count returns 0.
func (c *Codec) Count(n int) int {
	u := uint64(n)
	c.Uint(&u)
	if c.fails(u <= uint64(len(c.data))) {
		c.Check(false, "ends too early: %d things are to follow in %d bytes", u, len(c.data))
	}
	if c.err != nil {
		return 0
	}
	return int(u)
}

// Bytes saves or restores bytes; it reuses the slice's memory.
func (c *Codec) Bytes(b *[]byte) {
	n := c.Count(len(*b))
	if !c.restoring {
		c.data = append(c.data, *b...)
	} else if x := c.next(n); c.err == nil {
		*b = append((*b)[:0], x...)
	}
}

// Text saves or restores a string.
func Text[T ~string](c *Codec, s *T) {
	n := c.Count(len(*s))
	if !c.restoring {
		c.data = append(c.data, *s...)
	} else if b := c.next(n); c.err == nil && string(b) != string(*s) { // an equal string need not be copied
		*s = T(b)
	}
}

// Slice saves or restores a list of any length. It calls each for every element, and reuses the slice's memory.
func Slice[T any](c *Codec, list *[]T, each func(*T, *Codec)) {
	n := c.Count(len(*list))
	if c.restoring {
		*list = (*list)[:min(n, len(*list))]
	}
	for i := range n {
		if i == len(*list) {
			*list = append(*list, *new(T))
		}
		if each(&(*list)[i], c); c.err != nil {
			return
		}
	}
}
