package python

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"
)

// record says how numpy reads values of a Go type: the bytes of the Go value, which are copied, and then its texts.
type record struct {
	dtype  any // numpy's: a text, or the table dtypeTable
	shape  []int
	size   int // of the Go value, in bytes
	stride int // size, and the size of all texts
	texts  []textField
}

// dtypeTable is a dtype of several fields, as numpy.dtype takes it.
type dtypeTable struct {
	Names    []string `json:"names"`
	Formats  []any    `json:"formats"`
	Offsets  []int    `json:"offsets"`
	ItemSize int      `json:"itemsize"`
}

// textField is a text in a record. The bytes of the Go string at offset from, a pointer and a length, are not copied.
// At offset to there are at most length characters, of 4 bytes each.
type textField struct{ from, to, length int }

// columns collects the fields of a struct.
type columns struct {
	table  dtypeTable
	record record
	text   int // maximum length of texts, in characters
}

// recordOf returns the record of a type: a number, an array of numbers, or a struct of such fields, of texts, and of
// structs. Fields that are slices or pointers are left out. Longer texts than the given length, in characters, are cut.
func recordOf(t reflect.Type, textLength int) record {
	if format, shape, ok := plain(t); ok {
		return record{dtype: format, shape: shape, size: int(t.Size()), stride: int(t.Size())}
	}
	c := columns{text: textLength, record: record{size: int(t.Size()), stride: int(t.Size())}}
	c.add("", t, 0)
	c.record.stride = (c.record.stride + 7) &^ 7
	c.table.ItemSize = c.record.stride
	c.record.dtype = c.table
	return c.record
}

// plain returns the format of a number, or the format and the shape of an array of numbers.
func plain(t reflect.Type) (format string, shape []int, ok bool) {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "<m8[ns]", nil, true
	case reflect.TypeFor[mgl64.Quat](): // w, x, y, z
		return "<f8", []int{4}, true
	}
	switch t.Kind() {
	case reflect.Bool:
		return "?", nil, true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprintf("<i%d", t.Size()), nil, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("<u%d", t.Size()), nil, true
	case reflect.Float32, reflect.Float64:
		return fmt.Sprintf("<f%d", t.Size()), nil, true
	case reflect.Array:
		format, shape, ok = plain(t.Elem())
		return format, append([]int{t.Len()}, shape...), ok
	}
	return "", nil, false
}

// add adds a field of type t at an offset, or the fields of a struct. The name of a field in a struct begins with the
// names of the structs around it.
func (c *columns) add(name string, t reflect.Type, offset int) {
	if format, shape, ok := plain(t); ok {
		c.append(name, format, shape, offset)
		return
	}
	switch t.Kind() {
	case reflect.String:
		c.record.texts = append(c.record.texts, textField{offset, c.record.stride, c.text})
		c.append(name, fmt.Sprintf("<U%d", c.text), nil, c.record.stride)
		c.record.stride += 4 * c.text
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				continue
			}
			inner := name
			if !f.Anonymous {
				inner = strings.TrimPrefix(name+"_"+snakeCase(f.Name), "_")
			}
			c.add(inner, f.Type, offset+int(f.Offset))
		}
	}
}

func (c *columns) append(name, format string, shape []int, offset int) {
	c.table.Names = append(c.table.Names, name)
	var f any = format
	if shape != nil {
		f = []any{format, shape}
	}
	c.table.Formats = append(c.table.Formats, f)
	c.table.Offsets = append(c.table.Offsets, offset)
}

// snakeCase converts the name of a Go field: PoseWB becomes pose_wb, and MinU becomes min_u.
func snakeCase(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) ||
			i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// copy copies n values from an address into memory of n × stride bytes.
func (r *record) copy(to []byte, from unsafe.Pointer, n int) {
	if n == 0 {
		return
	}
	if r.stride == r.size {
		copy(to, unsafe.Slice((*byte)(from), n*r.size))
		return
	}
	for i := range n {
		value := unsafe.Add(from, i*r.size)
		row := to[i*r.stride : (i+1)*r.stride]
		copy(row, unsafe.Slice((*byte)(value), r.size))
		for _, t := range r.texts {
			clear(row[t.from : t.from+int(unsafe.Sizeof(""))])
			putText(row[t.to:t.to+4*t.length], *(*string)(unsafe.Add(value, t.from)))
		}
	}
}

// putText writes a text as 32-bit characters, and fills the rest with 0.
func putText(to []byte, text string) {
	clear(to)
	for len(to) > 0 && text != "" {
		r, n := utf8.DecodeRuneInString(text)
		to[0], to[1], to[2] = byte(r), byte(r>>8), byte(r>>16)
		to, text = to[4:], text[n:]
	}
}
