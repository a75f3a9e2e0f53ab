package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rosbag2 exports a recording as a bag of ROS 2. It returns the folder and the reasons for topics that are left out.
func rosbag2(t *testing.T, path string, s Selection) (folder string, leftOut []string) {
	t.Helper()
	folder = t.TempDir()
	names := must.Get(Rosbag2(t.Context(), opened(t, path), s, "match", createIn(folder),
		func(err error) { leftOut = append(leftOut, strings.TrimPrefix(err.Error(), path+": ")) }))(t)
	must.Equal(t, names, []string{"match_0.mcap", "metadata.yaml"}, "files")
	return folder, leftOut
}

func createIn(folder string) func(string) (io.WriteCloser, error) {
	return func(name string) (io.WriteCloser, error) { return os.Create(filepath.Join(folder, name)) }
}

// messagesOf returns the messages of a recording, in text.
func messagesOf(t *testing.T, r *recording.Reader) (all []string) {
	t.Helper()
	for m, err := range r.All(0, nil) {
		must.Do(t, err)
		all = append(all, fmt.Sprintf("%s %s %d %d %x", m.Channel.Topic, m.Channel.Schema.Name, m.LogTime,
			m.PublishTime, m.Data))
	}
	return all
}

const infinite = `    sec: 9223372036\n    nsec: 854775807\n`

// Publishers of a topic share a channel, latched topics are transient local, and what ROS 2 does not allow is left out
// with its reason. The folder describes itself.
func TestRosbag2(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		text := definitionOf(t, "std_msgs/String")
		for i, by := range []string{"/one", "/two"} {
			c := must.Get(w.ROSChannel("/say", text, by, false))(t)
			c.Write(time.Duration(i+1)*time.Second, 5, encodedText(by))
		}
		latched := must.Get(w.ROSChannel("/once", text, "/one", true))(t)
		latched.Write(1500*time.Millisecond, 6, encodedText(""))
		channel(t, w, "/cyan1/nubotcontrol/velcmd", "nubot_common/VelCmd").Write(0, 0, make([]byte, 200))
		channel(t, w, "/a__b", "std_msgs/Bool").Write(0, 0, []byte{1})
		channel(t, w, "/say", "std_msgs/Bool").Write(0, 0, []byte{1})
		idl := recording.Schema{Name: "a/msg/A", Text: strings.Repeat("=", 80) + "\nIDL: a/msg/A\n"}
		must.Get(w.Channel("/idl", idl, nil))(t).Write(0, 0, []byte{0, 1, 0, 0})
		b := []byte{1, 0, 0, 0}
		channel(t, w, "/clock", "rosgraph_msgs/Clock").Write(4*time.Second, 7, append(b, 9, 0, 0, 0))
	})
	folder, leftOut := rosbag2(t, path, Selection{})
	must.Equal(t, leftOut, []string{
		"topic /a__b of type std_msgs/Bool is left out: ROS 2 does not allow the name of the topic",
		`topic /cyan1/nubotcontrol/velcmd of type nubot_common/VelCmd is left out: nubot_common/VelCmd: field = "Vx": ` +
			"must be lower-case letters, digits and single underscores in ROS 2",
		`topic /idl of type a/msg/A is left out: a/A: line "IDL: a/msg/A" after a separator: must be MSG: package/Type`,
		"topic /say of type std_msgs/String is left out: the topic has also messages of type std_msgs/msg/Bool: must " +
			"have one type in ROS 2",
		"topic /say of type std_msgs/String is left out: the topic has also messages of type std_msgs/msg/Bool: must " +
			"have one type in ROS 2",
	}, "topics that are left out")
	folder, _ = rosbag2(t, path, Selection{Topics: recording.Patterns{"/say", "/once", "/clock"}, From: time.Second})
	r := opened(t, filepath.Join(folder, "match_0.mcap"))
	must.Equal(t, messagesOf(t, r), []string{
		"/once std_msgs/msg/String 1500000000 6 00010000" + "0100000000",
		"/clock rosgraph_msgs/msg/Clock 4000000000 7 00010000" + "0100000009000000"}, "messages")
	must.Equal(t, r.Channels()[1].Metadata, map[string]string{"offered_qos_profiles": recording.OfferedQoS(true),
		"topic_type_hash": "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"}, "metadata")
	want := `rosbag2_bagfile_information:
  version: 5
  storage_identifier: mcap
  duration: {nanoseconds: 2500000000}
  starting_time: {nanoseconds_since_epoch: 1500000000}
  message_count: 2
  topics_with_message_count:
    - topic_metadata:
        name: "/once"
        type: "std_msgs/msg/String"
        serialization_format: cdr
        offered_qos_profiles: "- history: 1\n  depth: 10\n  reliability: 1\n  durability: 1\n  deadline:\n` + infinite +
		`  lifespan:\n` + infinite + `  liveliness: 1\n  liveliness_lease_duration:\n` + infinite +
		`  avoid_ros_namespace_conventions: false"
      message_count: 1
    - topic_metadata:
        name: "/clock"
        type: "rosgraph_msgs/msg/Clock"
        serialization_format: cdr
        offered_qos_profiles: "- history: 1\n  depth: 10\n  reliability: 1\n  durability: 2\n  deadline:\n` + infinite +
		`  lifespan:\n` + infinite + `  liveliness: 1\n  liveliness_lease_duration:\n` + infinite +
		`  avoid_ros_namespace_conventions: false"
      message_count: 1
  compression_format: ""
  compression_mode: ""
  relative_file_paths:
    - "match_0.mcap"
  files:
    - path: "match_0.mcap"
      duration: {nanoseconds: 2500000000}
      starting_time: {nanoseconds_since_epoch: 1500000000}
      message_count: 2
`
	must.Equal(t, string(must.Get(os.ReadFile(filepath.Join(folder, "metadata.yaml")))(t)), want, "metadata.yaml")
}

// An export is read as any recording: tables have the same values as those of the original, without the sequence
// number, and another export has the same messages.
func TestRosbag2IsRead(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		truth := channel(t, w, "/omnipitch/truth", truthType)
		codec := must.Get(msg.Compile[msg.Truth](definitionOf(t, truthType)))(t)
		for i := range 300 {
			at := time.Duration(i) * 20 * time.Millisecond
			m := msg.Truth{Header: msg.Header{Seq: uint32(i), Stamp: msg.TimeFrom(at)}, Step: uint64(i),
				HeldBy: strings.Repeat("x", i%5), Bodies: []msg.Body{{Name: "ball",
					Pose: msg.Pose{Position: msg.Point{X: float64(i) / 3}, Orientation: msg.Quaternion{W: 1}}}}}
			truth.Write(at, at, codec.Append(nil, &m))
		}
	})
	folder, leftOut := rosbag2(t, path, Selection{})
	must.Equal(t, len(leftOut), 0, "topics that are left out")
	r := opened(t, filepath.Join(folder, "match_0.mcap"))
	again, _ := rosbag2(t, r.Path(), Selection{})
	must.Equal(t, messagesOf(t, opened(t, filepath.Join(again, "match_0.mcap"))), messagesOf(t, r), "exported twice")
	of := func(r *recording.Reader) string {
		tables := files{}
		must.Get(CSV(t.Context(), r, Selection{}, tables.create))(t)
		return tables["omnipitch.truth.csv"].String()
	}
	want := strings.Split(of(opened(t, path)), "\n")
	at := slices.Index(strings.Split(want[0], ","), "header.seq")
	for i, line := range want {
		if cells := strings.Split(line, ","); len(cells) > at {
			want[i] = strings.Join(slices.Delete(cells, at, at+1), ",")
		}
	}
	must.Equal(t, strings.Split(of(r), "\n"), want, "tables")
	logs := func(r *recording.Reader) int64 {
		f := discard(t)
		must.Do(t, MSL(t.Context(), r, Selection{}, duel(t), MSLConfig{Name: "x", Rate: 10}, f))
		return must.Get(f.Stat())(t).Size()
	}
	must.Equal(t, logs(r), logs(opened(t, path)), "size of the referee box's logs")
	must.Fail(t, Bag(t.Context(), r, Selection{}, discard(t)), `in "cdr": must be in "ros1"`, "bag of ROS 1")
}

// An export ends with its context, and with the first file that fails.
func TestRosbag2Ends(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		c := channel(t, w, "/a", "sensor_msgs/CompressedImage")
		noise := rand.New(rand.NewPCG(1, 1))
		for i := range 100 {
			b := make([]byte, 1<<16)
			copy(b, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe8\xff\x00\x00")
			for i := range b[24:] {
				b[24+i] = byte(noise.Uint32())
			}
			c.Write(time.Duration(i), 0, b)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ignore := func(error) {}
	_, err := Rosbag2(ctx, opened(t, path), Selection{}, "x", createIn(t.TempDir()), ignore)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	full := errors.New("no room")
	for _, create := range []func(string) (io.WriteCloser, error){
		func(string) (io.WriteCloser, error) { return nil, full },
		func(string) (io.WriteCloser, error) { return failing{full}, nil },
	} {
		if _, err := Rosbag2(t.Context(), opened(t, path), Selection{}, "x", create, ignore); !errors.Is(err, full) {
			t.Errorf("got %v, want %v", err, full)
		}
	}
	path = recorded(t, func(w *recording.Writer) { channel(t, w, "/a__b", "std_msgs/Bool").Write(0, 0, []byte{1}) })
	_, err = Rosbag2(t.Context(), opened(t, path), Selection{}, "x", createIn(t.TempDir()), ignore)
	must.Fail(t, err, path+": no topic can be converted to ROS 2", "no topic")
}

// BenchmarkRosbag2 measures how fast a recording becomes a bag, in bytes of its messages.
func BenchmarkRosbag2(b *testing.B) {
	for name, typ := range map[string]string{"images": "sensor_msgs/Image", "truth": truthType} {
		b.Run(name, func(b *testing.B) {
			size := 0
			path := recorded(b, func(w *recording.Writer) {
				c := channel(b, w, "/a", typ)
				for i := range 200 {
					data := benchmarkMessage(b, typ)
					size += len(data)
					c.Write(time.Duration(i)*time.Millisecond, 0, data)
				}
			})
			r := opened(b, path)
			b.SetBytes(int64(size))
			for b.Loop() {
				must.Get(Rosbag2(b.Context(), r, Selection{}, "x", createIn(b.TempDir()), func(error) {}))(b)
			}
		})
	}
}

func benchmarkMessage(b *testing.B, typ string) []byte {
	if typ == truthType {
		m := msg.Truth{}
		for i := range 12 {
			m.Bodies = append(m.Bodies, msg.Body{Name: "robot", Pose: msg.Pose{Position: msg.Point{X: rand.Float64(),
				Y: rand.Float64()}, Orientation: msg.Quaternion{W: float64(i)}}})
		}
		return must.Get(msg.Compile[msg.Truth](definitionOf(b, typ)))(b).Append(nil, &m)
	}
	m := msg.Image{Height: 480, Width: 640, Step: 1920, Encoding: "rgb8", Data: make([]byte, 480*1920)}
	for i := range m.Data {
		m.Data[i] = byte(i/7) ^ byte(rand.Uint32()&3)
	}
	return must.Get(msg.Compile[msg.Image](definitionOf(b, typ)))(b).Append(nil, &m)
}
