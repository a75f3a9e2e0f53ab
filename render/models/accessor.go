package models

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl64"
)

// accessor describes how the bytes of a buffer view encode numbers.
type accessor struct {
	BufferView    *int   `json:"bufferView,omitempty"`
	ByteOffset    int    `json:"byteOffset,omitempty"`
	ComponentType int    `json:"componentType"`
	Type          string `json:"type"`
	Count         int    `json:"count"`
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
	typeUbyte  = 5121
	typeUshort = 5123
	typeUint   = 5125
	typeFloat  = 5126
)

var componentSize = map[int]int{typeUbyte: 1, typeUshort: 2, typeUint: 4, typeFloat: 4}

// elements are the data of an accessor, in place: nothing is copied.
type elements struct {
	array
	count int
	// Elements stored separately, with their indices in ascending order.
	sparse, values array
	sparseCount    int
}

// array is a sequence of elements in a buffer view; without data, all elements are zero.
type array struct {
	data         []byte
	stride, kind int
}

// newArray returns the array of count elements in a buffer view, after checking that they fit.
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

// elements returns the elements of an accessor of scalars or vectors, after checking that they fit in its buffer views.
func (s *store) elements(index int, components int, kinds ...int) (*elements, error) {
	a, err := at(s.doc.Accessors, index, "accessor")
	if err != nil {
		return nil, err
	}
	e, err := s.check(a, components, kinds)
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", index, err)
	}
	return e, nil
}

func (s *store) check(a *accessor, components int, kinds []int) (*elements, error) {
	fits := false
	for _, kind := range kinds {
		fits = fits || a.ComponentType == kind
	}
	if want := map[int]string{1: "SCALAR", 2: "VEC2", 3: "VEC3"}[components]; !fits || a.Type != want {
		return nil, fmt.Errorf("type = %q, componentType = %d: must be %s, one of %v", a.Type, a.ComponentType, want,
			kinds)
	}
	if a.Count < 1 || a.Count > maxVertices*3 {
		return nil, fmt.Errorf("count = %d: must lie in [1, %d]", a.Count, maxVertices*3)
	}
	e := &elements{count: a.Count}
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

func (a *array) vector(i int) (v mgl64.Vec3) {
	for k := range v {
		v[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(a.data[i*a.stride+4*k:])))
	}
	return v
}

// find returns the array that holds element i, and the index in it.
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

func (e *elements) vector(i int) mgl64.Vec3 {
	a, at := e.find(i)
	if a.data == nil {
		return mgl64.Vec3{}
	}
	return a.vector(at)
}

// place returns element i as texture coordinates; integers are scaled so that the largest is 1.
func (e *elements) place(i int) (p [2]float64) {
	a, at := e.find(i)
	if a.data == nil {
		return p
	}
	for k := range p {
		switch from := a.data[at*a.stride+k*componentSize[a.kind]:]; a.kind {
		case typeUbyte:
			p[k] = float64(from[0]) / math.MaxUint8
		case typeUshort:
			p[k] = float64(binary.LittleEndian.Uint16(from)) / math.MaxUint16
		default:
			p[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from)))
		}
	}
	return p
}
