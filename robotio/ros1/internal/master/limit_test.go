package master

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// ask calls the master without a network, and returns the code and the text of its answer.
func ask(t testing.TB, m *Master, method string, args ...any) (int, string) {
	t.Helper()
	v := must.Get(m.handle(t.Context(), method, args))(t)
	return v.([]any)[0].(int), v.([]any)[1].(string)
}

// register registers a subscriber and returns the code and the text of the answer.
func register(t *testing.T, m *Master, node, topic, uri string) (int, string) {
	t.Helper()
	return ask(t, m, "registerSubscriber", node, topic, "std_msgs/Int32", uri)
}

// world is a fake network and clock: which processes answer, and the time.
type world struct {
	mu    sync.Mutex
	there map[string]bool // by address
	slow  bool            // missing processes do not refuse connections
	time  time.Time
}

// inWorld returns a master that uses a world instead of the network and the clock.
func inWorld(t *testing.T) (*Master, *world) {
	m, w := listen(t), &world{there: map[string]bool{}, time: time.Unix(1000, 0)}
	m.now = func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.time
	}
	m.reach = func(_ context.Context, addr string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.there[addr]:
			return nil
		case w.slow:
			return os.ErrDeadlineExceeded
		}
		return syscall.ECONNREFUSED
	}
	return m, w
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.time = w.time.Add(d)
}

// live registers a node that answers, and waits until the master has confirmed it.
func (w *world) live(t *testing.T, m *Master, node, topic, addr string) {
	t.Helper()
	w.mu.Lock()
	w.there[addr] = true
	w.mu.Unlock()
	if code, text := register(t, m, node, topic, "http://"+addr+"/"); code != 1 {
		t.Fatalf("%s: %d %q", node, code, text)
	}
	must.Until(t, "the master to reach "+node, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		p := m.reg.processes.byAddr[addr]
		return p != nil && p.confirmed
	})
}

// knows reports whether the master knows a node.
func knows(t *testing.T, m *Master, node string) bool {
	code, _ := ask(t, m, "lookupNode", "/t", node)
	return code == 1
}

// consistent returns an inconsistency of the registry, or nil.
func consistent(m *Master) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, names := &m.reg, len(m.reg.services)
	for _, t := range []table{r.pubs, r.subs, r.params} {
		for _, ps := range t {
			names += len(ps)
		}
	}
	var regs, nodes, confirmed, unconfirmed int
	for _, n := range r.nodes {
		regs += len(n.regs)
	}
	for _, p := range r.processes.byAddr {
		if nodes += len(p.nodes); p.confirmed {
			confirmed += p.registrations
		} else {
			unconfirmed += p.registrations
		}
	}
	if regs != names || nodes != len(r.nodes) || confirmed != r.processes.confirmed ||
		unconfirmed != r.processes.unconfirmed ||
		confirmed+unconfirmed != names || names > maxRegistrations || unconfirmed > maxUnconfirmed ||
		len(r.types) > maxRegistrations {
		return fmt.Errorf("%d names, %d of nodes, %d confirmed (%d), %d unconfirmed (%d); %d nodes, %d of processes; "+
			"%d types",
			names, regs, confirmed, r.processes.confirmed, unconfirmed, r.processes.unconfirmed, len(r.nodes), nodes,
			len(r.types))
	}
	return nil
}

// TestNobodysNames checks that as many registrations of missing processes as the master holds neither keep out nor
// displace real nodes, whether they use one node's name, many names, or that of a real node.
func TestNobodysNames(t *testing.T) {
	for name, flood := range map[string]func(i int) (node, topic, uri string){
		"one node": func(i int) (string, string, string) {
			return "/evil", fmt.Sprintf("/e%d", i), "http://127.0.0.1:1/"
		},
		"as many nodes and addresses": func(i int) (string, string, string) {
			return fmt.Sprintf("/evil%d", i), "/t", fmt.Sprintf("http://127.0.0.1:%d/", 1+i)
		},
		"at another's address": func(i int) (string, string, string) {
			return fmt.Sprintf("/evil%d", i), fmt.Sprintf("/e%d", i), fmt.Sprintf("http://localhost:50000/%d", i)
		},
	} {
		m, w := inWorld(t)
		w.live(t, m, "/early", "/t", "127.0.0.1:50000")
		for i := range maxRegistrations {
			node, topic, uri := flood(i)
			register(t, m, node, topic, uri)
			if i%1000 == 0 {
				if err := consistent(m); err != nil {
					t.Fatalf("%s: after %d: %v", name, i, err)
				}
			}
		}
		w.live(t, m, "/late", "/t", "127.0.0.1:50001")
		for i := range 1000 {
			if code, text := register(t, m, "/early", fmt.Sprintf("/t%d", i), "http://127.0.0.1:50000/"); code != 1 {
				t.Fatalf("%s: the early one's topic %d: %d %q", name, i, code, text)
			}
		}
		for i := range 2 * maxUnconfirmed {
			node, topic, uri := flood(maxRegistrations + i)
			register(t, m, node, topic, uri)
		}
		if !knows(t, m, "/early") || !knows(t, m, "/late") {
			t.Errorf("%s: pushed somebody out", name)
		}
		if err := consistent(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusalsOfNames checks the texts of refusals.
func TestRefusalsOfNames(t *testing.T) {
	m, w := inWorld(t)
	w.live(t, m, "/big", "/t", "10.0.0.1:1")
	w.live(t, m, "/big2", "/t", "10.0.0.2:1")
	for _, c := range []struct{ node, uri, want string }{
		{"/dead", "http://10.0.0.3:1/", "4096 names are registered at 10.0.0.3:1, where nobody answers: must be at " +
			"most 4096"},
		{"/guest", "http://10.0.0.1:1/", "256 names are registered at 10.0.0.1:1 besides those of /big, whose " +
			"address it is: must be at most 256"},
		{"/big", "http://10.0.0.1:1/", "16640 names are registered at 10.0.0.1:1: must be at most 16384"},
		{"/big2", "http://10.0.0.2:1/", "28672 names are registered: must be at most 28672"},
	} {
		code, text := 1, ""
		for n := 0; code == 1 && n <= maxRegistrations; n++ {
			code, text = register(t, m, c.node, fmt.Sprintf("/t%d", n), c.uri)
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %q, want %q", c.node, code, text, c.want)
		}
	}
	if code, text := ask(t, m, "getPid", "/other"); code != 1 {
		t.Errorf("another call: %d %q", code, text)
	}
	w.mu.Lock()
	w.there["10.0.0.4:1"] = true
	w.mu.Unlock()
	if code, text := register(t, m, "/late", "/t", "http://10.0.0.4:1/"); code != 1 || !knows(t, m, "/late") {
		t.Errorf("a new node: %d %q", code, text)
	}
	// The types of unused topics are forgotten.
	for i := range maxRegistrations {
		ask(t, m, "unregisterSubscriber", "/big", fmt.Sprintf("/t%d", i), "http://10.0.0.1:1/")
	}
	if code, text := register(t, m, "/big2", "/more", "http://10.0.0.2:1/"); code != 1 {
		t.Errorf("after one has left: %d %q", code, text)
	}
	must.Do(t, consistent(m))
}

// TestTheDeadGo checks that, when there are many registrations, a process is removed once its port is closed or its
// machine has not answered for long. Slow processes stay.
func TestTheDeadGo(t *testing.T) {
	for _, slow := range []bool{false, true} {
		m, w := inWorld(t)
		w.live(t, m, "/dies", "/t", "10.0.0.1:1")
		for i := range maxProcess - 1 {
			register(t, m, "/dies", fmt.Sprintf("/t%d", i), "http://10.0.0.1:1/")
		}
		review := func(pause time.Duration) {
			w.pass(pause)
			register(t, m, "/again", "/t", "http://10.0.0.9:1/")
			must.Until(t, "the master to have asked", func() bool {
				m.mu.Lock()
				defer m.mu.Unlock()
				for _, p := range m.reg.processes.byAddr {
					if p.dialing {
						return false
					}
				}
				return true
			})
		}
		review(2 * reviewTime)
		if !knows(t, m, "/dies") {
			t.Fatal("one that answers was dropped")
		}
		w.mu.Lock()
		w.there, w.slow = map[string]bool{}, slow
		w.mu.Unlock()
		review(2 * reviewTime)
		must.Equal(t, knows(t, m, "/dies"), slow, "slow")
		review(deadTime)
		if knows(t, m, "/dies") {
			t.Errorf("slow = %v: a process that had not answered for %v was kept", slow, deadTime)
		}
		must.Do(t, consistent(m))
	}
}

// TestFloodOverTheWire sends 32,768 registrations of missing processes from one client, and then registers a real node.
func TestFloodOverTheWire(t *testing.T) {
	m := listen(t)
	const each = 2048
	for begin := 0; begin < maxRegistrations; begin += each {
		var calls []any
		for i := begin; i < begin+each; i++ {
			calls = append(calls, map[string]any{"methodName": "registerPublisher",
				"params": []any{"/evil", fmt.Sprintf("/e%d", i), "std_msgs/Int32", "http://127.0.0.1:1/"}})
		}
		must.Get(xmlrpc.Call(t.Context(), m.URI(), "system.multicall", calls))(t)
	}
	live := newSlave(t)
	v, err := xmlrpc.Call(t.Context(), m.URI(), "registerSubscriber", "/live", "/t", "std_msgs/Int32", live.uri)
	if err != nil || v.([]any)[0] != 1 {
		t.Errorf("%v, %v", v, err)
	}
}

// TestParamsAreBounded checks that parameters are bounded, and that setting one again replaces its old value.
func TestParamsAreBounded(t *testing.T) {
	m := listen(t)
	big := strings.Repeat("x", maxParams/4)
	for i := range 20 {
		if code, text := ask(t, m, "setParam", "/n", "/same", big+fmt.Sprint(i)); code != 1 {
			t.Fatalf("the same parameter for the %d. time: %d %q", i+1, code, text)
		}
	}
	code, text := 1, ""
	n := 0
	for ; code == 1 && n < 10; n++ {
		code, text = ask(t, m, "setParam", "/n", fmt.Sprintf("/p%d", n), big)
	}
	if want := fmt.Sprintf("must be at most %d", maxParams); n != 3 || !strings.Contains(text, want) {
		t.Errorf("parameter %d: %d %q, want the third refused with %q", n, code, text, want)
	}
	if code, text := ask(t, m, "setParam", "/n", "/small", 1); code != 1 {
		t.Errorf("a small one: %d %q", code, text)
	}
	if code, _ := ask(t, m, "deleteParam", "/n", "/same"); code != 1 {
		t.Error("delete failed")
	}
	if code, text := ask(t, m, "setParam", "/n", "/other", big); code != 1 {
		t.Errorf("after one was removed: %d %q", code, text)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, ""},
		{Config{Addr: "127.0.0.1:0", Host: "robot1"}, ""},
		{Config{Addr: "0.0.0.0:11311", Host: "192.168.1.5"}, ""},
		{Config{Addr: "[::1]:0"}, ""},
		{Config{Addr: "0.0.0.0:11311"},
			`addr = "0.0.0.0:11311": listens at all addresses: host must name the one for peers`},
		{Config{Addr: ":11311"}, "listens at all addresses"},
		{Config{Addr: "127.0.0.1"}, `addr = "127.0.0.1": must be host:port`},
		{Config{Addr: "127.0.0.1:http"}, "must be host:port"},
		{Config{Addr: "127.0.0.1:70000", Host: "http://robot1"}, "in [0, 65535]\nros master: host = " +
			"\"http://robot1\": must be a name or an address"},
	} {
		err := c.cfg.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
	}
}

// TestAdvertisedHost checks that the address of a master and the host in its URI may differ.
func TestAdvertisedHost(t *testing.T) {
	m := must.Get(Listen(Config{Addr: "127.0.0.1:0", Host: "localhost"}))(t)
	defer m.Close()
	v, err := xmlrpc.Call(t.Context(), m.URI(), "getUri", "/t")
	if err != nil || v.([]any)[2] != m.URI() || !strings.HasPrefix(m.URI(), "http://localhost:") {
		t.Errorf("getUri = %v, %v; URI = %s", v, err, m.URI())
	}
}
