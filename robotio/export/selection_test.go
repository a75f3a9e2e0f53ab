package export

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// recorded returns a recording of what write writes.
func recorded(t testing.TB, write func(w *recording.Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := must.Get(recording.Create(path, recording.Header{Library: "test"}, recording.Options{Patience: time.Hour}))(t)
	write(w)
	must.Do(t, w.Close())
	return path
}

func opened(t testing.TB, path string) *recording.Reader {
	t.Helper()
	r := must.Get(recording.Open(path))(t)
	t.Cleanup(func() { r.Close() })
	return r
}

// encodedText encodes a std_msgs/String.
func encodedText(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// channel adds a topic of a type.
func channel(t testing.TB, w *recording.Writer, topic, typ string) *recording.Channel {
	t.Helper()
	c := must.Get(w.ROSChannel(topic, definitionOf(t, typ), "/omnipitch", false))(t)
	return c
}

func definitionOf(t testing.TB, typ string) *msg.Definition {
	t.Helper()
	lib := must.Get(msg.Load("nubot"))(t)
	def := must.Get(lib.Message(typ))(t)
	return def
}

// A selection has the messages of its topics and its time, and invalid ones are refused.
func TestSelection(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		for _, topic := range []string{"/a/x", "/a/y", "/b"} {
			c := channel(t, w, topic, "std_msgs/String")
			for i := range 10 {
				c.Write(time.Duration(5+i)*time.Second, 0, encodedText(topic))
			}
		}
		raw := must.Get(w.Channel("/raw", recording.Schema{Name: "a/Nothing", Text: "what is this"}, nil))(t)
		raw.Write(7*time.Second, 0, []byte{1})
	})
	r := opened(t, path)
	for _, c := range []struct {
		selection Selection
		want      string // topics and times in seconds
	}{
		{Selection{Topics: recording.Patterns{"/b"}, From: 8 * time.Second}, "/b13 /b14"},
		{Selection{Topics: recording.Patterns{"/a/*"}, From: time.Second, For: time.Second}, "/a/x6 /a/y6"},
		{Selection{Topics: recording.Patterns{"*x", "b"}, From: 8 * time.Second, For: time.Hour}, "/a/x13 /b13 " +
			"/a/x14 /b14"},
		{Selection{Topics: recording.Patterns{"/b"}, For: time.Nanosecond}, "/b5"},
		{Selection{Topics: recording.Patterns{"/b", "/c*"}}, `topics[1] = "/c*": the recording has no such topic`},
		{Selection{Topics: recording.Patterns{"/b?!"}}, `topics[0] = "/b?!": must be a name`},
		{Selection{Topics: recording.Patterns{"/raw"}, For: time.Second},
			"has no message of these topics in this time"},
		{Selection{From: 10 * time.Second}, "from = 10s: the recording ends at 9s"},
		{Selection{From: -1}, "from = -1ns: must not be negative"},
		{Selection{For: -1}, "for = -1ns: must not be negative"},
	} {
		p, err := c.selection.pick(r, "topic", nil, recording.ROSEncoding)
		var got []string
		if err == nil {
			err = p.each(t.Context(), func(m recording.Message) error {
				got = append(got, fmt.Sprint(m.Channel.Topic, int(m.LogTime.Seconds())))
				return nil
			})
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = strings.TrimPrefix(err.Error(), path+": ")
		}
		if text != c.want && !(err != nil && strings.HasPrefix(text, c.want)) {
			t.Errorf("%+v: %s, want %s", c.selection, text, c.want)
		}
	}
	err := Bag(t.Context(), r, Selection{}, discard(t))
	if want := `topic /raw: a/Nothing.msg:1: "what is this": a field is a type and a name`; err == nil ||
		err.Error() != path+": "+want {
		t.Errorf("a topic without a definition: %v, want %s", err, want)
	}
}

// discard returns a temporary file.
func discard(t testing.TB) *os.File {
	t.Helper()
	f := must.Get(os.Create(filepath.Join(t.TempDir(), "discard")))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// Messages of other encodings than ROS 1's are refused.
func TestOtherEncodings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	check(w.WriteHeader(&mcap.Header{}))
	check(
		w.WriteSchema(
			&mcap.Schema{ID: 1, Name: "std_msgs/msg/String", Encoding: "ros2msg", Data: []byte("string data")},
		),
	)
	check(w.WriteChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "/text", MessageEncoding: "cdr"}))
	check(w.WriteMessage(&mcap.Message{ChannelID: 1, Data: []byte{0}}))
	check(w.Close())
	err = Bag(t.Context(), opened(t, path), Selection{}, discard(t))
	if want := path + `: topic /text: messages are in "cdr": must be in "ros1"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// exporters returns all kinds of export.
func exporters(t *testing.T) map[string]func(*recording.Reader) error {
	world := duel(t)
	return map[string]func(*recording.Reader) error{
		"bag": func(r *recording.Reader) error { return Bag(t.Context(), r, Selection{}, discard(t)) },
		"csv": func(r *recording.Reader) error {
			_, err := CSV(t.Context(), r, Selection{}, files{}.create)
			return err
		},
		"rosbag2": func(r *recording.Reader) error {
			_, err := Rosbag2(t.Context(), r, Selection{}, "x", files{}.create, func(error) {})
			return err
		},
		"msl": func(r *recording.Reader) error {
			return MSL(t.Context(), r, Selection{}, world, MSLConfig{Name: "x", Rate: 10}, io.Discard)
		},
	}
}

// Exports of a damaged or truncated file, or of invalid messages, fail with one sentence that names the file.
func TestHostileRecordings(t *testing.T) {
	path := recorded(t, func(w *recording.Writer) {
		r := rand.New(rand.NewPCG(2, 2))
		for _, typ := range []string{"std_msgs/String", "sensor_msgs/Image", "sensor_msgs/CompressedImage",
			"sensor_msgs/LaserScan", "omnipitch_msgs/Truth"} {
			c := channel(t, w, "/"+typ, typ)
			for i := range 50 {
				b := make([]byte, r.IntN(200))
				for j := range b {
					b[j] = byte(r.IntN(4) * r.IntN(40))
				}
				c.Write(time.Duration(i)*time.Millisecond, 0, b)
			}
		}
	})
	whole := must.Get(os.ReadFile(path))(t)
	r := rand.New(rand.NewPCG(3, 3))
	path = filepath.Join(t.TempDir(), "h.mcap")
	failed, all := map[string]int{}, exporters(t)
	for range 300 {
		b := append([]byte(nil), whole...)
		for range r.IntN(4) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if r.IntN(4) == 0 {
			b = b[:r.IntN(len(b))]
		}
		must.Do(t, os.WriteFile(path, b, 0o600))
		reader, err := recording.Open(path)
		if err != nil {
			continue
		}
		for name, do := range all {
			if err := do(reader); err != nil {
				failed[name]++
				if text := err.Error(); !strings.HasPrefix(text, path+": ") || strings.Count(text, path) != 1 ||
					strings.Contains(text, "\n") {
					t.Errorf("%s: %q: must be one sentence with the file's name", name, text)
				}
			}
		}
		reader.Close()
	}
	for name := range all {
		if failed[name] < 10 {
			t.Errorf("%s: only %d of 300 failed", name, failed[name])
		}
	}
}
