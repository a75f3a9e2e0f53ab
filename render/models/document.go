package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// Limits of a file's text. They are far above those of any model that can be drawn. With them, decoded data take at
// most about ten times the memory of the text.
const (
	maxObjects = 100_000
	maxValues  = 500_000
)

// document holds the parts of a glTF file that this package reads or writes. Source: the Khronos group's glTF 2.0
// specification.
type document struct {
	Asset              asset         `json:"asset"`
	ExtensionsUsed     []string      `json:"extensionsUsed,omitempty"`
	ExtensionsRequired []string      `json:"extensionsRequired,omitempty"`
	Scene              *int          `json:"scene,omitempty"`
	Scenes             []*scene      `json:"scenes,omitempty"`
	Nodes              []*node       `json:"nodes,omitempty"`
	Meshes             []*mesh       `json:"meshes,omitempty"`
	Skins              []*skin       `json:"skins,omitempty"`
	Materials          []*material   `json:"materials,omitempty"`
	Textures           []*texture    `json:"textures,omitempty"`
	Images             []*picture    `json:"images,omitempty"`
	Samplers           []*sampler    `json:"samplers,omitempty"`
	Accessors          []*accessor   `json:"accessors,omitempty"`
	BufferViews        []*bufferView `json:"bufferViews,omitempty"`
	Buffers            []*buffer     `json:"buffers,omitempty"`
	Animations         []struct{}    `json:"animations,omitempty"`
	Cameras            []struct{}    `json:"cameras,omitempty"`
}

type asset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion,omitempty"`
	Generator  string `json:"generator"`
}

type scene struct {
	Nodes []int `json:"nodes"`
}

type node struct {
	Name        string    `json:"name"`
	Children    []int     `json:"children,omitempty"`
	Mesh        *int      `json:"mesh,omitempty"`
	Skin        *int      `json:"skin,omitempty"`
	Weights     []float64 `json:"weights,omitempty"`
	Matrix      []float64 `json:"matrix,omitempty"`
	Translation []float64 `json:"translation,omitempty"`
	Rotation    []float64 `json:"rotation,omitempty"`
	Scale       []float64 `json:"scale,omitempty"`
	Extras      *extras   `json:"extras,omitempty"`
}

// extras is data that other programs may ignore. This package writes extras, but never reads them.
type extras struct{ data any }

func (e *extras) MarshalJSON() ([]byte, error) { return json.Marshal(e.data) }

func (e *extras) UnmarshalJSON([]byte) error { return nil }

type mesh struct {
	Name       string       `json:"name,omitempty"`
	Primitives []*primitive `json:"primitives"`
	Weights    []float64    `json:"weights,omitempty"`
}

type primitive struct {
	Attributes attributes   `json:"attributes"`
	Targets    []attributes `json:"targets,omitempty"`
	Indices    *int         `json:"indices,omitempty"`
	Material   *int         `json:"material,omitempty"`
	Mode       *int         `json:"mode,omitempty"`
}

// attributes are accessors by the names of what they hold for each vertex, such as POSITION.
type attributes map[string]int

type skin struct {
	Joints              []int `json:"joints"` // nodes
	InverseBindMatrices *int  `json:"inverseBindMatrices,omitempty"`
}

// decode reads the text of a .gltf file, or the chunks of a .glb file. The result bin is the binary chunk, or nil.
func decode(data []byte) (doc *document, bin []byte, err error) {
	text := data
	if bytes.HasPrefix(data, []byte("glTF")) {
		if text, bin, err = chunks(data); err != nil {
			return nil, nil, err
		}
	}
	if n := bytes.Count(text, []byte("{")); n > maxObjects {
		return nil, nil, fmt.Errorf("has %d objects in its text: must be at most %d", n, maxObjects)
	}
	if n := bytes.Count(text, []byte(",")); n > maxValues {
		return nil, nil, fmt.Errorf("has %d values in its text: must be at most %d", n, maxValues)
	}
	doc = &document{}
	err = json.Unmarshal(text, doc)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(wrong.Value, "number ") {
		doc = &document{}
		err = json.Unmarshal(wholeNumbers(text), doc)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, nil, fmt.Errorf("is not glTF: %s: must not be a %.100s", wrong.Field, wrong.Value)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("is not glTF: %w", err)
	}
	return doc, bin, doc.Asset.check()
}

// check returns an error if the file is of another version of glTF.
func (a *asset) check() error {
	if version := a.Version; !strings.HasPrefix(version, "2.") {
		return fmt.Errorf("asset.version = %.20q: must be 2.0", version)
	}
	if least := a.MinVersion; least != "" && least != "2.0" {
		return fmt.Errorf("asset.minVersion = %.20q: must be 2.0", least)
	}
	return nil
}

// wholeNumbers returns the text with whole numbers written without fraction and exponent. glTF 2.0 allows programs to
// write the integer 4 as 4.0 or 40e-1, and encoding/json does not read these as integers.
func wholeNumbers(text []byte) []byte {
	const most = 1e12 // no integer of a file that can be read is larger
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
		case c == '-' || c >= '0' && c <= '9':
			for i < len(text) && strings.IndexByte("+-.eE0123456789", text[i]) >= 0 {
				i++
			}
			if number := text[start:i]; bytes.ContainsAny(number, ".eE") {
				x, err := strconv.ParseFloat(string(number), 64)
				if err == nil && x == math.Trunc(x) && math.Abs(x) <= most {
					out = strconv.AppendInt(out, int64(x), 10)
					continue
				}
			}
		default:
			i++
		}
		out = append(out, text[start:i]...)
	}
	return out
}

// chunks splits a .glb file into the text and the binary chunk. The file begins with a header of 12 bytes. Before each
// chunk are its length and its kind.
func chunks(data []byte) (text, bin []byte, err error) {
	const header, kindJSON, kindBIN = 12, 0x4E4F534A, 0x004E4942
	wrong := errors.New("is not glTF: its chunks do not match its length")
	if len(data) < header || binary.LittleEndian.Uint32(data[4:]) != 2 {
		return nil, nil, errors.New("is not glTF version 2")
	}
	for rest := data[header:]; len(rest) > 0; {
		if len(rest) < 8 {
			return nil, nil, wrong
		}
		length, kind := uint64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		if rest = rest[8:]; length > uint64(len(rest)) {
			return nil, nil, wrong
		}
		switch chunk := rest[:length]; {
		case kind == kindJSON && text == nil:
			text = chunk
		case kind == kindBIN && bin == nil:
			bin = chunk
		}
		rest = rest[length:]
	}
	return text, bin, nil
}

// at returns an element of one of the document's lists.
func at[T any](list []*T, i int, what string) (*T, error) {
	if i < 0 || i >= len(list) || list[i] == nil {
		return nil, fmt.Errorf("%s %d: there are %d", what, i, len(list))
	}
	return list[i], nil
}

// or returns *p. If p is nil, it returns its second argument.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}

// vector returns the numbers of an array that must have a fixed length; if it is missing, the default values.
func vector[T ~float64](name string, have []T, otherwise ...T) ([]T, error) {
	if have == nil {
		return otherwise, nil
	}
	if len(have) != len(otherwise) {
		return nil, fmt.Errorf("%s has %d numbers: must have %d", name, len(have), len(otherwise))
	}
	return have, nil
}

// local returns the node's transformation in its parent's frame.
func (n *node) local() (m mgl64.Mat4, err error) {
	id := mgl64.Ident4()
	matrix, err := vector("matrix", n.Matrix, id[:]...)
	if err != nil {
		return m, err
	}
	copy(m[:], matrix)
	if m.Row(3) != (mgl64.Vec4{0, 0, 0, 1}) {
		return m, fmt.Errorf("matrix has the last row %v: must be 0, 0, 0, 1", m.Row(3))
	}
	if m != id {
		if n.Translation != nil || n.Rotation != nil || n.Scale != nil {
			return m, errors.New("has a matrix, and translation, rotation or scale: must have only one of both")
		}
		return m, nil
	}
	t, err := vector("translation", n.Translation, 0, 0, 0)
	if err != nil {
		return m, err
	}
	r, err := vector("rotation", n.Rotation, 0, 0, 0, 1)
	if err != nil {
		return m, err
	}
	s, err := vector("scale", n.Scale, 1, 1, 1)
	if err != nil {
		return m, err
	}
	const rounding = 0.01 // of exporters: a guess
	q := mgl64.Quat{W: r[3], V: mgl64.Vec3{r[0], r[1], r[2]}}
	if l := q.Len(); !(math.Abs(l-1) <= rounding) {
		return m, fmt.Errorf("rotation = %v: must be a unit quaternion; its length is %.4g", r, l)
	}
	return mgl64.Translate3D(t[0], t[1], t[2]).Mul4(q.Normalize().Mat4()).Mul4(mgl64.Scale3D(s[0], s[1], s[2])), nil
}
