package ros1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// hostile is the number of connections that an attack opens at once. It opens as many again during the test.
const hostile = 1500

// attack opens hostile connections. Each sends what say returns for its number, and stays open until the end of the
// test.
func attack(t *testing.T, addr string, say func(i int) []byte) {
	t.Helper()
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < 5*hostile {
		t.Skipf("needs %d file descriptors: ulimit -n is %d (%v)", 5*hostile, files.Cur, err)
	}
	var conns []net.Conn
	open := func(i int) bool {
		c, err := net.DialTimeout("tcp", addr, deadline)
		if err != nil {
			t.Errorf("connection %d: %v", i, err)
			return false
		}
		conns = append(conns, c)
		_, _ = c.Write(say(i)) // it may be closed
		return true
	}
	for i := range hostile {
		if !open(i) {
			t.FailNow()
		}
	}
	done := make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i := hostile; i < 2*hostile; i++ {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if !open(i) {
				return
			}
		}
	})
	t.Cleanup(func() {
		close(done)
		over.Wait()
		for _, c := range conns {
			c.Close()
		}
	})
}

// TestLockout checks that 1,500 connections to one topic, with one caller id or as many, silent before or after the
// header, do not affect healthy subscribers, and that new subscribers and clients are served at once.
func TestLockout(t *testing.T) {
	subscriber := func(caller, topic string) []byte {
		return tcprosHeader(tcpros.Header{"callerid": caller, "topic": topic, "type": "std_msgs/Int32", "md5sum": "*"})
	}
	for name, say := range map[string]func(i int) []byte{
		"silent":                    func(int) []byte { return nil },
		"half a header":             func(int) []byte { return []byte("\xc8\x00\x00\x00\x0a\x00") },
		"one caller id":             func(int) []byte { return subscriber("/evil", "/t0") },
		"caller ids of their own":   func(i int) []byte { return subscriber(fmt.Sprintf("/evil%d", i), "/t0") },
		"a healthy one's caller id": func(int) []byte { return subscriber("/healthy", "/t0") },
		"caller ids, on all topics": func(i int) []byte {
			return subscriber(fmt.Sprintf("/evil%d", i), fmt.Sprintf("/t%d", i%10))
		},
		"clients without a request": func(i int) []byte {
			return tcprosHeader(tcpros.Header{"callerid": fmt.Sprintf("/evil%d", i), "service": "/s", "md5sum": "*"})
		},
		"clients that keep connected": func(int) []byte {
			return tcprosHeader(tcpros.Header{"callerid": "/evil", "service": "/s", "md5sum": "*", "persistent": "1"})
		},
		"clients that ask, and linger": func(i int) []byte {
			return append(tcprosHeader(tcpros.Header{"callerid": "/evil", "service": "/s", "md5sum": "*",
				"persistent": "1"}), make([]byte, 4)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			uri := newMaster(t).URI()
			n, other := newNode(t, uri, "/n"), newNode(t, uri, "/healthy")
			others := []*Node{other, newNode(t, uri, "/healthy1"), newNode(t, uri, "/healthy2"),
				newNode(t, uri, "/healthy3")}
			var pubs []*Publisher[msg.Int32]
			var healthy []<-chan int32
			for i := range 10 {
				topic := fmt.Sprintf("/t%d", i)
				pubs = append(pubs, must.Get(Advertise[msg.Int32](n, topic, "std_msgs/Int32",
					PubOptions{Queue: 1000}))(t))
				for _, o := range others {
					healthy = append(healthy, receivedNumbers(t, o, topic))
				}
			}
			serveEcho(t, n, "/s")
			for _, p := range pubs {
				must.Until(t, "the healthy subscribers", func() bool { return p.NumSubscribers() == len(others) })
			}
			sent := int32(0)
			publish := func() {
				sent++
				for _, p := range pubs {
					p.Publish(&msg.Int32{Data: sent})
				}
			}
			publish()
			attack(t, n.tcp.Addr().String(), say)
			for i, topic := range []string{"/t0", "/t9"} {
				late := receivedNumbers(t, newNode(t, uri, fmt.Sprintf("/late%d", i)), topic)
				must.Until(t, "a new subscriber's first message", func() bool {
					publish()
					time.Sleep(100 * time.Millisecond) // the subscribers need time
					return len(late) > 0
				})
				must.Do(t, callBallHandle(t, other, "/s"))
			}
			for i, got := range healthy {
				for want := int32(1); want <= sent; want++ {
					if v := recv(t, got); v != want {
						t.Fatalf("healthy subscriber %d: got %d, want %d", i, v, want)
					}
				}
			}
		})
	}
}

// TestUnsentIsLimited checks that the kernel buffers little for a peer that does not read, if there are many.
func TestUnsentIsLimited(t *testing.T) {
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/n")
	pub := must.Get(Advertise[msg.String](n, "/t", "std_msgs/String", PubOptions{}))(t)
	const conns = manyConns + 10
	var last *net.TCPConn
	for i := range conns {
		last = dialTopic(t, n, tcpros.Header{"callerid": fmt.Sprintf("/deaf%d", i), "topic": "/t", "type": "*",
			"md5sum": "*"})
	}
	must.Until(t, "all to be connected", func() bool { return pub.NumSubscribers() == conns })
	pub.mu.Lock()
	// A link is added after its peer was answered, so the order of links and connections may differ.
	l := pub.links[slices.IndexFunc(pub.links, func(l *tcpros.SubscriberLink) bool {
		return l.Conn.RemoteAddr().String() == last.LocalAddr().String()
	})]
	pub.mu.Unlock()
	for range 10 {
		pub.Publish(&msg.String{Data: strings.Repeat("x", 1<<20)})
	}
	// kept returns the number of bytes that the peer's machine has not acknowledged, sent or not. On a busy machine the
	// connection may be closed before this test ends, because its peer does not read.
	kept := func() (bytes int, closed bool) {
		raw := must.Get(l.Conn.SyscallConn())(t)
		err := raw.Control(func(fd uintptr) { bytes = must.Get(unix.IoctlGetInt(int(fd), unix.SIOCOUTQ))(t) })
		if !errors.Is(err, net.ErrClosed) {
			must.Do(t, err)
		}
		return bytes, err != nil
	}
	most := 0
	end := time.Now().Add(deadline)
	for looks := 0; looks < 20 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		got, closed := kept()
		if closed {
			break
		}
		if most = max(most, got); most > 0 {
			looks++
		}
	}
	if most == 0 || most > 4*tcpros.MaxUnsent {
		t.Errorf("the kernel kept %d bytes, want some, and at most %d", most, 4*tcpros.MaxUnsent)
	}
}

// TestStalledAreFew checks that few subscribers that do not read are kept, and that one that reads stays.
func TestStalledAreFew(t *testing.T) {
	uri := newMaster(t).URI()
	n := newNode(t, uri, "/n")
	pub := must.Get(Advertise[msg.String](n, "/t", "std_msgs/String", PubOptions{}))(t)
	stays := make(chan int, 1000)
	must.Get(Subscribe(newNode(t, uri, "/reads"), "/t", "std_msgs/String",
		func(m *msg.String) { stays <- len(m.Data) }))(t)
	for i := range maxStalled + 50 {
		dialTopic(t, n, tcpros.Header{"callerid": fmt.Sprintf("/deaf%d", i), "topic": "/t", "type": "*", "md5sum": "*"})
	}
	must.Until(t, "all to be connected", func() bool { return pub.NumSubscribers() == maxStalled+51 })
	m := &msg.String{Data: strings.Repeat("x", 256<<10)}
	must.Until(t, "the others to be closed", func() bool {
		pub.Publish(m)
		time.Sleep(20 * time.Millisecond)
		return pub.NumSubscribers() == maxStalled+1
	})
	for len(stays) > 0 {
		<-stays
	}
	pub.Publish(m)
	must.Equal(t, recv(t, stays), len(m.Data), "the one that reads")
}

// envAttack has the address to attack, in a process started for that.
const envAttack = "OMNIPITCH_TEST_ATTACK"

// TestAttacker is not a test but the process that TestFewFiles starts.
func TestAttacker(t *testing.T) {
	addr := os.Getenv(envAttack)
	if addr == "" {
		t.Skip("started by TestFewFiles")
	}
	for range 300 {
		c := must.Get(net.DialTimeout("tcp", addr, deadline))(t)
		defer c.Close()
	}
	fmt.Println("attacking")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestFewFiles checks that a process with few files reserves some for served connections, and accepts again after it
// had none.
func TestFewFiles(t *testing.T) {
	var files syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	limit := func(n uint64) {
		must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: files.Max}))
	}
	defer limit(files.Cur)
	few := uint64(opened(t)) + 200
	limit(few)
	m := newMaster(t)
	n, other := newNode(t, m.URI(), "/n"), newNode(t, m.URI(), "/other")
	serveEcho(t, n, "/s")
	call := func() error { return callBallHandle(t, other, "/s") }
	for _, addr := range []string{n.tcp.Addr().String(), strings.TrimSuffix(strings.TrimPrefix(n.uri, "http://"), "/"),
		strings.TrimSuffix(strings.TrimPrefix(m.URI(), "http://"), "/")} {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestAttacker$", "-test.v")
		cmd.Env = append(os.Environ(), envAttack+"="+addr)
		in := must.Get(cmd.StdinPipe())(t)
		out := must.Get(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())
		b := make([]byte, 1000)
		for text := ""; !strings.Contains(text, "attacking"); {
			k, err := out.Read(b)
			if text += string(b[:k]); err != nil {
				t.Fatalf("the attack ended: %v: %s", err, text)
			}
		}
		if err := call(); err != nil {
			t.Errorf("attacked at %s: %v", addr, err)
		}
		limit(uint64(opened(t))) // nothing more
		_ = call()               // fails unless connections of the attack are closed for it
		limit(few)
		must.Until(t, "a call to succeed again", func() bool { return call() == nil })
		in.Close()
		_ = cmd.Wait()
	}
}

// opened returns the number of open files of the process.
func opened(t *testing.T) int {
	t.Helper()
	list := must.Get(os.ReadDir("/proc/self/fd"))(t)
	return len(list)
}
