package zenoh

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Answers of a router: to init, with sizes, a cookie of 4 bytes and the patch level; and to open, with a lease of 10 s.
const (
	goodInit = "e1" + "09" + "30" + "01020304" + "0a" + "ffff" + "04" + "0a0b0c0d" + "2701"
	goodOpen = "62" + "0a" + "07"
)

// fake is a router that a test plays.
type fake struct {
	t    testing.TB
	conn net.Conn
}

func (f *fake) send(text string) {
	b := must.Get(hex.DecodeString(text))(f.t)
	_, _ = f.conn.Write(append(binary.LittleEndian.AppendUint16(nil, uint16(len(b))), b...))
}

func (f *fake) read() ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(f.conn, head[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.LittleEndian.Uint16(head[:]))
	_, err := io.ReadFull(f.conn, b)
	return b, err
}

// expect reads batches until ok accepts one.
func (f *fake) expect(what string, ok func(b []byte) bool) {
	f.t.Helper()
	for {
		b, err := f.read()
		if err != nil {
			f.t.Errorf("waited for %s: %v", what, err)
			return
		}
		if ok(b) {
			return
		}
	}
}

// play opens a session with a router that does what serve does with each connection.
func play(t testing.TB, cfg Config, serve func(f *fake)) *Session {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			serve(&fake{t, conn})
			conn.Close()
		}
	}()
	cfg.Router = listener.Addr().String()
	s := must.Get(Open(cfg))(t)
	t.Cleanup(func() {
		s.Close()
		listener.Close()
		<-done
	})
	return s
}

// establish is the router's part of a handshake.
func (f *fake) establish() {
	_, _ = f.read()
	f.send(goodInit)
	_, _ = f.read()
	f.send(goodOpen)
}

// The handshake has the bytes of the protocol, and repeats the router's cookie.
func TestHandshake(t *testing.T) {
	got := make(chan string, 3)
	s := play(t, Config{}, func(f *fake) {
		for _, answer := range []string{goodInit, goodOpen, ""} {
			b, err := f.read()
			if err != nil {
				return
			}
			got <- hex.EncodeToString(b)
			f.send(answer)
		}
	})
	first, second := <-got, <-got
	id := s.ID()
	wire := make([]byte, len(id))
	for i, c := range id {
		wire[len(id)-1-i] = c
	}
	must.Equal(t, first, "81"+"09"+"f2"+hex.EncodeToString(wire)+"2701", "the bytes of init")
	if !strings.HasPrefix(second, "02"+"904e") || !strings.HasSuffix(second, "040a0b0c0d") {
		t.Errorf("open has the bytes %s: want a lease of 10000 ms and the cookie", second)
	}
	must.Equal(t, s.ID().String(), hex.EncodeToString(id[:]), "the text of the ID")
}

// Each bad answer is an error that says what is wrong, and the session tries again.
func TestBadRouters(t *testing.T) {
	for _, c := range []struct{ init, open, then, want string }{
		{"", "", "", "ends too early"},
		{"05", "", "", "got message 0x05"},
		{"0303", "", "", "the router has closed the session: too many sessions"},
		{"21" + "08" + "30" + "01020304" + "00", "", "", "the router's protocol has version 8: must be 9"},
		{"61" + "09" + "30" + "01020304" + "00" + "ffff" + "00", "", "", "resolution 0x00: must be 0x0a"},
		{"61" + "09" + "30" + "01020304" + "0a" + "1000" + "00", "", "", "batch size 16: must be at least 66"},
		{goodInit[:len(goodInit)-2], "", "", "ends too early"},
		{goodInit, "62" + "00" + "07", "", "the lease is 0"},
		{goodInit, "0305", "", "lease has expired"},
		{goodInit, goodOpen, "08", "unknown transport message 0x08"},
		{goodInit, goodOpen, "2507" + "1d", "ends too early"},
		{goodInit, goodOpen, "2507" + "5d05" + "0100", "key 5 is not declared"},
		{goodInit, goodOpen, "2507" + "3d00" + "812061", "ends too early"},
		{goodInit, goodOpen, "0300", "the router has closed the session"},
	} {
		errs := make(chan error, 1)
		play(t, Config{OnState: func(_ bool, err error) {
			if err != nil {
				select {
				case errs <- err:
				default:
				}
			}
		}}, func(f *fake) {
			for _, answer := range []string{c.init, c.open, c.then} {
				if answer != c.then || answer == "" {
					if _, err := f.read(); err != nil {
						return
					}
				}
				f.send(answer)
			}
			_, _ = io.Copy(io.Discard, f.conn)
		})
		must.Fail(t, <-errs, c.want, c.init, c.open, c.then)
	}
}

// A router that is silent loses the session after its lease, and each side says that it is alive.
func TestLease(t *testing.T) {
	states := make(chan error, 100)
	var links atomic.Int32
	play(t, Config{Lease: time.Second, OnState: func(_ bool, err error) { states <- err }}, func(f *fake) {
		_, _ = f.read()
		f.send(goodInit)
		_, _ = f.read()
		f.send("62" + "01" + "07") // 1 s
		if links.Add(1) == 1 {
			for range 5 { // longer than the lease
				f.expect("a keep alive", func(b []byte) bool { return len(b) == 1 && b[0] == transportKeepAlive })
				f.send("04")
			}
		}
		_, _ = io.Copy(io.Discard, f.conn)
	})
	must.Equal(t, <-states, nil, "the first state")
	err := <-states
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a silent router: got error %v, want a timeout", err)
	}
}

// A router that sends too much ends its link. What it sends is not kept.
func TestHostileRouter(t *testing.T) {
	fragment := "4607" + strings.Repeat("00", 60_000)
	declare := func(n int, b ...byte) string { // in frames
		var all strings.Builder
		for i := range n {
			frame := append([]byte{0x25, 7, 0x1e}, b...)
			frame = appendUint(frame, uint64(i))
			all.WriteString(hex.EncodeToString(append(frame, 0, 1, 'a')) + "\n")
		}
		return all.String()
	}
	for want, batches := range map[string]string{
		"a message has more than 100000 bytes":             "c6070200\n" + fragment + "\n" + fragment,
		"the router has declared more than 65536 entities": declare(maxEntities+1, 0x26),
		"the router has declared more than 16384 keys":     declare(maxKeys+1, 0x20),
	} {
		errs := make(chan error, 100)
		var links atomic.Int32
		s := play(t, Config{MaxBytes: 100_000, OnState: func(_ bool, err error) {
			select {
			case errs <- err:
			default:
			}
		}}, func(f *fake) {
			f.establish()
			if links.Add(1) > 1 {
				_, _ = io.Copy(io.Discard, f.conn)
				return
			}
			go func() { _, _ = io.Copy(io.Discard, f.conn) }()
			for batch := range strings.SplitSeq(strings.TrimSpace(batches), "\n") {
				f.send(batch)
			}
		})
		must.Equal(t, <-errs, nil, "the state after the handshake")
		must.Fail(t, <-errs, want)
		must.Until(t, "another connection", s.Connected)
	}
}

// A router that takes nothing makes Put fail instead of wait, and does not hold up Close.
func TestRouterThatDoesNotRead(t *testing.T) {
	release := make(chan struct{})
	s := play(t, Config{MaxBytes: 1 << 20}, func(f *fake) {
		f.establish()
		<-release
	})
	must.Until(t, "the connection", s.Connected)
	payload := make([]byte, 100_000)
	must.Until(t, "an error", func() bool { // after the system's buffers
		for range 100 {
			if err := s.Put("a", payload, Options{}); err != nil {
				must.Equal(t, err, ErrFull, "the error")
				return true
			}
		}
		return false
	})
	must.Fail(t, s.Put("", nil, Options{}), "key has 0 bytes: must have 1 to 4096")
	must.Fail(t, s.Get(Question{Key: "a//b"}, nil, nil), `key "a//b": part "" is not allowed`)
	s.Close()
	close(release)
	if err := s.Put("a", payload, Options{}); err == nil {
		t.Error("a closed session publishes")
	}
	must.Refuse(s.Subscribe("a", nil))(t, "session is closed")
	must.Fail(t, s.Get(Question{Key: "a"}, nil, nil), "session is closed")
}

// A closed session leaves no goroutine behind, whether or not there was a router.
func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("sessions", func(t *testing.T) {
		for range 10 {
			connected := play(t, Config{}, func(f *fake) {
				f.establish()
				_, _ = io.Copy(io.Discard, f.conn)
			})
			must.Until(t, "the connection", connected.Connected)
			must.Do(t, connected.Get(Question{Key: "a"}, func(Sample) {}, func(error) {}))
			must.Get(Open(Config{Router: "127.0.0.1:1"}))(t).Close()
		}
	})
	must.Until(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

func TestConfig(t *testing.T) {
	for want, cfg := range map[string]Config{
		`router = "nowhere": must be an address with a port`: {Router: "nowhere"},
		"lease = -1ns: must be 10 ms to 1 h":                 {Lease: -1},
		"maximum bytes = 1: must be at least 65535":          {MaxBytes: 1},
	} {
		must.Refuse(Open(cfg))(t, want)
	}
}

// Whatever a router sends, a link survives it or ends with an error.
func FuzzBatch(f *testing.F) {
	for _, c := range messages {
		f.Add(must.Get(hex.DecodeString("2507" + c.hex))(f))
		f.Add(must.Get(hex.DecodeString("c60702" + c.hex))(f))
		f.Add(must.Get(hex.DecodeString("2607" + c.hex))(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l := &link{maxBytes: 1000, markers: true, wake: make(chan struct{}, 1), keys: map[uint16]string{},
			entities: map[entity]string{}}
		s := &Session{declared: map[uint32]*Declaration{}, pending: map[uint32]*query{}}
		s.link = l
		var got int
		must.Get(s.Subscribe("**", func(m Sample) { got += len(m.Payload) + len(m.Attachment) }))(t)
		must.Get(s.Queryable("**", true, func(q *Query) { _ = q.Reply("a", q.Payload, Options{}); q.Done() }))(t)
		must.Get(s.WatchTokens("**", func(string, bool) {}))(t)
		for range 2 {
			if err := l.receive(b, func(m *message) error { return s.handle(l, m) }); err != nil {
				break
			}
		}
		if got > 2*len(b)+2*1000 || l.queued > 4*len(b)+4000 {
			t.Errorf("%d bytes became %d, and %d wait", len(b), got, l.queued)
		}
	})
}

// BenchmarkPut publishes images to a router that reads.
func BenchmarkPut(b *testing.B) {
	s := play(b, Config{}, func(f *fake) {
		f.establish()
		_, _ = io.Copy(io.Discard, f.conn)
	})
	must.Until(b, "the connection", s.Connected)
	image := make([]byte, 640*480*3)
	b.SetBytes(int64(len(image)))
	b.ReportAllocs()
	for b.Loop() {
		for errors.Is(s.Put("0/image", image, Options{Attachment: image[:33]}), ErrFull) {
			time.Sleep(100 * time.Microsecond)
		}
	}
}
