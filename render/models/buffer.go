package models

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"

	"github.com/omnipitch/omnipitch/worlds/files"
)

// bufferView is a part of a buffer.
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

// uri is the location of a buffer's or an image's data: inline, or in a file.
type uri struct {
	data []byte // nil for a file
	file string // as written in the text
}

// UnmarshalJSON decodes inline data without copying the text.
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
	bin    []byte // of a .glb file, for its first buffer
	files  fs.FS  // nil: no files
	read   map[string][]byte
	room   int // how many more bytes may be read from files
	pixels int // how many more pixels textures may have
}

// view returns the bytes of a buffer view, and its description.
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
