package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Rosbag2 writes the selected messages as a bag of ROS 2: the files NAME_0.mcap and metadata.yaml of one folder, which
// create opens. It converts messages of ROS 1 to definitions of ROS 2, as msg.Library.FromROS1 and dynamic.NewConverter
// describe, and copies messages that are of ROS 2 already. The time of a message is its log time. If all messages are
// selected, the MCAP file also has the attachments and the metadata of the recording, so it can be replayed. For each
// topic that cannot be converted, Rosbag2 calls leftOut with the reason. It returns the names of the files, which it
// has closed. It does so even if it fails, but then the files are incomplete. It fails if the recording is damaged, if
// no topic can be converted, if a file fails, or when ctx ends.
//
// Source: rosbag2_storage, for metadata of version 5, which Humble writes and later distributions read;
// rosbag2_storage_mcap; the profile ros2 of MCAP. The Python package rosbags 0.11 reads the bags in a test.
func Rosbag2(ctx context.Context, r *recording.Reader, s Selection, name string,
	create func(name string) (io.WriteCloser, error), leftOut func(error)) (names []string, err error) {
	p, err := s.pick(r, "topic", nil, recording.ROSEncoding, recording.ROS2Encoding)
	if err != nil {
		return nil, err
	}
	b := &bag2{selected: p, file: name + "_0.mcap", whole: len(s.Topics) == 0 && s.From == 0 && s.For == 0,
		by: map[*recording.ChannelInfo]converted{}, schemas: map[recording.Schema]uint16{}}
	if err := b.prepare(leftOut); err != nil {
		return nil, err
	}
	write := func(name string, content func(io.Writer) error) error {
		f, err := create(name)
		if err != nil {
			return err
		}
		names = append(names, name)
		buf := bufio.NewWriterSize(f, 64<<10)
		err = cmp.Or(content(buf), buf.Flush())
		return errors.Join(err, f.Close())
	}
	if err := write(b.file, func(w io.Writer) error { return b.write(ctx, w) }); err != nil {
		return names, err
	}
	err = write("metadata.yaml", func(w io.Writer) error {
		_, err := io.WriteString(w, b.metadata())
		return err
	})
	return names, err
}

// bag2 is a bag of ROS 2 that is being written.
type bag2 struct {
	*selected
	file        string
	whole       bool // whether all messages are selected
	mcap        *mcap.Writer
	by          map[*recording.ChannelInfo]converted
	topics      []*topic2                   // topics with messages, in the order of their channels
	schemas     map[recording.Schema]uint16 // ids
	first, last time.Duration
	buf         []byte // reused
}

// converted says how the messages of a channel are converted. If the converter is nil, they are copied.
type converted struct {
	converter *dynamic.Converter
	topic     *topic2
}

// topic2 is a topic of a bag of ROS 2, with all its publishers.
type topic2 struct {
	name, qos, hash string
	schema          recording.Schema
	channel         uint16 // 0 before the first message
	messages        uint32
}

// prepare finds out how the messages of each channel are converted.
func (b *bag2) prepare(leftOut func(error)) error {
	lib, err := msg.LoadROS2("jazzy") // Humble has the same types, except that Range ends with a field less
	if err != nil {
		return err
	}
	var first error
	topics := map[string]*topic2{}
	for _, c := range b.reader.Channels() {
		if !b.channels[c] {
			continue
		}
		x, err := b.conversion(lib, c)
		if known := topics[c.Topic]; err == nil && known == nil {
			topics[c.Topic] = x.topic
		} else if err == nil && known.schema != x.topic.schema {
			err = fmt.Errorf("the topic has also messages of type %.200s: must have one type in ROS 2", known.schema.Name)
		} else if err == nil {
			x.topic = known
		}
		if err != nil {
			delete(b.channels, c)
			err = fmt.Errorf("%s: topic %.200s of type %.200s is left out: %w", b.reader.Path(), c.Topic, c.Schema.Name,
				err)
			first = cmp.Or(first, err)
			leftOut(err)
			continue
		}
		b.by[c] = x
	}
	if len(b.by) == 0 {
		return fmt.Errorf("%s: no topic can be converted to ROS 2", b.reader.Path())
	}
	return nil
}

// topicName matches absolute names that ROS 2 allows, except that they must not have two underscores in a row. Source:
// design.ros2.org, Topic and Service Names.
var topicName = regexp.MustCompile(`^(/[A-Za-z_][A-Za-z0-9_]*)+$`)

// conversion returns how the messages of a channel are converted.
func (b *bag2) conversion(lib *msg.Library, c *recording.ChannelInfo) (x converted, err error) {
	if !topicName.MatchString(c.Topic) || strings.Contains(c.Topic, "__") {
		return x, errors.New("ROS 2 does not allow the name of the topic")
	}
	latched := c.Metadata["latching"] == "true" || path.Base(c.Topic) == "tf_static"
	x.topic = &topic2{name: c.Topic, schema: c.Schema, qos: recording.OfferedQoS(latched)}
	from, err := c.Definition()
	if err != nil {
		return x, err
	}
	if from.ROS2() {
		x.topic.schema.Name, x.topic.hash = from.TypeName, from.Hash
		x.topic.qos = cmp.Or(c.Metadata["offered_qos_profiles"], x.topic.qos)
		return x, nil
	}
	to, err := lib.FromROS1(from)
	if err != nil {
		return x, err
	}
	x.topic.schema, x.topic.hash = recording.Schema{Name: to.TypeName, Text: to.Text}, to.Hash
	x.converter, err = dynamic.NewConverter(from, to)
	return x, err
}

// write writes the MCAP file.
func (b *bag2) write(ctx context.Context, w io.Writer) (err error) {
	b.mcap, err = mcap.NewWriter(w, &mcap.WriterOptions{Chunked: true, IncludeCRC: true, OverrideLibrary: true,
		Compression: mcap.CompressionZSTD, CompressionLevel: mcap.CompressionLevelFastest})
	if err != nil {
		return err
	}
	header := &mcap.Header{Profile: recording.ROS2Profile, Library: b.reader.Library()}
	if err := b.mcap.WriteHeader(header); err != nil {
		return err
	}
	if err := b.mcap.WriteMetadata(recording.Rosbag2Version); err != nil {
		return err
	}
	if b.whole {
		if err := b.copyRun(); err != nil {
			return err
		}
	}
	if err := b.each(ctx, b.add); err != nil {
		return err
	}
	return b.mcap.Close()
}

// copyRun writes everything in the recording except the messages, so that the bag can be replayed as the recording.
func (b *bag2) copyRun() error {
	if run := b.reader.Metadata(); run != nil {
		if err := b.mcap.WriteMetadata(&mcap.Metadata{Name: recording.MetadataName, Metadata: run}); err != nil {
			return err
		}
	}
	for _, name := range b.reader.Attachments() {
		a, err := b.reader.Attachment(name)
		if err != nil {
			return err
		}
		if err := b.mcap.WriteAttachment(&mcap.Attachment{Name: a.Name, MediaType: a.MediaType,
			DataSize: uint64(len(a.Data)), Data: bytes.NewReader(a.Data)}); err != nil {
			return err
		}
	}
	return nil
}

// add writes a message.
func (b *bag2) add(m recording.Message) (err error) {
	x := b.by[m.Channel]
	if x.topic.channel == 0 {
		if err := b.list(x.topic); err != nil {
			return err
		}
	}
	data := m.Data
	if x.converter != nil {
		if b.buf, err = x.converter.Append(b.buf[:0], m.Data); err != nil {
			return b.wrong(m, err)
		}
		data = b.buf
	}
	if len(b.topics) == 1 && x.topic.messages == 0 {
		b.first = m.LogTime
	}
	b.last = m.LogTime
	x.topic.messages++
	return b.mcap.WriteMessage(&mcap.Message{ChannelID: x.topic.channel, Sequence: x.topic.messages,
		LogTime: uint64(m.LogTime), PublishTime: uint64(m.PublishTime), Data: data})
}

// list writes the schema and the channel of a topic.
func (b *bag2) list(t *topic2) error {
	id, ok := b.schemas[t.schema]
	if !ok {
		id = uint16(len(b.schemas) + 1)
		b.schemas[t.schema] = id
		if err := b.mcap.WriteSchema(&mcap.Schema{ID: id, Name: t.schema.Name, Encoding: recording.ROS2Schema,
			Data: []byte(t.schema.Text)}); err != nil {
			return err
		}
	}
	b.topics = append(b.topics, t)
	t.channel = uint16(len(b.topics))
	return b.mcap.WriteChannel(&mcap.Channel{ID: t.channel, SchemaID: id, Topic: t.name,
		MessageEncoding: recording.ROS2Encoding, Metadata: map[string]string{"offered_qos_profiles": t.qos,
			"topic_type_hash": t.hash}})
}

// metadata returns the file that describes the bag, in YAML.
func (b *bag2) metadata() string {
	var topics strings.Builder
	total := uint64(0)
	for _, t := range b.topics {
		total += uint64(t.messages)
		fmt.Fprintf(&topics, `    - topic_metadata:
        name: %q
        type: %q
        serialization_format: %s
        offered_qos_profiles: %q
      message_count: %d
`, t.name, t.schema.Name, recording.ROS2Encoding, t.qos, t.messages)
	}
	return fmt.Sprintf(`rosbag2_bagfile_information:
  version: 5
  storage_identifier: mcap
  duration: {nanoseconds: %[1]d}
  starting_time: {nanoseconds_since_epoch: %[2]d}
  message_count: %[3]d
  topics_with_message_count:
%[4]s  compression_format: ""
  compression_mode: ""
  relative_file_paths:
    - %[5]q
  files:
    - path: %[5]q
      duration: {nanoseconds: %[1]d}
      starting_time: {nanoseconds_since_epoch: %[2]d}
      message_count: %[3]d
`, b.last-b.first, b.first, total, topics.String(), b.file)
}
