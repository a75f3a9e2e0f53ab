package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/omnipitch/omnipitch/robotio/aside"
)

// file is an MCAP file that is being written. Only one goroutine uses it.
type file struct {
	out  *aside.File
	buf  *bufio.Writer
	mcap *mcap.Writer
	opts *mcap.WriterOptions

	schemas map[Schema]uint16
	listed  map[uint32]bool // channels that the file lists

	held  mcap.Message // the newest message, which has not been passed to the library yet: see closeChunk
	holds bool
	begun time.Duration // wall time of the first message in the open chunk
	open  bool          // whether there is an open chunk
}

// chunkSize is the size at which a chunk is closed, in bytes before compression. A reader decompresses such a chunk
// within some milliseconds. With chunks of four times this size, files are 2 % smaller (BenchmarkRecording).
const chunkSize = 1 << 20

// never and always are chunk sizes that control the library. With never, the library does not close the chunk. With
// always, it closes the chunk after the next message.
const (
	never  = math.MaxInt64
	always = -1
)

// create creates a file and writes its header.
func create(path string, h Header, overwrite bool) (*file, error) {
	f := &file{schemas: map[Schema]uint16{}, listed: map[uint32]bool{}}
	var err error
	if f.out, err = aside.Create(path, overwrite); err != nil {
		return nil, err
	}
	if err := f.begin(h); err != nil {
		f.out.Discard()
		return nil, err
	}
	return f, nil
}

// begin writes everything that comes before the messages.
func (f *file) begin(h Header) error {
	// This level takes half the time of the next level, and 6 % more bytes (BenchmarkRecording).
	level := zstd.WithEncoderLevel(zstd.SpeedFastest)
	// zstd adds no checksum, because MCAP has its own
	compressor, err := zstd.NewWriter(nil, level, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(chunkSize),
		zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	f.buf = bufio.NewWriterSize(f.out, 64<<10)
	f.opts = &mcap.WriterOptions{Chunked: true, ChunkSize: never, IncludeCRC: true, OverrideLibrary: true,
		Compressor: mcap.NewCustomCompressor(mcap.CompressionZSTD, compressor)}
	if f.mcap, err = mcap.NewWriter(f.buf, f.opts); err != nil {
		return err
	}
	if h.ROS2 {
		if err := f.mcap.WriteHeader(&mcap.Header{Profile: ROS2Profile, Library: h.Library}); err != nil {
			return err
		}
		if err := f.mcap.WriteMetadata(Rosbag2Version); err != nil {
			return err
		}
	} else if err := f.mcap.WriteHeader(&mcap.Header{Profile: profile, Library: h.Library}); err != nil {
		return err
	}
	if err := f.mcap.WriteMetadata(&mcap.Metadata{Name: MetadataName, Metadata: maps.Clone(h.Metadata)}); err != nil {
		return err
	}
	for _, a := range h.Attachments {
		if err := f.mcap.WriteAttachment(&mcap.Attachment{Name: a.Name, MediaType: a.MediaType,
			DataSize: uint64(len(a.Data)), Data: bytes.NewReader(a.Data)}); err != nil {
			return err
		}
	}
	return f.buf.Flush()
}

// add appends a message to the open chunk. It writes the chunk to the file if the chunk is full.
func (f *file) add(c *Channel, m message, now func() time.Duration) error {
	if err := f.list(c); err != nil {
		return err
	}
	if f.holds {
		if err := f.write(chunkSize); err != nil {
			return err
		}
	}
	if !f.open {
		f.open, f.begun = true, now()
	}
	c.sequence++
	f.held = mcap.Message{ChannelID: uint16(c.id), Sequence: c.sequence, LogTime: uint64(m.logTime),
		PublishTime: uint64(m.publishTime), Data: append(f.held.Data[:0], m.data...)}
	f.holds = true
	return nil
}

// write passes the held message to the library. The library closes the chunk if the chunk is larger than size.
func (f *file) write(size int64) error {
	f.opts.ChunkSize = size // the library offers no other way to close a chunk
	chunks := len(f.mcap.ChunkIndexes)
	f.holds = false
	if err := f.mcap.WriteMessage(&f.held); err != nil {
		return err
	}
	f.opts.ChunkSize = never
	if len(f.mcap.ChunkIndexes) == chunks {
		return nil
	}
	f.open = false
	return f.buf.Flush()
}

// list writes the schema and the channel of a message. It must be called before the channel's first message is written.
func (f *file) list(c *Channel) error {
	if f.listed[c.id] {
		return nil
	}
	id, known := f.schemas[c.schema]
	if !known && c.schema != (Schema{}) {
		id = uint16(len(f.schemas) + 1)
		schema := &mcap.Schema{ID: id, Name: c.schema.Name, Encoding: schemaEncoding, Data: []byte(c.schema.Text)}
		if c.schema.ros2() {
			schema.Encoding = ROS2Schema
		}
		if err := f.mcap.WriteSchema(schema); err != nil {
			return err
		}
		f.schemas[c.schema] = id
	}
	f.listed[c.id] = true
	channel := &mcap.Channel{ID: uint16(c.id), SchemaID: id, Topic: c.topic, MessageEncoding: ROSEncoding,
		Metadata: c.metadata}
	if c.schema.ros2() {
		channel.MessageEncoding = ROS2Encoding
	}
	return f.mcap.WriteChannel(channel)
}

// maxKept is the maximum memory that is kept for the next held message, in bytes.
const maxKept = 1 << 20

// closeChunk writes the open chunk to the file. The library closes a chunk only when it gets a message. So the newest
// message is always held back. closeChunk passes this message to the library.
func (f *file) closeChunk() error {
	if !f.holds {
		return nil
	}
	err := f.write(always)
	if cap(f.held.Data) > maxKept {
		f.held.Data = nil
	}
	return err
}

// closeOld writes the open chunk to the file if the chunk is old.
func (f *file) closeOld(now time.Duration) error {
	if f.open && now-f.begun >= chunkAge {
		return f.closeChunk()
	}
	return nil
}

// finish completes the file and gives it its final name.
func (f *file) finish() error {
	if err := f.closeChunk(); err != nil {
		return err
	}
	if err := f.mcap.Close(); err != nil {
		return err
	}
	if err := f.buf.Flush(); err != nil {
		return err
	}
	return f.out.Finish()
}

// Header is the data that a recording has before its messages.
type Header struct {
	Library     string            // name and version of the writing program
	Metadata    map[string]string // metadata of the run: a metadata record with the name MetadataName
	Attachments []Attachment
	ROS2        bool // whether all messages are of ROS 2, so that its programs can read the file
}

// Attachment is a file inside a recording.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Schema is the message type of a channel: its ROS name, and the text of its definition. The text includes all
// dependencies, as in msg.Definition.Text. In ROS 2, the name has the form package/msg/Type.
type Schema struct{ Name, Text string }

func (s Schema) ros2() bool { return strings.Count(s.Name, "/") == 2 }

// Names that files with messages of ROS 1 have: the profile, and the encoding of schemas.
const (
	profile        = "ros1"
	schemaEncoding = "ros1msg"
)

// MetadataName is the name of the record with the metadata of the run.
const MetadataName = "omnipitch"

// ROSEncoding is the encoding of messages of ROS 1, and ROS2Encoding that of ROS 2.
const (
	ROSEncoding  = "ros1"
	ROS2Encoding = "cdr"
)

// Names that files with messages of ROS 2 have: the profile, and the encoding of schemas.
const (
	ROS2Profile = "ros2"
	ROS2Schema  = "ros2msg"
)

// Rosbag2Version is a record that tells rosbag2 how the QoS of channels is written: with numbers, as rosbag2 writes it
// up to version 8 of its metadata. rosbag2 takes the rest of its metadata from other records. Source:
// rosbag2_storage_mcap, MCAPStorage::read_metadata.
var Rosbag2Version = &mcap.Metadata{Name: "rosbag2", Metadata: map[string]string{"serialized_metadata": "version: 5\n" +
	"storage_identifier: mcap\nduration: {nanoseconds: 0}\nstarting_time: {nanoseconds_since_epoch: 0}\n" +
	"message_count: 0\ntopics_with_message_count: []\ncompression_format: \"\"\ncompression_mode: \"\"\n" +
	"relative_file_paths: []\nfiles: []\n"}}

// OfferedQoS returns what publishers offer, as rosbag2 writes it: reliable, the last 10 messages, and transient local
// if the topic is latched, else volatile. The numbers are those of rmw, and the times are RMW_DURATION_INFINITE.
func OfferedQoS(latched bool) string {
	durability := 2
	if latched {
		durability = 1
	}
	const infinite = "sec: 9223372036\n    nsec: 854775807"
	return fmt.Sprintf("- history: 1\n  depth: 10\n  reliability: 1\n  durability: %d\n  deadline:\n    %s\n"+
		"  lifespan:\n    %[2]s\n  liveliness: 1\n  liveliness_lease_duration:\n    %[2]s\n"+
		"  avoid_ros_namespace_conventions: false", durability, infinite)
}

// MaxMessage is the maximum size of a message's data in bytes: four times the default limit of a ROS node.
const MaxMessage = 256 << 20
