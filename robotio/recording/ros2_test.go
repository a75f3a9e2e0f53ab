package recording

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// toROS2 converts a message of ROS 1 to ROS 2, and returns its definition.
func toROS2(t testing.TB, typ string, b []byte) ([]byte, *msg.Definition) {
	t.Helper()
	from := must.Get(must.Get(msg.Load("std"))(t).Message(typ))(t)
	to := must.Get(must.Get(msg.LoadROS2("jazzy"))(t).FromROS1(from))(t)
	return must.Get(must.Get(dynamic.NewConverter(from, to))(t).Append(nil, b))(t), to
}

// Images of ROS 2 are compressed as those of ROS 1.
func TestImagesOfROS2(t *testing.T) {
	for _, frame := range []string{"", "a", "ab", "abc", "camera"} {
		for _, encoding := range []string{"rgb8", "mono8", "bayer_rggb8", "16UC1", "32FC1"} {
			m := msg.Image{Header: msg.Header{Stamp: msg.Time{Sec: 1, Nsec: 2}, FrameID: frame}, Height: 2, Width: 3,
				Encoding: encoding, Step: 13, Data: []byte("abcdefghijklmnopqrstuvwxyz")}
			def := must.Get(must.Get(msg.Load("std"))(t).Message(imageType))(t)
			b := must.Get(msg.Compile[msg.Image](def))(t).Append(nil, &m)
			ours, _ := toROS2(t, imageType, b)
			for _, f := range []ImageFormat{PNGImages, JPEGImages} {
				var want, got bytes.Buffer
				var p picture
				errWant := p.compress(&want, b, false, f, jpegQuality)
				errGot := p.compress(&got, ours, true, f, jpegQuality)
				if (errWant == nil) != (errGot == nil) {
					t.Fatalf("%s as %s: got error %v, want %v", encoding, f, errGot, errWant)
				}
				if errWant != nil {
					continue
				}
				converted, _ := toROS2(t, compressedType, want.Bytes())
				must.Equal(t, got.String(), string(converted), "%s in frame %q as %s", encoding, frame, f)
			}
		}
	}
}

// graphNode is a node of ROS 2 whose graph has fixed topics. It publishes when it is subscribed to.
type graphNode struct {
	wire.Node
	topics map[string]func(f func(*wire.Source, []byte))
	hidden *atomic.Int32 // number of states of the graph that lack all topics; may be nil
}

func (graphNode) Version() msg.Version { return msg.ROS2 }

func (n graphNode) State(context.Context) (*graph.State, error) {
	g := &graph.State{Publishers: map[string][]string{}}
	if n.hidden != nil && n.hidden.Add(-1) >= 0 {
		return g, nil
	}
	for topic := range n.topics {
		g.Publishers[topic] = []string{"/sim"}
	}
	return g, nil
}

func (n graphNode) SubscribeAny(topic string, f func(*wire.Source, []byte)) (wire.Subscriber, error) {
	n.topics[topic](f)
	return anySubscriber{}, nil
}

type anySubscriber struct{ wire.Subscriber }

func (anySubscriber) Confirm()                       {}
func (anySubscriber) Connections() []wire.Connection { return make([]wire.Connection, 1) }
func (anySubscriber) Close() error                   { return nil }

const rosbagsReader = `
import sys
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore, get_types_from_msg
with Reader(sys.argv[1]) as bag:
    for c, t, data in bag.messages():
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(c.msgdef.data, c.msgtype))
        m = store.deserialize_cdr(data, c.msgtype)
        qos = c.ext.offered_qos_profiles[0]
        print(c.topic, t, qos.durability.name, qos.reliability.name, m.format if hasattr(m, 'format') else m.data)
`

// Topics of a node of ROS 2 become a file with the profile ros2, which rosbags reads.
func TestTopicsOfROS2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{ROS2: true}, Options{})
	image, imageDef := toROS2(t, imageType, imageOf(t, "rgb8", 4, 3, 3, 1, 0))
	text, textDef := toROS2(t, "std_msgs/String", []byte("\x02\x00\x00\x00hi"))
	at := time.Duration(0)
	now := func() (logTime, publishTime time.Duration) { return at, at }
	n := graphNode{topics: map[string]func(func(*wire.Source, []byte)){
		"/x/camera": func(f func(*wire.Source, []byte)) { f(&wire.Source{Publisher: "/sim", Def: imageDef}, image) },
		"/x/text": func(f func(*wire.Source, []byte)) {
			at = time.Second
			f(&wire.Source{Publisher: "/sim", Def: textDef, Latched: true}, text)
		},
		"/y": func(func(*wire.Source, []byte)) { t.Error("subscribed to /y") },
	}}
	topics := must.Get(w.Topics(n, TopicsConfig{Patterns: []string{"/x/*"}, Images: PNGImages, Now: now}))(t)
	must.Do(t, topics.Close())
	must.Do(t, w.Close())
	r := must.Get(Open(path))(t)
	defer r.Close()
	for _, c := range r.Channels() {
		must.Equal(t, c.Encoding, ROS2Encoding, "%s", c.Topic)
		must.Equal(t, c.Metadata["topic_type_hash"], must.Get(c.Definition())(t).Hash, "%s", c.Topic)
	}
	other := begin(t, filepath.Join(t.TempDir(), "b.mcap"), Header{}, Options{})
	must.Refuse(other.Topics(n, TopicsConfig{Now: now}))(t, "a recording has messages either of ROS 1 or of ROS 2", "node")
	other.Discard()

	cmd := exec.Command(pypi.Python(t, pypi.Rosbags...), "-c", rosbagsReader, path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("rosbags: %v\n%s", err, &stderr)
	}
	must.Equal(t, string(got), "/x/camera/compressed 0 VOLATILE RELIABLE rgb8; png compressed bgr8\n"+
		"/x/text 1000000000 TRANSIENT_LOCAL RELIABLE hi\n", "what rosbags reads")
}

// Await returns when publishers that appear late are connected, and when its context ends.
func TestAwaitTopics(t *testing.T) {
	w := begin(t, filepath.Join(t.TempDir(), "a.mcap"), Header{ROS2: true}, Options{})
	silent := func(func(*wire.Source, []byte)) {}
	n := graphNode{topics: map[string]func(func(*wire.Source, []byte)){"/x/a": silent, "/x/b": silent, "/y": silent,
		"/x/a/compressed": silent}, hidden: &atomic.Int32{}}
	n.hidden.Store(3)
	topics := must.Get(w.Topics(n, TopicsConfig{Patterns: []string{"/x/*"}, Images: PNGImages}))(t)
	topics.Await(t.Context(), []string{"/x/a", "/x/b", "/y", "/x/a/compressed"})
	must.Equal(t, n.hidden.Load() < 0, true, "whether Await waited")
	must.Equal(t, topics.Connected(), true, "connected")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	topics.Await(ended, []string{"/x/missing"})
	topics.Switch(false)
	topics.Await(t.Context(), []string{"/x/missing"})
	must.Do(t, topics.Close())
	must.Do(t, w.Close())
}
