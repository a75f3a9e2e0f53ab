package recording

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestPatterns(t *testing.T) {
	topics := []string{"/ball", "/cyan1/camera/image_raw", "/cyan1/imu", "/cyan10/imu", "/magenta1/imu"}
	for _, c := range []struct{ patterns, want string }{
		{"*", "/ball /cyan1/camera/image_raw /cyan1/imu /cyan10/imu /magenta1/imu"},
		{"/cyan1/*", "/cyan1/camera/image_raw /cyan1/imu"},
		{"*/imu", "/cyan1/imu /cyan10/imu /magenta1/imu"},
		{"/*1/imu", "/cyan1/imu /magenta1/imu"},
		{"/cyan1?/imu", "/cyan10/imu"},
		{"ball", "/ball"},
		{"/ball /none */image_raw", "/ball /cyan1/camera/image_raw"},
		{"/bal", ""},
		{"", ""},
	} {
		var got []string
		m := Patterns(strings.Fields(c.patterns)).Compile()
		for _, topic := range topics {
			if m.MatchString(topic) {
				got = append(got, topic)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q has %q, want %q", c.patterns, s, c.want)
		}
	}
	for f, quality := range map[ImageFormat]int{"": jpegQuality, "png": jpegQuality, "jpeg": jpegQuality, "jpeg:1": 1,
		"jpeg:100": 100,
		"png:5":    0, "jpeg:": 0, "jpeg:0": 0, "jpeg:101": 0, "jpeg:x": 0, ":5": 0, "jpg": 0} {
		if _, got, err := f.parse(); got != quality || (err != nil) != (quality == 0) {
			t.Errorf("%q: quality %d, %v; want %d", f, got, err, quality)
		}
	}
	err := TopicsConfig{Patterns: []string{"/ok/*", "", "/a b", "~x", "[a-z]"}, Images: "gif"}.Validate()
	for _, want := range []string{`topics[1] = ""`, `topics[2] = "/a b"`, `topics[3] = "~x"`, `topics[4] = "[a-z]"`,
		`images = "gif": must be png, jpeg, jpeg:Q`} {
		must.Fail(t, err, want)
	}
	if strings.Contains(err.Error(), "topics[0]") {
		t.Errorf("got %v", err)
	}
}

// heard collects the messages of a subscriber.
type heard struct {
	mu  sync.Mutex
	all map[string][]string // by topic and publisher
}

func (h *heard) subscribe(t *testing.T, n *ros1.Node, topics ...string) {
	h.all = map[string][]string{}
	for _, topic := range topics {
		sub := must.Get(ros1.SubscribeRaw(n, topic, func(from *ros1.Source, b []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			key := topic + " " + from.Publisher
			h.all[key] = append(h.all[key], string(b))
		}))(t)
		sub.Confirm()
	}
}

func (h *heard) count() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.all {
		n += len(m)
	}
	return n
}

// Messages of matching topics are recorded byte for byte. This includes several publishers, latched topics, a topic
// that appears later, and one with a subscriber before it has a publisher. Other topics are not recorded.
func TestTopicsAreRecorded(t *testing.T) {
	uri := webtest.Master(t)
	a, b := webtest.Node(t, uri, "/a"), webtest.Node(t, uri, "/b")
	listener, recorder := webtest.Node(t, uri, "/listener"), webtest.Node(t, uri, "/recorder")
	lib := must.Get(msg.Load("nubot"))(t)
	odo := must.Get(lib.Message("nubot_common/OdoInfo"))(t)
	advertise := func(n *ros1.Node, topic string, latch bool) *ros1.Publisher[msg.OdoInfo] {
		return must.Get(ros1.Advertise[msg.OdoInfo](n, topic, odo.Name, ros1.PubOptions{Latch: latch, Queue: 1000}))(t)
	}
	var h heard
	h.subscribe(t, listener, "/x/shared", "/x/latched", "/x/commands", "/x/late")
	shared1, shared2 := advertise(a, "/x/shared", false), advertise(b, "/x/shared", false)
	latched, other := advertise(a, "/x/latched", true), advertise(a, "/y/other", true)
	latched.Publish(&msg.OdoInfo{Vx: 5})
	other.Publish(&msg.OdoInfo{Vx: 6})

	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{}, Options{})
	var now atomic.Int64
	tick := func() (time.Duration, time.Duration) { n := time.Duration(now.Add(1)); return n, n / 2 }
	topics := must.Get(w.Topics(recorder, TopicsConfig{Patterns: []string{"/x/*"}, Now: tick}))(t)
	defer topics.Close()
	must.Until(t, "the connections", func() bool {
		return topics.Connected() && shared1.NumSubscribers() == 2 && shared2.NumSubscribers() == 2 &&
			latched.NumSubscribers() == 2
	})
	commands, late := advertise(b, "/x/commands", false), advertise(b, "/x/late", true)
	must.Until(t, "the connections of what came later",
		func() bool { return commands.NumSubscribers() == 2 && late.NumSubscribers() == 2 })
	for i := range 200 {
		for j, p := range []*ros1.Publisher[msg.OdoInfo]{shared1, shared2, latched, commands, late} {
			p.Publish(&msg.OdoInfo{Header: msg.Header{FrameID: strings.Repeat("f", i)}, Vx: float32(10*i + j)})
		}
	}
	const total = 5*200 + 1
	must.Until(t, "the messages", func() bool { return h.count() == total && now.Load() == total })
	must.Do(t, topics.Close())
	must.Do(t, w.Close())
	counted, whole := topics.Received()
	must.Equal(t, counted, map[string]uint64{"/x/shared": 400, "/x/latched": 201, "/x/commands": 200, "/x/late": 200},
		"messages of each topic")
	must.Equal(t, whole, true, "whether recording was on all the time")

	r := must.Get(Open(path))(t)
	defer r.Close()
	got := map[string][]string{}
	for m := r.Messages(0, nil); ; {
		x, err := m.Next()
		if err != nil {
			break
		}
		must.Equal(t, x.PublishTime, x.LogTime/2, "publish time at log time %v", x.LogTime)
		key := x.Channel.Topic + " " + x.Channel.Metadata["callerid"]
		got[key] = append(got[key], string(x.Data))
	}
	must.Equal(t, got, h.all, "received and recorded messages differ (-received +recorded)")
	for _, c := range r.Channels() {
		want := map[string]string{"callerid": "/a", "md5sum": odo.MD5,
			"latching": fmt.Sprint(c.Topic == "/x/latched" || c.Topic == "/x/late")}
		if c.Topic == "/x/commands" || c.Topic == "/x/late" || c.Metadata["callerid"] == "/b" {
			want["callerid"] = "/b"
		}
		if c.Schema != (Schema{odo.Name, odo.Text}) || !gocmp.Equal(c.Metadata, want) {
			t.Errorf("channel %+v, want metadata %v", c, want)
		}
		if def, err := msg.ParseFull(c.Schema.Name, c.Schema.Text); err != nil || def.MD5 != odo.MD5 {
			t.Errorf("the schema of %s is not the message's definition: %v", c.Topic, err)
		}
	}
	must.Equal(t, len(r.Channels()), 5, "channels")
}

// Topics that are switched off are not subscribed to, so that cameras need not be rendered. After switching on again,
// messages are in the same channels.
func TestTopicsAreSwitched(t *testing.T) {
	uri := webtest.Master(t)
	a, recorder := webtest.Node(t, uri, "/a"), webtest.Node(t, uri, "/recorder")
	lib := must.Get(msg.Load("nubot"))(t)
	odo := must.Get(lib.Message("nubot_common/OdoInfo"))(t)
	pub := must.Get(ros1.Advertise[msg.OdoInfo](a, "/x/odo", odo.Name, ros1.PubOptions{}))(t)
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{}, Options{})
	var now atomic.Int64
	tick := func() (time.Duration, time.Duration) { n := time.Duration(now.Add(1)); return n, n }
	topics := must.Get(w.Topics(recorder, TopicsConfig{Patterns: []string{"/x/*"}, Off: true, Now: tick}))(t)
	defer topics.Close()
	want := int64(0)
	for range 3 {
		must.Equal(t, pub.NumSubscribers(), 0, "subscribed while the recording is off")
		pub.Publish(&msg.OdoInfo{Vx: 1})
		topics.Switch(true)
		topics.Switch(true)
		must.Until(t, "the connection", func() bool { return pub.NumSubscribers() == 1 })
		for range 10 {
			pub.Publish(&msg.OdoInfo{Vx: 2})
		}
		want += 10
		must.Until(t, "the messages", func() bool { return now.Load() == want })
		var all sync.WaitGroup
		for _, on := range []bool{true, false, false} { // by several goroutines at once
			all.Go(func() { topics.Switch(on) })
		}
		all.Wait()
		topics.Switch(false)
		must.Until(t, "nobody to listen", func() bool { return pub.NumSubscribers() == 0 })
	}
	must.Do(t, errors.Join(topics.Close(), w.Close()))
	_, whole := topics.Received()
	must.Equal(t, whole, false, "whether recording was on all the time")
	r := must.Get(Open(path))(t)
	defer r.Close()
	if c := r.Channels(); len(c) != 1 || c[0].Messages != uint64(want) {
		t.Errorf("%d channels, %+v, want one of %d messages", len(c), c[0], want)
	}
}

// imageOf returns an image message with numbered pixels.
func imageOf(t testing.TB, encoding string, width, height, bytesPerPixel, padding int, bigEndian uint8) []byte {
	def := must.Get(must.Get(msg.Load("nubot"))(t).Message(imageType))(t)
	codec := must.Get(msg.Compile[msg.Image](def))(t)
	m := &msg.Image{Header: msg.Header{Seq: 7, Stamp: msg.Time{Sec: 1, Nsec: 2}, FrameID: "camera"},
		Height: uint32(height), Width: uint32(width), Encoding: encoding, IsBigendian: bigEndian,
		Step: uint32(width*bytesPerPixel + padding)}
	for i := range height * int(m.Step) {
		m.Data = append(m.Data, byte(i*7))
	}
	return codec.Append(nil, m)
}

// PNG preserves every pixel of every encoding. JPEG holds 8-bit images. Other images stay unchanged. The order of
// images is kept.
func TestImagesAreCompressed(t *testing.T) {
	const width, height = 19, 6
	def := must.Get(must.Get(msg.Load("nubot"))(t).Message(imageType))(t)
	colour := func(channels ...int) func(d []byte, i int) [4]uint16 { // 8-bit red, green, blue and perhaps alpha
		return func(d []byte, i int) [4]uint16 {
			c := [4]uint16{3: 0xffff}
			for k, at := range channels {
				c[k] = uint16(d[i+at]) * 0x101
			}
			return c
		}
	}
	grey := func(low, high int) func(d []byte, i int) [4]uint16 { // 16-bit
		return func(d []byte, i int) [4]uint16 {
			v := uint16(d[i+low]) | uint16(d[i+high])<<8
			return [4]uint16{v, v, v, 0xffff}
		}
	}
	for _, c := range []struct {
		encoding  string
		bytes     int
		bigEndian uint8
		want      func(data []byte, i int) [4]uint16 // nil if the image stays unchanged
		inside    string                             // the encoding in the compressed image
		jpeg      string                             // what it becomes as JPEG
	}{
		{"rgb8", 3, 0, colour(0, 1, 2), "bgr8", "jpeg"},
		{"bgr8", 3, 0, colour(2, 1, 0), "bgr8", "jpeg"},
		{"rgba8", 4, 0, colour(0, 1, 2, 3), "bgr8", "jpeg"},
		{"bgra8", 4, 0, colour(2, 1, 0, 3), "bgr8", "jpeg"},
		{"mono8", 1, 0, colour(0, 0, 0), "", "jpeg"},
		{"bayer_rggb8", 1, 0, colour(0, 0, 0), "", "jpeg"},
		{"16UC1", 2, 0, grey(0, 1), "", "png"},
		{"mono16", 2, 1, grey(1, 0), "", "png"},
		{"32FC1", 4, 0, nil, "", ""},
	} {
		for _, f := range []ImageFormat{PNGImages, JPEGImages} {
			for _, padding := range []int{0, 5} {
				path := filepath.Join(t.TempDir(), "a.mcap")
				w := begin(t, path, Header{}, Options{})
				x := must.Get(w.Images("/camera", f, def, "/sim"))(t)
				b := imageOf(t, c.encoding, width, height, c.bytes, padding, c.bigEndian)
				const n = 5
				for i := range n {
					x.Write(time.Duration(i), time.Duration(i)/2, b)
				}
				must.Do(t, w.Close())
				r := must.Get(Open(path))(t)
				got, _ := all(r.Messages(0, nil))
				r.Close()
				if len(got) != n || !slices.IsSortedFunc(got, func(a, b sample) int { return int(a.Log - b.Log) }) {
					t.Fatalf("%s as %s: %d messages", c.encoding, f, len(got))
				}
				for _, s := range got {
					if c.want == nil {
						if s.Topic != "/camera" || s.Data != string(b) {
							t.Errorf("%s as %s: %s has another message", c.encoding, f, s.Topic)
						}
						continue
					}
					format := c.encoding + "; png compressed " + c.inside
					if f == JPEGImages {
						format = c.encoding + "; " + c.jpeg + " compressed " + c.inside
					}
					m := must.Get(parseImage(b, false))(t)
					rest, ok := strings.CutPrefix(s.Data, string(raw(m.header, format)))
					if s.Topic != "/camera/compressed" || !ok || len(rest)-4 != int(le.Uint32([]byte(rest))) {
						t.Fatalf("%s as %s: %s holds %.60q, want the format %q", c.encoding, f, s.Topic, s.Data, format)
					}
					img, kind, err := image.Decode(strings.NewReader(rest[4:]))
					if err != nil || img.Bounds() != image.Rect(0, 0, width, height) ||
						!strings.Contains(format, kind) {
						t.Fatalf("%s as %s: a %s of %v, %v", c.encoding, f, kind, img, err)
					}
					if kind == "jpeg" {
						continue
					}
					for y := range height {
						for px := range width {
							want := c.want(m.data, y*m.step+px*c.bytes)
							p := color.NRGBA64Model.Convert(img.At(px, y)).(color.NRGBA64)
							if got := [4]uint16{p.R, p.G, p.B, p.A}; got != want && want[3] == 0xffff ||
								p.A != want[3] {
								t.Fatalf("%s: pixel %d %d is %x, want %x", c.encoding, px, y, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Images that arrive faster than they are compressed wait. A recording that ends releases waiting callers.
func TestImagesWait(t *testing.T) {
	def := must.Get(must.Get(msg.Load("nubot"))(t).Message(imageType))(t)
	b := imageOf(t, "rgb8", 64, 48, 3, 0, 0)
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{}, Options{Queue: 5 * len(b), Patience: time.Minute})
	var wait sync.WaitGroup
	const goroutines, each = 3, 40
	for g := range goroutines {
		x := must.Get(w.Images(fmt.Sprintf("/camera%d", g), PNGImages, def, "/sim"))(t)
		wait.Go(func() {
			for i := range each {
				x.Write(time.Duration(i), 0, b)
			}
		})
	}
	wait.Wait()
	must.Do(t, w.Close())
	if _, rows := library(t, path); len(rows) != goroutines*each {
		t.Errorf("%d images, want %d", len(rows), goroutines*each)
	}
	if _, err := w.Images("/late", PNGImages, def, "/sim"); err == nil {
		t.Error("images can be added to a recording that has ended")
	}

	w = begin(t, filepath.Join(t.TempDir(), "b.mcap"), Header{}, Options{Queue: 2 * len(b)})
	x := must.Get(w.Images("/camera", PNGImages, def, "/sim"))(t)
	wait.Go(func() {
		for range 10_000 {
			x.Write(0, 0, b)
		}
	})
	w.end(errSlow)
	wait.Wait()
}

// FuzzPicture checks that no message makes the compression panic.
func FuzzPicture(f *testing.F) {
	for _, encoding := range []string{"rgb8", "bgra8", "mono8", "16UC1", "32FC1"} {
		f.Add(imageOf(f, encoding, 4, 3, 4, 1, 0), false)
		b, _ := toROS2(f, imageType, imageOf(f, encoding, 4, 3, 4, 1, 0))
		f.Add(b, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, ros2 bool) {
		var p picture
		for _, format := range []ImageFormat{PNGImages, JPEGImages} {
			var out bytes.Buffer
			if err := p.compress(&out, b, ros2, format, jpegQuality); err != nil &&
				(err.Error() == "" || strings.Contains(err.Error(), "\n")) {
				t.Errorf("not a sentence: %q", err)
			}
		}
	})
}

// BenchmarkPicture compresses images of 1280×1024 pixels, with and without a camera's noise: as PNG, as the standard
// library's fastest PNG, and as JPEG.
func BenchmarkPicture(b *testing.B) {
	const width, height = 1280, 1024
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, noise := range []float64{1.5, 0} {
		data := imageOf(b, "bgr8", width, height, 3, 0, 0)
		m := must.Get(parseImage(data, false))(b)
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		for y := range height {
			for x := range width {
				p := [3]byte{}
				for c := range p {
					// patches of one colour
					p[c] = byte(128 + 30*math.Sin(float64(x/40+c)) + 30*math.Cos(float64(y/30)) +
						noise*rnd.NormFloat64())
				}
				copy(m.data[y*m.step+3*x:], p[:])
				img.SetRGBA(x, y, color.RGBA{p[2], p[1], p[0], 255})
			}
		}
		var out bytes.Buffer
		var p picture
		for name, encode := range map[string]func() error{
			"png":          func() error { return p.compress(&out, data, false, PNGImages, 0) },
			"standard png": func() error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img) },
			"jpeg":         func() error { return p.compress(&out, data, false, JPEGImages, jpegQuality) },
		} {
			b.Run(fmt.Sprintf("noise %v/%s", noise, name), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					out.Reset()
					must.Do(b, encode())
				}
				b.ReportMetric(float64(out.Len()), "file-B")
			})
		}
	}
}
