package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/files"
)

// bufferView is a range of bytes of a buffer.
type bufferView struct {
	Buffer     int `json:"buffer"`
	ByteOffset int `json:"byteOffset"`
	ByteLength int `json:"byteLength"`
	ByteStride int `json:"byteStride,omitempty"`
	Target     int `json:"target,omitempty"`
}

type buffer struct {
	URI        *uri `json:"uri,omitempty"`
	ByteLength int  `json:"byteLength"`
}

// uri is the location of a buffer's or an image's data. The data are in the uri itself, or in a file.
type uri struct {
	data []byte // nil for a file
	file string // as written in the text
}

// UnmarshalJSON decodes data in the uri itself without copying the text.
func (u *uri) UnmarshalJSON(quoted []byte) error {
	text := bytes.Trim(quoted, `"`)
	if bytes.IndexByte(text, '\\') >= 0 || len(text) == len(quoted) {
		var s string
		if err := json.Unmarshal(quoted, &s); err != nil {
			return errors.New("a URI must be a string")
		}
		text = []byte(s)
	}
	rest, ok := bytes.CutPrefix(text, []byte("data:"))
	if !ok {
		u.file = string(text)
		return nil
	}
	kind, rest, ok := bytes.Cut(rest, []byte(","))
	if !ok || !bytes.HasSuffix(kind, []byte(";base64")) {
		return errors.New("data in the text must be base64")
	}
	rest = bytes.TrimRight(rest, "=")
	u.data = make([]byte, base64.RawStdEncoding.DecodedLen(len(rest)))
	n, err := base64.RawStdEncoding.Decode(u.data, rest)
	u.data = u.data[:n]
	return err
}

// store holds the data of a document's buffers. Each file is read once, when a view first needs it.
type store struct {
	doc    *document
	bin    []byte // binary chunk of a .glb file, which contains its first buffer
	files  fs.FS  // nil: no files
	read   map[string][]byte
	room   int // number of bytes that may still be read from files
	pixels int // number of pixels that textures may still have
	images map[[sha256.Size]byte]*pixels
}

// view returns the bytes of a buffer view and its description.
func (s *store) view(index int) ([]byte, *bufferView, error) {
	v, err := at(s.doc.BufferViews, index, "buffer view")
	if err != nil {
		return nil, nil, err
	}
	data, err := s.buffer(v.Buffer)
	if err != nil {
		return nil, nil, err
	}
	if v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > len(data) || v.ByteLength > len(data)-v.ByteOffset {
		return nil, nil, fmt.Errorf("buffer view %d: %d bytes from byte %d on: buffer %d has %d", index, v.ByteLength,
			v.ByteOffset, v.Buffer, len(data))
	}
	return data[v.ByteOffset : v.ByteOffset+v.ByteLength], v, nil
}

func (s *store) buffer(index int) ([]byte, error) {
	b, err := at(s.doc.Buffers, index, "buffer")
	if err != nil {
		return nil, err
	}
	var data []byte
	switch {
	case b.URI == nil && index == 0:
		data = s.bin
	case b.URI == nil:
	case b.URI.data != nil:
		data = b.URI.data
	default:
		if data, err = s.file(b.URI.file); err != nil {
			return nil, fmt.Errorf("buffer %d: %q: %w", index, b.URI.file, err)
		}
	}
	if b.ByteLength < 0 || b.ByteLength > len(data) {
		return nil, fmt.Errorf("buffer %d: byteLength = %d: there are %d bytes", index, b.ByteLength, len(data))
	}
	return data[:b.ByteLength], nil
}

// file reads a file next to the model.
func (s *store) file(text string) ([]byte, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return nil, errors.New("must be the name of a file")
	}
	name := path.Clean(u.Path)
	if !fs.ValidPath(name) || s.files == nil {
		return nil, errors.New("must lie in the model's folder or below it")
	}
	if data, ok := s.read[name]; ok {
		return data, nil
	}
	data, err := fs.ReadFile(s.files, name)
	if err != nil {
		return nil, files.Cause(err)
	}
	if s.room -= len(data); s.room < 0 {
		return nil, tooLong()
	}
	if s.read == nil {
		s.read = map[string][]byte{}
	}
	s.read[name] = data
	return data, nil
}

// accessor describes how the bytes of a buffer view encode numbers.
type accessor struct {
	BufferView    *int   `json:"bufferView,omitempty"`
	ByteOffset    int    `json:"byteOffset,omitempty"`
	ComponentType int    `json:"componentType"`
	Type          string `json:"type"`
	Count         int    `json:"count"`
	Normalized    bool   `json:"normalized,omitempty"`
	Sparse        *struct {
		Count   int
		Indices struct{ BufferView, ByteOffset, ComponentType int }
		Values  struct{ BufferView, ByteOffset int }
	} `json:"sparse,omitempty"`
	Min []float32 `json:"min,omitempty"`
	Max []float32 `json:"max,omitempty"`
}

// Component types and their sizes in bytes.
const (
	typeByte   = 5120
	typeUbyte  = 5121
	typeShort  = 5122
	typeUshort = 5123
	typeUint   = 5125
	typeFloat  = 5126
)

var componentSize = map[int]int{typeByte: 1, typeUbyte: 1, typeShort: 2, typeUshort: 2, typeUint: 4, typeFloat: 4}

// layout is what an accessor for some use may hold.
type layout struct {
	types    []string
	kinds    []int
	fraction bool // integers are fractions of their largest value, whether or not the accessor says so
}

// Layouts by glTF 2.0, and with the integers that KHR_mesh_quantization adds.
var (
	indices  = &layout{[]string{"SCALAR"}, []int{typeUbyte, typeUshort, typeUint}, false}
	vectors  = &layout{[]string{"VEC3"}, []int{typeFloat, typeByte, typeUbyte, typeShort, typeUshort}, false}
	places   = &layout{[]string{"VEC2"}, []int{typeFloat, typeByte, typeUbyte, typeShort, typeUshort}, true}
	offsets  = &layout{places.types, places.kinds, false} // places, where integers may be no fractions
	colors   = &layout{[]string{"VEC3", "VEC4"}, []int{typeFloat, typeByte, typeUbyte, typeShort, typeUshort}, true}
	joints   = &layout{[]string{"VEC4"}, []int{typeUbyte, typeUshort}, false}
	weights  = &layout{[]string{"VEC4"}, []int{typeFloat, typeUbyte, typeUshort}, true}
	matrices = &layout{[]string{"MAT4"}, []int{typeFloat}, false}
)

var componentsOf = map[string]int{"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

// elements gives access to the data of an accessor without copying them.
type elements struct {
	array
	count, components int
	scale             float64 // of the components; a signed fraction is at least −1
	// Elements that are stored separately, with their indices in ascending order.
	sparse, values array
	sparseCount    int
}

// array is a sequence of elements in a buffer view. If it has no data, all elements are 0.
type array struct {
	data         []byte
	stride, kind int
}

// newArray returns the array of count elements in a buffer view, after checking that the elements fit.
func (s *store) newArray(view, offset, kind, components, count int) (array, error) {
	data, v, err := s.view(view)
	if err != nil {
		return array{}, err
	}
	size := componentSize[kind] * components
	a := array{stride: size, kind: kind}
	if v.ByteStride != 0 {
		a.stride = v.ByteStride
	}
	if a.stride < size {
		return a, fmt.Errorf("buffer view %d: byteStride = %d: elements have %d bytes", view, a.stride, size)
	}
	if fits := len(data) - offset - size; offset < 0 || offset > len(data) || fits < 0 || count-1 > fits/a.stride {
		return a, fmt.Errorf("%d elements from byte %d on: buffer view %d has %d bytes", count, offset, view, len(data))
	}
	a.data = data[offset:]
	return a, nil
}

// elements returns the elements of an accessor, after checking that they fit in its buffer views.
func (s *store) elements(index int, as *layout) (*elements, error) {
	a, err := at(s.doc.Accessors, index, "accessor")
	if err != nil {
		return nil, err
	}
	e, err := s.check(a, as)
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", index, err)
	}
	return e, nil
}

func (s *store) check(a *accessor, as *layout) (*elements, error) {
	if !slices.Contains(as.types, a.Type) || !slices.Contains(as.kinds, a.ComponentType) {
		return nil, fmt.Errorf("type = %.20q, componentType = %d: must be %s, one of %v", a.Type, a.ComponentType,
			strings.Join(as.types, " or "), as.kinds)
	}
	components := componentsOf[a.Type]
	if a.Count < 1 || a.Count > maxVertices*3 {
		return nil, fmt.Errorf("count = %d: must lie in [1, %d]", a.Count, maxVertices*3)
	}
	e := &elements{count: a.Count, components: components, scale: 1}
	if largest := map[int]float64{typeByte: math.MaxInt8, typeUbyte: math.MaxUint8, typeShort: math.MaxInt16,
		typeUshort: math.MaxUint16}[a.ComponentType]; largest > 0 && (a.Normalized || as.fraction) {
		e.scale = 1 / largest
	}
	e.kind = a.ComponentType
	var err error
	switch {
	case a.BufferView != nil:
		if e.array, err = s.newArray(*a.BufferView, a.ByteOffset, a.ComponentType, components, a.Count); err != nil {
			return nil, err
		}
	case a.Sparse == nil:
		return nil, errors.New("has neither a buffer view nor sparse values")
	}
	if sp := a.Sparse; sp != nil {
		if sp.Count < 1 || sp.Count > a.Count {
			return nil, fmt.Errorf("sparse: count = %d: must lie in [1, %d]", sp.Count, a.Count)
		}
		if kind := sp.Indices.ComponentType; kind == typeFloat || componentSize[kind] == 0 {
			return nil, fmt.Errorf("sparse: componentType = %d: must be an unsigned integer's", kind)
		}
		if e.sparse, err = s.newArray(sp.Indices.BufferView, sp.Indices.ByteOffset, sp.Indices.ComponentType, 1,
			sp.Count); err != nil {
			return nil, fmt.Errorf("sparse: indices: %w", err)
		}
		if e.values, err = s.newArray(sp.Values.BufferView, sp.Values.ByteOffset, a.ComponentType, components,
			sp.Count); err != nil {
			return nil, fmt.Errorf("sparse: values: %w", err)
		}
		e.sparseCount = sp.Count
		for i, last := 0, -1; i < sp.Count; i++ {
			at := int(e.sparse.integer(i))
			if at <= last || at >= a.Count {
				return nil, fmt.Errorf("sparse: index %d: must ascend and be below %d", at, a.Count)
			}
			last = at
		}
	}
	return e, nil
}

func (a *array) integer(i int) uint32 {
	switch p := a.data[i*a.stride:]; a.kind {
	case typeUbyte:
		return uint32(p[0])
	case typeUshort:
		return uint32(binary.LittleEndian.Uint16(p))
	default:
		return binary.LittleEndian.Uint32(p)
	}
}

// component returns a component of an element.
func (a *array) component(i, k int) float64 {
	switch p := a.data[i*a.stride+k*componentSize[a.kind]:]; a.kind {
	case typeByte:
		return float64(int8(p[0]))
	case typeUbyte:
		return float64(p[0])
	case typeShort:
		return float64(int16(binary.LittleEndian.Uint16(p)))
	case typeUshort:
		return float64(binary.LittleEndian.Uint16(p))
	case typeUint:
		return float64(binary.LittleEndian.Uint32(p))
	default:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	}
}

// find returns the array that contains element i, and the element's index in that array.
func (e *elements) find(i int) (*array, int) {
	lo := sort.Search(e.sparseCount, func(k int) bool { return int(e.sparse.integer(k)) >= i })
	if lo < e.sparseCount && int(e.sparse.integer(lo)) == i {
		return &e.values, lo
	}
	return &e.array, i
}

func (e *elements) integer(i int) uint32 {
	a, at := e.find(i)
	if a.data == nil {
		return 0
	}
	return a.integer(at)
}

// read sets the components of element i.
func (e *elements) read(i int, into []float64) {
	a, at := e.find(i)
	for k := range into {
		switch {
		case a.data == nil:
			into[k] = 0
		case e.scale == 1:
			into[k] = a.component(at, k)
		default:
			into[k] = max(a.component(at, k)*e.scale, -1)
		}
	}
}
