package recording

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Reader reads a recording. Many goroutines may use a Reader at the same time.
type Reader struct {
	source
	file        *os.File
	library     string
	metadata    map[string]string
	schemas     map[uint16]Schema
	channels    map[uint16]*ChannelInfo
	chunks      []chunkInfo // chunks with messages, sorted by start time and then by offset
	attachments []attachment
	listed      int64 // total bytes of schemas, channels and metadata
	inspected   int64 // total bytes of chunks that were decompressed to find their channels
	damage      error
}

// ChannelInfo describes a channel: the messages of one publisher of a topic.
type ChannelInfo struct {
	Topic    string
	Schema   Schema
	Encoding string // encoding of messages: ros1, unless another program wrote the file
	Metadata map[string]string
	Messages uint64 // number of messages
}

// Definition returns the definition of the channel's messages, which is in the recording.
func (c *ChannelInfo) Definition() (*msg.Definition, error) {
	return msg.ParseFull(c.Schema.Name, c.Schema.Text)
}

// chunkInfo describes a chunk.
type chunkInfo struct {
	at         int64
	start, end time.Duration // log times of the first and the last message
	channels   []uint16      // channels with messages in the chunk, sorted
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
	if err != nil {
		return nil, err
	}
	return OpenFile(f, path)
}

// OpenFile is like Open for a file that is already open. path is the name of the file in errors. Close of the Reader
// closes the file, and so does OpenFile itself if it fails.
func OpenFile(f *os.File, path string) (*Reader, error) {
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s: must be a file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := read(source{f, path, st.Size(), standard})
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// read reads everything except the messages.
func read(s source) (*Reader, error) {
	r := &Reader{source: s, schemas: map[uint16]Schema{}, channels: map[uint16]*ChannelInfo{}}
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
	if err := r.summary(); err != nil {
		r.chunks, r.attachments, r.metadata, r.listed = nil, nil, nil, 0
		clear(r.schemas)
		clear(r.channels)
		r.damage = r.scan(first + headLen + int64(len(b)))
		r.damage = cmp.Or(r.damage, err)
	}
	slices.SortFunc(r.chunks, chunkInfo.compare)
	// a malicious summary may list chunks several times
	r.chunks = slices.CompactFunc(r.chunks, func(a, b chunkInfo) bool { return a.compare(b) == 0 })
	return r, nil
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
		if err != nil {
			return err
		}
		if _, known := r.schemas[s.ID]; known {
			return nil // the record occurs twice in the file
		}
		r.schemas[s.ID] = Schema{s.Name, string(s.Data)}
	case mcap.OpChannel:
		c, err := parsed(r, at, op, b, mcap.ParseChannel)
		if err != nil {
			return err
		}
		if r.channels[c.ID] != nil {
			return nil
		}
		schema, ok := r.schemas[c.SchemaID]
		if !ok && c.SchemaID != 0 {
			return r.errorf(at, "channel %d: schema = %d: must be an earlier one", c.ID, c.SchemaID)
		}
		r.channels[c.ID] = &ChannelInfo{Topic: c.Topic, Schema: schema, Encoding: c.MessageEncoding,
			Metadata: c.Metadata}
	case mcap.OpMetadata:
		m, err := parsed(r, at, op, b, mcap.ParseMetadata)
		if err != nil {
			return err
		}
		if m.Name == metadataName && r.metadata == nil {
			r.metadata = m.Metadata
		}
	}
	if r.listed += int64(len(b)); r.listed > r.limits.listed {
		return r.errorf(at, "schemas, channels and metadata: must have at most %d bytes", r.limits.listed)
	}
	return nil
}

// addChunk adds a chunk to the list of chunks.
func (r *Reader) addChunk(at int64, start, end uint64, channels []uint16) error {
	if start > end || end > math.MaxInt64 {
		return r.errorf(at, "a chunk: log times = %d to %d: must be in order and at most %d", start, end,
			int64(math.MaxInt64))
	}
	if len(r.chunks) == r.limits.chunks {
		return r.errorf(at, "a chunk: must be one of at most %d", len(r.chunks))
	}
	slices.Sort(channels)
	r.chunks = append(r.chunks, chunkInfo{at, time.Duration(start), time.Duration(end), channels})
	return nil
}
