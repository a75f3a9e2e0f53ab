package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds/files"
)

// Reader reads a recording. Many goroutines may use a Reader at the same time.
type Reader struct {
	source
	file        *os.File
	library     string
	metadata    map[string]string
	schemas     map[uint16]Schema
	channels    map[uint16]*ChannelInfo
	schemaOf    map[uint16]uint16 // the id of the schema of each channel; 0: it has none
	chunks      []chunkInfo       // chunks with messages, sorted by start time and then by offset
	attachments []attachment
	listed      int64        // total bytes of schemas, channels and metadata
	loaded      atomic.Int64 // total bytes of chunks that were decompressed
	damage      error
}

// ChannelInfo describes a channel: the messages of one publisher of a topic.
type ChannelInfo struct {
	Topic    string
	Schema   Schema
	Encoding string // encoding of messages: ros1 or cdr, unless another program wrote the file
	Metadata map[string]string
	Messages uint64 // number of messages
}

// Definition returns the definition of the channel's messages, which is in the recording.
func (c *ChannelInfo) Definition() (*msg.Definition, error) {
	if c.Schema == (Schema{}) {
		return nil, errors.New("has no schema: must have the definition of its messages")
	}
	name := c.Schema.Name
	if c.Encoding == ROS2Encoding && !c.Schema.ros2() { // as in early files of MCAP
		name = strings.Replace(name, "/", "/msg/", 1)
	}
	return msg.ParseFull(name, c.Schema.Text)
}

// chunkInfo describes a chunk, or a block of messages outside of chunks.
type chunkInfo struct {
	at         int64
	length     int64         // length of a block in bytes; 0: a chunk
	size       int64         // size of a chunk after decompression, in bytes
	start, end time.Duration // log times of the first and the last message
	channels   []uint16      // channels with messages in the chunk, sorted; empty: may be any
}

// infoOf describes a chunk whose channels are not known. It returns an error if a value is out of range.
func (r *Reader) infoOf(at int64, start, end uint64, size int64) (chunkInfo, error) {
	if start > end || end > math.MaxInt64 {
		return chunkInfo{}, r.errorf(at, "a chunk: log times = %d to %d: must be in order and at most %d", start, end,
			int64(math.MaxInt64))
	}
	if most := r.limits.chunkIn(r.size); size < 0 || size > most {
		return chunkInfo{}, r.errorf(at, "a chunk: size = %d: must be at most %d", uint64(size), most)
	}
	return chunkInfo{at: at, start: time.Duration(start), end: time.Duration(end), size: size}, nil
}

// compare returns a number that sorts chunks in the order of reading.
func (c chunkInfo) compare(d chunkInfo) int {
	return cmp.Or(cmp.Compare(c.start, d.start), cmp.Compare(c.at, d.at))
}

// headerLimit is the maximum size of the header record in bytes. It is a guess.
const headerLimit = 1 << 16

// Open opens a recording. If the recording is incomplete, Open finds the intact part, and Damage describes what is
// missing. Open returns an error if the file is not a recording, or if it exceeds a limit. The caller must close the
// Reader.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w%s", err, files.Beside(path))
	}
	if err != nil {
		return nil, err
	}
	return OpenFile(f, path)
}

// OpenFile is like Open for a file that is already open. path is the name of the file in errors. Close of the Reader
// closes the file, and so does OpenFile itself if it fails.
func OpenFile(f *os.File, path string) (*Reader, error) { return open(f, path, standard) }

// Peek is like OpenFile, but it takes only a fraction of a second, whatever the file holds. If that is not
// enough, Peek or a method of the Reader returns ErrTooLong. Numbers of messages may be too small.
func Peek(f *os.File, path string) (*Reader, error) { return open(f, path, brief) }

func open(f *os.File, path string, l limits) (*Reader, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s: must be a file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := read(source{f, path, st.Size(), l})
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// read reads everything except the messages.
func read(s source) (*Reader, error) {
	r := &Reader{source: s, schemas: map[uint16]Schema{}, channels: map[uint16]*ChannelInfo{},
		schemaOf: map[uint16]uint16{}}
	first, err := r.checkMagic()
	if err != nil {
		return nil, err
	}
	b, err := r.record(first, mcap.OpHeader, headerLimit)
	if err != nil {
		return nil, r.withPath(err)
	}
	h, err := mcap.ParseHeader(b)
	if err != nil {
		return nil, r.errorf(first, "header: %w", err)
	}
	r.library = h.Library
	if err := r.find(first + headLen + int64(len(b))); err != nil {
		return nil, err
	}
	slices.SortFunc(r.chunks, chunkInfo.compare)
	return r, nil
}

// refusal is an error about a file that may be intact, but has something that a Reader does not support.
type refusal struct{ error }

func (e *refusal) Unwrap() error { return e.error }

func refused(err error) bool {
	_, ok := errors.AsType[*refusal](err)
	return ok
}

// find finds everything between the header, which ends at an offset, and the end of the file.
func (r *Reader) find(at int64) error {
	file := r.ReaderAt
	r.ReaderAt = &pages{ReaderAt: file}
	defer func() { r.ReaderAt = file }()
	end, x, err := r.summary()
	usable := err == nil
	if usable {
		err = r.scan(at, end, x)
		usable = err == nil || x == nil
	}
	if !usable && !refused(err) { // the summary is missing or wrong, or the file is damaged
		r.chunks, r.attachments, r.metadata, r.listed = nil, nil, nil, 0
		clear(r.schemas)
		clear(r.channels)
		err = cmp.Or(r.scan(at, r.size, nil), err)
	}
	if refused(err) {
		return err
	}
	r.damage = err
	for id, c := range r.channels {
		s, ok := r.schema(id)
		if c.Schema = s; !ok && r.damage == nil {
			r.damage = fmt.Errorf("%s: topic %.200s: schema = %d: must be in the file", r.path, c.Topic, r.schemaOf[id])
		}
	}
	return nil
}

// schema returns the schema of a channel. It is empty if the channel has none. ok is false if the file lacks it.
func (r *Reader) schema(channel uint16) (s Schema, ok bool) {
	id := r.schemaOf[channel]
	s, ok = r.schemas[id]
	return s, ok || id == 0
}

// withPath adds the path of the file to an error that lacks it.
func (r *Reader) withPath(err error) error {
	if cut, ok := errors.AsType[*cutError](err); ok {
		return fmt.Errorf("%s: %w", r.path, cut)
	}
	return err
}

// Path returns the path of the file, as it was passed to Open.
func (r *Reader) Path() string { return r.path }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// Library returns the name of the program that wrote the recording.
func (r *Reader) Library() string { return r.library }

// Metadata returns the metadata of the run. The caller must not change the map.
func (r *Reader) Metadata() map[string]string { return r.metadata }

// Damage returns an error with one sentence about what is damaged or missing in the file. It returns nil if the file is
// complete. Everything before the damage can be read.
func (r *Reader) Damage() error { return r.damage }

// Span returns the log times of the first and the last message. It returns zeros if there are no messages.
func (r *Reader) Span() (first, last time.Duration) {
	if len(r.chunks) > 0 {
		first = r.chunks[0].start
	}
	for _, c := range r.chunks {
		last = max(last, c.end)
	}
	return first, last
}

// Channels returns the channels that have messages, sorted by topic.
func (r *Reader) Channels() (all []*ChannelInfo) {
	for _, c := range r.channels {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *ChannelInfo) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Schema.Name, b.Schema.Name),
			cmp.Compare(a.Metadata["callerid"], b.Metadata["callerid"]))
	})
	return all
}

// list adds the schema, the channel or the metadata of the record at an offset.
func (r *Reader) list(at int64, op mcap.OpCode, b []byte) error {
	switch op {
	case mcap.OpSchema:
		s, err := parsed(r, at, op, b, mcap.ParseSchema)
		if err != nil || s.ID == 0 { // the specification says that a schema 0 is ignored
			return err
		}
		schema := Schema{s.Name, string(s.Data)}
		if known, ok := r.schemas[s.ID]; ok { // the record occurs twice in the file
			if known != schema {
				return r.errorf(at, "schema %d: %.200q: must be the same in all its records", s.ID, s.Name)
			}
			return nil
		}
		r.schemas[s.ID] = schema
	case mcap.OpChannel:
		c, err := parsed(r, at, op, b, mcap.ParseChannel)
		if err != nil {
			return err
		}
		if known := r.channels[c.ID]; known != nil {
			if known.Topic != c.Topic || r.schemaOf[c.ID] != c.SchemaID || known.Encoding != c.MessageEncoding {
				return r.errorf(at, "channel %d: %.200q: must be the same in all its records", c.ID, c.Topic)
			}
			return nil
		}
		r.channels[c.ID] = &ChannelInfo{Topic: c.Topic, Encoding: c.MessageEncoding, Metadata: c.Metadata}
		r.schemaOf[c.ID] = c.SchemaID
	case mcap.OpMetadata:
		m, err := parsed(r, at, op, b, mcap.ParseMetadata)
		if err != nil {
			return err
		}
		if m.Name == MetadataName && r.metadata == nil {
			r.metadata = m.Metadata
		}
	}
	if r.listed += int64(len(b)); r.listed > r.limits.listed {
		return r.errorf(at, "schemas, channels and metadata: must have at most %d bytes", r.limits.listed)
	}
	return nil
}

// addChunk adds a chunk to the list of chunks.
func (r *Reader) addChunk(info chunkInfo) error {
	if len(r.chunks) == r.limits.chunks {
		return r.errorf(info.at, "a chunk: must be one of at most %d", len(r.chunks))
	}
	slices.Sort(info.channels)
	r.chunks = append(r.chunks, info)
	return nil
}
