package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Limits of a file's text, far above those of any model that can be drawn. With them, decoded data take at most about
// ten times the text.
const (
	maxObjects = 100_000
	maxValues  = 500_000
)

// document holds the parts of a glTF file that this package reads. Source: the Khronos group's glTF 2.0 specification.
type document struct {
	ExtensionsRequired []string
	Scene              *int
	Scenes             []*struct{ Nodes []int }
	Nodes              []*node
	Meshes             []*struct{ Primitives []*primitive }
	Materials          []*material
	Textures           []*texture
	Images             []*picture
	Samplers           []*sampler
	Accessors          []*accessor
	BufferViews        []*bufferView
	Buffers            []*buffer
}

type node struct {
	Name        string
	Children    []int
	Mesh        *int
	Matrix      *[16]float64
	Translation *[3]float64
	Rotation    *[4]float64
	Scale       *[3]float64
}

type primitive struct {
	Attributes attributes
	Indices    *int
	Material   *int
	Mode       *int
}

const triangles = 4 // the mode of a primitive that consists of triangles; also the default mode

// decode reads the text of a .gltf file or the chunks of a .glb file; bin is the binary chunk, or nil.
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
	if err := json.Unmarshal(text, doc); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, nil, fmt.Errorf("is not glTF: %s: must not be a %s", keys(wrong.Field), wrong.Value)
		}
		return nil, nil, fmt.Errorf("is not glTF: %w", err)
	}
	return doc, bin, nil
}

// keys converts a path of Go field names to the names of the keys in the file.
func keys(fields string) string {
	parts := strings.Split(fields, ".")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToLower(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, ".")
}

// chunks splits a .glb file: a header of 12 bytes, then chunks, each preceded by its length and kind.
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
