package ros2

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// The messages of vision_msgs/Detection2DArray.
type (
	point2D    struct{ X, Y float64 }
	hypothesis struct {
		ClassID string
		Score   float64
	}
	hypothesisWithPose struct {
		Hypothesis hypothesis
		Pose       msg.PoseWithCovariance
	}
	boundingBox2D struct {
		Center struct {
			Position point2D
			Theta    float64
		}
		SizeX, SizeY float64
	}
	detection2D struct {
		Header  msg.Header
		Results []hypothesisWithPose
		Bbox    boundingBox2D
		ID      string
	}
	detection2DArray struct {
		Header     msg.Header
		Detections []detection2D
	}
)

// header is the format of std_msgs/Header: seconds, nanoseconds and frame. cyclone.c explains formats.
const header = "iis"

// echoed is a topic whose messages another implementation decodes, encodes again, and publishes on a second topic.
type echoed interface {
	row() []any // topic, type and format, in the names of DDS
	advertise(t *testing.T, n *Node, o PubOptions)
	publish()
	acknowledged() bool // all readers have what was published
	subscribe(t *testing.T, n *Node, q QoS)
	received() bool
	check(t *testing.T)
}

// echo is a topic with messages of Go type T.
type echo[T any] struct {
	typ, format string
	want        T
	pub         *Publisher[T]
	got         must.List[T]
}

// echoOf returns a topic with a random message.
func echoOf[T any](typ, format string) *echo[T] {
	e := &echo[T]{typ: typ, format: format}
	fill(reflect.ValueOf(&e.want).Elem(), rand.New(rand.NewPCG(1, uint64(len(typ)))))
	return e
}

// fill sets all fields that ROS 2 knows to random values. Slices get up to three elements.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if _, old := v.Type().Field(i).Tag.Lookup("ros1"); !old {
				fill(v.Field(i), r)
			}
		}
	case reflect.Slice:
		n := r.IntN(4)
		if n == 0 {
			return // as decoders leave it
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.String:
		v.SetString(strings.Repeat("x", r.IntN(6)) + fmt.Sprint(r.IntN(1000)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	default:
		v.SetUint(uint64(r.IntN(200)))
	}
}

func (e *echo[T]) topic() string { return "/x/" + e.typ }

func (e *echo[T]) row() []any {
	return []any{"rt" + e.topic(), ddsType(strings.Replace(e.typ, "/", "/msg/", 1)), e.format}
}

func (e *echo[T]) advertise(t *testing.T, n *Node, o PubOptions) {
	e.pub = must.Get(Advertise[T](n, e.topic(), e.typ, o))(t)
}

func (e *echo[T]) publish() { e.pub.Publish(&e.want) }

func (e *echo[T]) acknowledged() bool { return e.pub.writer.(*rtps.Writer).Acknowledged() }

func (e *echo[T]) subscribe(t *testing.T, n *Node, q QoS) {
	codec := must.Get(messageCodec[T](n, e.typ))(t)
	must.Get(SubscribeAs(n, e.topic()+"_back", codec.Def(), q, func(b []byte) error {
		var m T
		err := codec.Decode(b, &m)
		if err == nil {
			e.got.Add(m)
		}
		return err
	}))(t)
}

func (e *echo[T]) received() bool { return len(e.got.All()) > 0 }

func (e *echo[T]) check(t *testing.T) {
	for _, got := range e.got.All() {
		must.Equal(t, got, e.want, "%s", e.typ)
	}
}

func echoes(large bool) []echoed {
	image := echoOf[msg.Image]("sensor_msgs/Image", header+"iisbi(b)")
	size := 1000
	if large {
		size = 640 * 480 * 3
	}
	image.want.Data = make([]byte, size)
	for i := range image.want.Data {
		image.want.Data[i] = byte(i >> (i % 7))
	}
	return []echoed{
		image,
		echoOf[msg.CameraInfo]("sensor_msgs/CameraInfo", header+"iis(d)9d9d12diiiiiib"),
		echoOf[msg.LaserScan]("sensor_msgs/LaserScan", header+"iiiiiii(i)(i)"),
		echoOf[msg.Imu]("sensor_msgs/Imu", header+"4d9d3d9d3d9d"),
		echoOf[msg.TFMessage]("tf2_msgs/TFMessage", "("+header+"s3d4d)"),
		echoOf[msg.Clock]("rosgraph_msgs/Clock", "ii"),
		echoOf[msg.Twist]("geometry_msgs/Twist", "6d"),
		echoOf[msg.JointState]("sensor_msgs/JointState", header+"(s)(d)(d)(d)"),
		echoOf[detection2DArray]("vision_msgs/Detection2DArray", header+"("+header+"(sd7d36d)3d2ds)"),
	}
}

// Other implementations decode our messages, and we decode theirs: reliable, best effort, and those that were published
// before the subscribers came.
func TestExchange(t *testing.T) {
	for name, o := range map[string]PubOptions{"best effort": {BestEffort: true}, "reliable": {},
		"late": {Latch: true}} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, []string{"cyclone", "fastdds", "python"}, func(t *testing.T, kind string, n *Node, d int) {
				exchange(t, kind, n, d, o)
			})
		})
	}
}

// startEcho starts a peer that echoes, of a kind of package ddspeer, or in Python.
func startEcho(t *testing.T, kind string, args ...any) *ddspeer.Peer {
	t.Helper()
	if kind != "python" {
		return ddspeer.Start(t, kind, args...)
	}
	words := []string{"testdata/echo.py"}
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	cmd := exec.Command(pypi.Python(t, pypi.CycloneDDS...), words...)
	cmd.Env = append(os.Environ(), ddspeer.Setup{}.Environ()...)
	return ddspeer.Run(t, cmd)
}

func exchange(t *testing.T, kind string, n *Node, d int, o PubOptions) {
	q := QoS{Reliable: !o.BestEffort, TransientLocal: o.Latch}
	args, all := []any{"echo", d, bit(q.Reliable), bit(q.TransientLocal), "typehash=x;"}, echoes(q.Reliable)
	for _, e := range all {
		e.advertise(t, n, o)
		args = append(args, e.row()...)
		if o.Latch {
			e.publish()
		} else {
			e.subscribe(t, n, q)
		}
	}
	peer := startEcho(t, kind, args...)
	for _, e := range all {
		topic := fmt.Sprint(e.row()[0])
		echoed := func() bool { return len(peer.Starting("echoed "+topic)) > 0 }
		if o.Latch {
			must.Until(t, "the peer's message on "+topic, echoed)
			e.subscribe(t, n, q)
		}
		must.Until(t, "the message back from "+topic, func() bool {
			if o.BestEffort || !o.Latch && !echoed() && e.acknowledged() {
				e.publish() // again: the peer may not have known us yet
			}
			return e.received()
		})
		e.check(t)
	}
}

// Nodes of Humble and of Iron decode our graph, each in the form of its distribution.
func TestGraphOfPeers(t *testing.T) {
	eachPeer(t, func(t *testing.T, kind string, n *Node, d int) {
		pub := must.Get(Advertise[blob](n, "/x", "test/Blob", PubOptions{}))(t)
		sub := must.Get(Subscribe(n, "/y", "test/Blob", func(*blob) {}))(t)
		other := must.Get(Subscribe(n, "/z", "test/Blob", func(*blob) {}))(t)
		must.Get(n.c.NewNode("/team/b"))(t)
		for _, form := range []struct{ userData, gid, pad string }{{"", "24b", "0000000000000000"},
			{"typehash=RIHS01_" + strings.Repeat("0", 64) + ";", "16b", ""}} {
			typ := "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
			p := must.Get(rtps.Open(rtps.Config{Domain: d}))(t)
			defer p.Close()
			var got must.List[string]
			must.Get(p.NewReader(rtps.ReaderConfig{Topic: graphTopic + "_back", Type: typ,
				QoS:      QoS{Reliable: true, TransientLocal: true, Depth: 100},
				OnSample: func(b []byte, _ rtps.Info) { got.Add(string(b)) }}))(t)
			g := form.gid
			peer := ddspeer.Start(t, kind, "echo", d, 1, 1, form.userData, graphTopic, typ, g+"(ss("+g+")("+g+"))")
			part := n.c.transport.(*dds).part
			want := wantGraph(part.GUID(), sub.reader.GUID(), other.reader.GUID(), pub.writer.GUID(), form.pad)
			must.Until(t, "the graph with GIDs of "+g, func() bool {
				all := got.All()
				return len(all) > 0 && same(all[len(all)-1], want)
			})
			peer.Kill()
		}
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
