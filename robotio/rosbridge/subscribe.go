package rosbridge

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// defaultQueue is the length of a topic's queue if the client gives no length. It is a guess: one second at 100 Hz.
const defaultQueue = 100

// options holds the options of a subscription.
type options struct {
	every       time.Duration
	queue       int // 0 is the default
	fragment    int // maximum size of a fragment in bytes; 0 if messages are not fragmented
	compression string
}

// subscription combines a client's subscriptions of one topic, which have different ids. The client receives each
// message only once.
type subscription struct {
	session *session
	topic   string
	ids     map[string]options
	out     *web.Outbox
	merged  atomic.Pointer[options]
	seq     int  // number of fragmented messages; only the writing goroutine uses it
	failed  bool // whether a failed conversion has been reported; only the writing goroutine uses it
}

func (x *session) subscribe(r *request) error {
	o := options{milliseconds(r.ThrottleRate), boundedCount(r.QueueLength), boundedCount(r.FragmentSize), r.Compression}
	switch o.compression {
	case "":
		o.compression = "none"
	case "none", "png", "cbor", "cbor-raw":
	default:
		return fmt.Errorf("topic %s: compression = %.40q: must be none, png, cbor or cbor-raw", r.Topic, o.compression)
	}
	s := x.subs[r.Topic]
	if s == nil {
		if most := x.client.Limits().Subscriptions; len(x.subs) >= most {
			return fmt.Errorf("topic %s: the client subscribes to %d topics: must be at most %d", r.Topic, len(x.subs),
				most)
		}
		if err := x.checkType(r.Topic, r.Type); err != nil {
			return err
		}
		s = &subscription{session: x, topic: r.Topic, ids: map[string]options{}}
		s.out = x.client.NewOutbox(1, 0, s.write)
		s.ids[r.id()] = o
		s.merge()
		if err := x.server.Subs.Subscribe(r.Topic, s.out); err != nil {
			return err
		}
		x.subs[r.Topic] = s
		return nil
	}
	if _, known := s.ids[r.id()]; !known && len(s.ids) >= x.client.Limits().Subscriptions {
		return fmt.Errorf("topic %s: %d subscriptions: must be at most %[2]d", r.Topic, len(s.ids))
	}
	s.ids[r.id()] = o
	s.merge()
	return nil
}

// checkType returns an error if a topic has publishers of another type than the client expects.
func (x *session) checkType(topic, typ string) error {
	if typ == "" || typ == "*" {
		return nil
	}
	g, err := x.server.Node.Graph(x.client.Context())
	if err != nil {
		return err
	}
	full := x.resolve(topic)
	if have := g.Types[full]; have != "" && have != "*" && have != typ && len(g.Publishers[full]) > 0 {
		return fmt.Errorf("topic %s: type = %.80q: must be %s, the type of its publisher", topic, typ, have)
	}
	return nil
}

// merge combines the options of all subscriptions in the same way as rosbridge_suite.
func (s *subscription) merge() {
	list := slices.Collect(maps.Values(s.ids))
	m := list[0]
	for _, o := range list[1:] {
		m.every, m.queue = min(m.every, o.every), min(m.queue, o.queue)
		if o.fragment > 0 && (m.fragment == 0 || o.fragment < m.fragment) {
			m.fragment = o.fragment
		}
	}
	m.compression = "none"
	for _, c := range []string{"png", "cbor", "cbor-raw"} {
		if slices.ContainsFunc(list, func(o options) bool { return o.compression == c }) {
			m.compression = c
		}
	}
	depth := m.queue
	switch {
	case depth == 0 && m.every > 0:
		depth = 1
	case depth == 0:
		depth = defaultQueue
	}
	s.merged.Store(&m)
	s.out.Configure(depth, m.every)
}

func (x *session) unsubscribe(r *request) error {
	s := x.subs[r.Topic]
	if s == nil {
		return fmt.Errorf("topic %s: is not subscribed to", r.Topic)
	}
	if id := r.id(); id == "" {
		clear(s.ids)
	} else if _, ok := s.ids[id]; ok {
		delete(s.ids, id)
	} else {
		return fmt.Errorf("topic %s: id = %.80s: no such subscription", r.Topic, id)
	}
	if len(s.ids) > 0 {
		s.merge()
		return nil
	}
	delete(x.subs, r.Topic)
	x.server.Subs.Unsubscribe(r.Topic, s.out)
	return nil
}

// write sends one message in the encoding that the client requested.
func (s *subscription) write(m *web.Message) error {
	o, c := s.merged.Load(), s.session.client
	f := forms[o.compression]
	b, err := m.Form(f.index, func() ([]byte, error) { return f.make(m) })
	if err != nil {
		if !s.failed {
			s.failed = true
			s.session.sendError(nil, fmt.Sprintf("topic %s: message dropped: %v", s.topic, err))
		}
		return nil
	}
	if f.binary || o.fragment == 0 || len(b) <= o.fragment {
		return c.Write(f.binary, b)
	}
	s.seq++
	return split(b, o.fragment, s.topic+":"+strconv.Itoa(s.seq),
		func(part []byte) error { return c.Write(false, part) })
}

const jsonIndex = 0

// forms maps each compression that a client can request to the encoding of messages. Clients with the same encoding
// share the encoded message.
var forms = map[string]struct {
	index  int
	binary bool
	make   func(*web.Message) ([]byte, error)
}{
	"none":     {jsonIndex, false, jsonForm},
	"png":      {1, false, pngForm},
	"cbor":     {2, true, cborForm},
	"cbor-raw": {3, true, rawForm},
}

var errNoCodec = errors.New("its definition is too large to convert")

func jsonForm(m *web.Message) ([]byte, error) {
	if m.Codec == nil {
		return nil, errNoCodec
	}
	b := make([]byte, 0, len(m.Data)*3/2+256) // capacity for an image in base64
	b = dynamic.AppendString(append(b, `{"op":"publish","topic":`...), m.Topic)
	b, err := m.Codec.AppendJSON(append(b, `,"msg":`...), m.Data)
	return append(b, '}'), err
}

// pngForm packs the JSON encoding into the pixels of a PNG, which browsers can decompress fast.
func pngForm(m *web.Message) ([]byte, error) {
	text, err := m.Form(jsonIndex, func() ([]byte, error) { return jsonForm(m) })
	if err != nil {
		return nil, err
	}
	b, err := packPNG(text)
	if err != nil {
		return nil, err
	}
	out := slices.Grow([]byte(`{"op":"png","data":"`), base64.StdEncoding.EncodedLen(len(b))+2)
	return append(base64.StdEncoding.AppendEncode(out, b), `"}`...), nil
}

// packPNG writes text into the RGB channels of an opaque, nearly square image and pads it
// with line feeds. Source: rosbridge_library, pngcompression.encode.
func packPNG(text []byte) ([]byte, error) {
	pixels := (len(text) + 2) / 3
	width := max(1, int(math.Sqrt(float64(len(text))/3)))
	height := max(1, (pixels+width-1)/width)
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		p := img.Pix[4*i : 4*i+4]
		p[0], p[1], p[2], p[3] = '\n', '\n', '\n', 255
		if 3*i < len(text) {
			copy(p[:3], text[3*i:])
		}
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	err := enc.Encode(&out, img)
	return out.Bytes(), err
}

func cborForm(m *web.Message) ([]byte, error) {
	if m.Codec == nil {
		return nil, errNoCodec
	}
	return m.Codec.AppendCBOR(cborHead(m, len(m.Data)*9/8+256), m.Data)
}

// rawForm returns the message in the encoding of ROS, with the time of its arrival.
func rawForm(m *web.Message) ([]byte, error) {
	b := dynamic.AppendCBORMap(cborHead(m, len(m.Data)+256), 3)
	t := web.WallTime(m.At)
	b = dynamic.AppendCBORUint(dynamic.AppendCBORText(b, "secs"), uint64(t.Sec))
	b = dynamic.AppendCBORUint(dynamic.AppendCBORText(b, "nsecs"), uint64(t.Nsec))
	return dynamic.AppendCBORBytes(dynamic.AppendCBORText(b, "bytes"), m.Data), nil
}

// cborHead returns the start of the CBOR message, up to the key msg, with a capacity of size bytes.
func cborHead(m *web.Message, size int) []byte {
	b := dynamic.AppendCBORMap(make([]byte, 0, size), 3)
	b = dynamic.AppendCBORText(dynamic.AppendCBORText(b, "op"), "publish")
	b = dynamic.AppendCBORText(dynamic.AppendCBORText(b, "topic"), m.Topic)
	return dynamic.AppendCBORText(b, "msg")
}
