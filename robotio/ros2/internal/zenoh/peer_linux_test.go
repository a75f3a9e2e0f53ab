package zenoh

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/zenohpeer"
)

// open opens a session, and waits until it is connected.
func open(t testing.TB, address string) *Session {
	t.Helper()
	s := must.Get(Open(Config{Router: address, OnState: func(connected bool, err error) {
		t.Logf("connected %v: %v", connected, err)
	}}))(t)
	t.Cleanup(s.Close)
	must.Until(t, "the connection", s.Connected)
	return s
}

// blobBytes returns the bytes of a test message, as the peer's program makes them.
func blobBytes(n int) []byte {
	b := make([]byte, n)
	for k := range b {
		b[k] = byte(k * 7)
	}
	return b
}

// text describes bytes as the peer's program does.
func text(b []byte) string {
	if b == nil {
		return "none"
	}
	if len(b) < 40 && strings.IndexFunc(string(b), func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return string(b)
	}
	if len(b) < 400 {
		return fmt.Sprintf("0x%x", b)
	}
	sum := uint32(0)
	for k := 0; k < len(b); k += 997 {
		sum = sum*31 + uint32(b[k])
	}
	return fmt.Sprint(len(b), " ", sum)
}

// Samples arrive at clients and peers of the router, and theirs at us: small, in fragments, in order.
func TestSamples(t *testing.T) {
	router := zenohpeer.Start(t, "router", "")
	address := "127.0.0.1:" + router.Port(t)
	for _, mode := range []string{"client", "peer"} {
		t.Run(mode, func(t *testing.T) {
			s, other := open(t, address), zenohpeer.Start(t, mode, "tcp/"+address)
			var got must.List[string]
			must.Get(s.Subscribe("to/us/**", func(m Sample) {
				got.Add(fmt.Sprint("sample ", m.Key, " ", map[bool]string{false: "PUT", true: "DELETE"}[m.Deleted], " ",
					text(m.Payload), " ", text(m.Attachment)))
			}))(t)
			other.Do(t, "sub to/peer/*")
			var matched atomic.Bool
			must.Get(s.WatchSubscribers("to/peer/0", func(_ string, present bool) { matched.Store(present) }))(t)
			must.Until(t, "the peer's subscriber", matched.Load)
			must.Until(t, "our subscriber", func() bool {
				other.Do(t, "put to/us/first hello x")
				return len(got.All()) > 0
			})
			for n, size := range []int{1, 1000, 65_400, 65_600, 200_000, 921_600} {
				must.Do(t, s.Put(fmt.Sprint("to/peer/", n), blobBytes(size), Options{Attachment: []byte("own"), Block: true}))
				other.Do(t, "put to/us/%d #%d theirs", n, size)
				other.Wait(t, fmt.Sprintf("sample to/peer/%d PUT %s own", n, text(blobBytes(size))))
				want := fmt.Sprintf("sample to/us/%d PUT %s theirs", n, text(blobBytes(size)))
				must.Until(t, want, func() bool { all := got.All(); return all[len(all)-1] == want })
			}
			other.Do(t, "delete to/us/0")
			must.Until(t, "a deletion", func() bool {
				all := got.All()
				return all[len(all)-1] == "sample to/us/0 DELETE none none"
			})
			for n := range 1000 {
				must.Do(t, s.Put("to/peer/many", fmt.Appendf(nil, "n%03d", n), Options{Block: true}))
			}
			other.Wait(t, "sample to/peer/many PUT n999")
			for n, line := range other.Starting("sample to/peer/many") {
				must.Equal(t, line, fmt.Sprintf("sample to/peer/many PUT n%03d none", n), "a sample")
			}
			other.Kill()
			must.Until(t, "no subscriber", func() bool { return !matched.Load() })
		})
	}
}

// Queries are answered both ways, with attachments, errors and ends.
func TestQueries(t *testing.T) {
	router := zenohpeer.Start(t, "router", "")
	address := "127.0.0.1:" + router.Port(t)
	s, other := open(t, address), zenohpeer.Start(t, "peer", "tcp/"+address)
	other.Do(t, "queryable their/service")
	ask := func(q Question) (lines []string) {
		done := make(chan error, 1)
		must.Do(t, s.Get(q, func(r Sample) {
			lines = append(lines, fmt.Sprint(r.Key, " ", string(r.Payload), " ", string(r.Attachment)))
		}, func(err error) { done <- err }))
		return append(lines, fmt.Sprint(<-done))
	}
	must.Until(t, "their queryable", func() bool {
		return len(ask(Question{Key: "their/service", Payload: []byte("hello")})) == 2
	})
	for payload, want := range map[string]string{
		"one":  "[their/service first one 1 <nil>]",
		"fail": `[their/service first fail 1 the query failed: "no such thing"]`,
	} {
		got := ask(Question{Key: "their/service", Payload: []byte(payload), Attachment: []byte("A"),
			Target: AllComplete})
		must.Equal(t, fmt.Sprint(got), want, "the answer to %s", payload)
		other.Wait(t, "query their/service "+payload+" A")
	}
	must.Equal(t, fmt.Sprint(ask(Question{Key: "nobody/here"})), "[<nil>]", "the answer of nobody")

	q := must.Get(s.Queryable("our/service", true, func(q *Query) {
		go func() { // answered later, from elsewhere
			_ = q.Reply(q.Key, append([]byte("you said "), q.Payload...), Options{Attachment: q.Attachment})
			q.Done()
		}()
	}))(t)
	must.Until(t, "our queryable", func() bool {
		before := len(other.Starting("replied"))
		other.Do(t, "get our/service hi B")
		must.Until(t, "the end of a query", func() bool { return len(other.Starting("replied")) > before })
		return len(other.Starting("reply our/service you said hi B")) > 0
	})
	other.Do(t, "get our/service #300000 B")
	other.Wait(t, "reply our/service "+text(append([]byte("you said "), blobBytes(300_000)...))+" B")
	q.Close()

	var silent atomic.Int32
	must.Get(s.Queryable("silent", true, func(q *Query) { silent.Add(1) }))(t)
	third := open(t, address)
	done := make(chan error, 1)
	must.Until(t, "a silent queryable", func() bool {
		must.Do(t, third.Get(Question{Key: "silent", Timeout: 50 * time.Millisecond}, func(Sample) {},
			func(err error) { done <- err }))
		<-done
		return silent.Load() > 0
	})
	must.Do(t, third.Get(Question{Key: "silent"}, func(Sample) {}, func(err error) { done <- err }))
	third.Close()
	must.Equal(t, <-done, errClosed, "the end of a question of a session that is closed")
}

// Tokens are seen both ways: those that are there, those that come, and those that vanish.
func TestTokens(t *testing.T) {
	router := zenohpeer.Start(t, "router", "")
	address := "127.0.0.1:" + router.Port(t)
	s, other := open(t, address), zenohpeer.Start(t, "peer", "tcp/"+address)
	early := must.Get(s.Token("@ros2_lv/0/us/early"))(t)
	other.Do(t, "token @ros2_lv/0/them/early")
	var got must.List[string]
	for range 2 { // the second watch gets what the first one has
		must.Get(s.WatchTokens("@ros2_lv/0/them/**", func(key string, present bool) { got.Add(fmt.Sprint(key, " ", present)) }))(t)
		must.Until(t, "the early token", func() bool { return len(got.All())%2 == 1 || len(got.All()) == 2 })
	}
	must.Until(t, "the early token again", func() bool { return len(got.All()) == 2 })
	other.Do(t, "watch @ros2_lv/0/us/**")
	other.Wait(t, "token @ros2_lv/0/us/early PUT")
	must.Get(s.Token("@ros2_lv/0/us/late"))(t)
	other.Wait(t, "token @ros2_lv/0/us/late PUT")
	early.Close()
	other.Wait(t, "token @ros2_lv/0/us/early DELETE")

	other.Do(t, "token @ros2_lv/0/them/late")
	must.Until(t, "the late token", func() bool { return len(got.All()) == 4 })
	other.Do(t, "undeclare @ros2_lv/0/them/early")
	must.Until(t, "the end of the early token", func() bool { return len(got.All()) == 6 })
	other.Kill()
	must.Until(t, "the end of the late token", func() bool { return len(got.All()) == 8 })
	want := []string{"early true", "late true", "early false", "late false"}
	for i, line := range got.All() {
		must.Equal(t, line, "@ros2_lv/0/them/"+want[i/2], "change %d", i)
	}

	viewer := zenohpeer.Start(t, "client", "tcp/"+address)
	viewer.Do(t, "watch @ros2_lv/0/us/**")
	viewer.Wait(t, "token @ros2_lv/0/us/late PUT")
	s.Close()
	viewer.Wait(t, "token @ros2_lv/0/us/late DELETE")
}

// A session finds a router that starts later or anew, and repeats its declarations.
func TestRouterRestarts(t *testing.T) {
	var port atomic.Pointer[string]
	nowhere := "1"
	port.Store(&nowhere)
	address := zenohpeer.Forward(t, &port)
	s := must.Get(Open(Config{Router: address}))(t)
	defer s.Close()
	must.Equal(t, s.Put("a", nil, Options{}), ErrNotConnected, "the error of a put without a router")
	var got, tokens must.List[string]
	must.Get(s.Subscribe("to/us", func(m Sample) { got.Add(string(m.Payload)) }))(t)
	must.Get(s.Token("us/token"))(t)
	must.Get(s.WatchTokens("them/*", func(key string, present bool) { tokens.Add(fmt.Sprint(key, " ", present)) }))(t)
	for n := range 2 {
		router := zenohpeer.Start(t, "router", "")
		p := router.Port(t)
		port.Store(&p)
		must.Until(t, "the connection", s.Connected)
		other := zenohpeer.Start(t, "client", "tcp/127.0.0.1:"+p)
		other.Do(t, "watch us/*")
		other.Wait(t, "token us/token PUT")
		other.Do(t, "token them/token")
		must.Until(t, "their token", func() bool { return len(tokens.All()) == 2*n+1 })
		must.Until(t, "a sample", func() bool {
			other.Do(t, "put to/us round%d x", n)
			all := got.All()
			return len(all) > 0 && all[len(all)-1] == fmt.Sprint("round", n)
		})
		port.Store(&nowhere)
		router.Kill()
		must.Until(t, "the end of the connection", func() bool { return !s.Connected() })
		must.Until(t, "the end of their token", func() bool { return len(tokens.All()) == 2*n+2 })
		other.Kill()
	}
	must.Equal(t, tokens.All(), []string{"them/token true", "them/token false", "them/token true", "them/token false"},
		"changes of tokens")
}

// Those who come late get the last samples, in order and once, and then the new ones: ours at the peer, and the peer's,
// which are numbered or have times, at us.
func TestLatched(t *testing.T) {
	router := zenohpeer.Start(t, "router", "")
	address := "127.0.0.1:" + router.Port(t)
	s, other := open(t, address), zenohpeer.Start(t, "peer", "tcp/"+address)
	ours := must.Get(s.Latch("0/ours", 3))(t)
	for n := range 5 {
		must.Do(t, ours.Put(fmt.Append(nil, "n", n), Options{Attachment: []byte("own")}))
	}
	other.Do(t, "late 0/ours")
	other.Wait(t, "sample 0/ours PUT n4 own")
	must.Do(t, ours.Put([]byte("n5"), Options{Attachment: []byte("own")}))
	other.Wait(t, "sample 0/ours PUT n5 own")
	want := "sample 0/ours PUT n2 own\nsample 0/ours PUT n3 own\nsample 0/ours PUT n4 own\nsample 0/ours PUT n5 own"
	must.Equal(t, strings.Join(other.Starting("sample"), "\n"), want, "the peer's samples")

	for _, do := range []string{"latch", "latch-by-time"} {
		for n := range 5 {
			other.Do(t, "%s 0/%s n%d theirs", do, do, n)
		}
		var got must.List[string]
		end := must.Get(s.SubscribeLatched("0/"+do, 2, func(m Sample) {
			got.Add(string(m.Payload) + " " + string(m.Attachment))
		}))(t)
		must.Until(t, "the last sample", func() bool { return len(got.All()) >= 2 })
		other.Do(t, "%s 0/%s n5 theirs", do, do)
		must.Until(t, "a new sample", func() bool { return len(got.All()) >= 3 })
		must.Equal(t, got.All(), []string{"n3 theirs", "n4 theirs", "n5 theirs"}, "our samples of %s", do)
		end()
	}
	ours.Close()
	must.Refuse(s.Latch("0/ours", 0))(t, "depth = 0: must be at least 1")
}
