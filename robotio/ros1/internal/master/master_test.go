package master

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/testdata/allocs"
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
	must.Equal(t, got, any(want), "all parameters")
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

// FuzzCalls sends a master sequences of calls, one per line: method, caller and arguments, separated by tabs. It checks
// that every answer is [code, text, value] with a valid code, that the registry stays consistent, and that the limits
// hold. The nodes' addresses have no listeners.
func FuzzCalls(f *testing.F) {
	f.Add("registerPublisher\t/a\t/t\tstd_msgs/Int32\tURI\nregisterSubscriber\t/b\tt\t*\tURI\ngetSystemState\t/a\n" +
		"unregisterPublisher\t/a\t/t\tURI")
	f.Add("setParam\t/a\t/x/y\tMAP\nsetParam\t/a\t/x\t7\ngetParam\t/a\t/\nsubscribeParam\t/a\tURI\t/x/\n" +
		"deleteParam\t/a\t/x\nsearchParam\t/a/b\ty")
	f.Add("registerService\t/a\ts\tROSRPC\tURI\nlookupService\t/b\t/s\nlookupNode\t/b\t/a\n" +
		"getPublishedTopics\t/a\t/\nshutdown\t/a\tx")
	f.Fuzz(func(t *testing.T, script string) {
		m := newMaster("http://127.0.0.1:1/", slog.New(slog.DiscardHandler))
		m.cancel()
		m.calls.close() // no callbacks
		for line := range strings.Lines(script) {
			words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			method, args := words[0], []any{}
			for _, w := range words[1:] {
				args = append(args, argument(w))
			}
			var answer any
			var err error
			allocs.AtMost(t, allocs.ParseLimit, func() { answer, err = m.handle(t.Context(), method, args) })
			if _, known := api[method]; !known {
				if err == nil {
					t.Fatalf("%s: answered", method)
				}
				continue
			}
			list, _ := answer.([]any)
			if err != nil || len(list) != 3 {
				t.Fatalf("%q: %v, %v", line, answer, err)
			}
			code, ok := list[0].(int)
			if _, text := list[1].(string); !ok || !text || code < -1 || code > 1 {
				t.Fatalf("%q: %v", line, answer)
			}
			if method == "setParam" && code == 1 {
				key, _ := args[1].(string)
				if has, err := m.handle(t.Context(), "hasParam", []any{args[0], key}); err != nil ||
					has.([]any)[2] != true {
					t.Fatalf("%q is not there: %v", line, has)
				}
			}
		}
		must.Do(t, consistent(m))
	})
}

// argument returns the value of a word of a script.
func argument(w string) any {
	switch w {
	case "URI":
		return "http://127.0.0.1:1/"
	case "ROSRPC":
		return "rosrpc://127.0.0.1:1"
	case "MAP":
		return map[string]any{"a": map[string]any{"b": 1}, "": 2, "c/d": []any{true, nil}}
	case "7":
		return 7
	case "LIST":
		return slices.Collect(maps.Keys(map[any]any{1.5: 0}))
	}
	return w
}
