package master

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestDeadNode checks that a node that accepts and never answers delays no others, and that its queue stays short.
func TestDeadNode(t *testing.T) {
	m := listen(t)
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, but nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dead := "http://" + l.Addr().String() + "/"
	live := newSlave(t)
	call := func(method string, args ...any) {
		t.Helper()
		must.Get(xmlrpc.Call(t.Context(), m.URI(), method, args...))(t)
	}
	call("registerSubscriber", "/dead", "/t", "*", dead)
	call("registerSubscriber", "/live", "/t", "*", live.uri)
	const publishers = 50
	for i := range publishers {
		call("registerPublisher", fmt.Sprintf("/p%d", i), "/t", "std_msgs/Int32", fmt.Sprintf("http://127.0.0.1:%d/",
			i+1))
	}
	full := fmt.Sprintf(":%d/]]", publishers)
	must.Until(t, "the last update", func() bool {
		return slices.ContainsFunc(live.take(), func(s string) bool { return strings.HasSuffix(s, full) })
	})
	m.calls.mu.Lock()
	defer m.calls.mu.Unlock()
	if n := len(m.calls.queues[l.Addr().String()]); n > 1 {
		t.Errorf("%d updates wait for the dead node: newer ones must replace older ones", n)
	}
}

func TestParams(t *testing.T) {
	var p params
	for _, c := range []struct {
		key string
		v   any
	}{{"/a", 1}, {"/a/b", 2}, {"/c", map[string]any{"d": map[string]any{}, "e": 3}}, {"//c//f/", 4}} {
		if !p.set(c.key, c.v) {
			t.Errorf("set(%s) = false", c.key)
		}
	}
	want := map[string]any{"a": map[string]any{"b": 2}, "c": map[string]any{"d": map[string]any{}, "e": 3, "f": 4}}
	got, _ := p.get("/")
	must.Equal(t, got, any(want), "result")
	must.Equal(t, p.names(), []any{"/a/b", "/c/e", "/c/f"}, "names")
	if p.set("/", 1) || p.remove("/") || p.remove("/c/x") || p.remove("/a/b/c") {
		t.Error("an unrelated entry changed")
	}
	copied := xmlrpc.Clone(got).(map[string]any)
	p.set("/c/e", 5)
	must.Equal(t, copied["c"].(map[string]any)["e"], 3, "clone shares memory")
}

// TestRunID checks the run_id, by which roslaunch joins a master.
func TestRunID(t *testing.T) {
	m := listen(t)
	v := must.Get(xmlrpc.Call(t.Context(), m.URI(), "getParam", "/roslaunch", "/run_id"))(t)
	if id, _ := v.([]any)[2].(string); len(id) != 36 {
		t.Errorf("run_id = %v", v)
	}
}

func TestRunIDsDiffer(t *testing.T) {
	if a, b := runID(), runID(); a == b {
		t.Errorf("both are %s", a)
	}
}
