package master

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const deadline = 30 * time.Second

func listen(t testing.TB) *Master {
	t.Helper()
	m := must.Get(Listen(Config{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { m.Close() })
	return m
}

// rosmaster starts ROS's own master and returns its URI.
func rosmaster(t testing.TB) string {
	t.Helper()
	if exec.Command("/usr/bin/python3", "-c", "import rosmaster").Run() != nil {
		t.Skip("no rosmaster: apt-get install ros-base")
	}
	port := rostest.FreePort(t)
	home := t.TempDir()
	cmd := exec.Command("/usr/bin/rosmaster", "--core", "-p", port)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "ROS_IP=127.0.0.1", "ROS_MASTER_URI=http://127.0.0.1:" + port,
		"ROS_HOME=" + home, "ROS_LOG_DIR=" + home, "HOME=" + home}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	uri := "http://127.0.0.1:" + port + "/"
	must.Until(t, "rosmaster", func() bool {
		_, err := xmlrpc.Call(t.Context(), uri, "getPid", "/t")
		return err == nil
	})
	return uri
}

// slave is a fake node that records the callbacks it gets.
type slave struct {
	uri string
	mu  sync.Mutex
	got []string
}

func newSlave(t testing.TB) *slave {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &slave{uri: "http://" + l.Addr().String() + "/"}
	server := xmlrpc.Serve(l, access.Rule{}.Guard("test", nil), func(_ context.Context, method string, args []any) (any,
		error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, fmt.Sprint(method, args))
		return []any{1, "", 0}, nil
	})
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *slave) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	slices.Sort(got)
	return got
}

// step is one call, and the number of callbacks that rosmaster makes for it.
type step struct {
	callbacks int
	method    string
	args      []any
}

// TestAgainstRosmaster uses ROS's own master as the oracle: the same calls get the same codes, values and callbacks.
// Texts may differ. AB is the first fake node's URI, CD the second's.
func TestAgainstRosmaster(t *testing.T) {
	steps := []step{
		{0, "getParam", []any{"/n", "/none"}},
		{0, "setParam", []any{"/ns/n", "~p", 1}},
		{0, "setParam", []any{"/ns/n", "rel/x", "text"}},
		{0, "setParam", []any{"/n", "/tree", map[string]any{"a": 1, "b": map[string]any{"c": []any{true, 2.5}}}}},
		{0, "getParam", []any{"/n", "/tree/b/c"}},
		{0, "getParam", []any{"/n", "/tree/b/"}},
		{0, "getParam", []any{"/n", "/tree/b/c/d"}},
		{0, "getParam", []any{"/ns/n", "~"}},
		{0, "hasParam", []any{"/n", "/ns/rel"}},
		{0, "hasParam", []any{"/n", "/ns/rel/y"}},
		{0, "searchParam", []any{"/ns/a/b", "rel/x"}},
		{0, "searchParam", []any{"/ns/a/b", "rel/new"}},
		{0, "searchParam", []any{"/ns/a/b", "none"}},
		{0, "searchParam", []any{"/ns/a/b", "/tree/a"}},
		{0, "setParam", []any{"/n", "/tree/a/deeper", 5}},
		{0, "getParam", []any{"/n", "/tree"}},
		{0, "deleteParam", []any{"/n", "/tree/b"}},
		{0, "deleteParam", []any{"/n", "/tree/b"}},
		{0, "deleteParam", []any{"/n", "/"}},
		{0, "setParam", []any{"/n", "/", 1}},
		{0, "getParam", []any{"/n", ""}},
		{0, "setParam", []any{"/n", "/x"}},

		{0, "subscribeParam", []any{"/s1", "AB", "/p/a"}},
		{0, "subscribeParam", []any{"/s2", "CD", "/p"}},
		{2, "setParam", []any{"/n", "/p/a", 7}},
		{1, "setParam", []any{"/s2", "/p/a", 8}},
		{1, "setParam", []any{"/n", "/p/b", "x"}},
		{2, "setParam", []any{"/n", "/p", map[string]any{"a": 9}}},
		{2, "deleteParam", []any{"/n", "/p/a"}},
		{2, "setParam", []any{"/n", "/p", map[string]any{"b": 9}}},
		{0, "subscribeParam", []any{"/s1", "AB", "/p/b"}},
		{0, "unsubscribeParam", []any{"/s2", "CD", "/p"}},
		{0, "unsubscribeParam", []any{"/s2", "CD", "/p"}},

		{0, "registerSubscriber", []any{"/s1", "/t", "*", "AB"}},
		{0, "getTopicTypes", []any{"/n"}},
		{1, "registerPublisher", []any{"/p1", "/t", "std_msgs/Int32", "http://127.0.0.1:1/"}},
		{1, "registerPublisher", []any{"/p2", "/t", "*", "http://127.0.0.1:2/"}},
		{0, "registerSubscriber", []any{"/s2", "/t", "std_msgs/String", "CD"}},
		{0, "registerSubscriber", []any{"/ns/s2", "u", "std_msgs/String", "CD"}},
		{0, "registerPublisher", []any{"/p2", "/ns/v", "std_msgs/Bool", "http://127.0.0.1:2/"}},
		{0, "getTopicTypes", []any{"/n"}},
		{0, "getPublishedTopics", []any{"/n", ""}},
		{0, "getPublishedTopics", []any{"/n", "/"}},
		{0, "getPublishedTopics", []any{"/n", "/ns"}},
		{0, "getSystemState", []any{"/n"}},
		{0, "lookupNode", []any{"/n", "/p1"}},
		{0, "lookupNode", []any{"/n", "/none"}},
		{2, "unregisterPublisher", []any{"/p1", "/t", "http://127.0.0.1:1/"}},
		{0, "unregisterPublisher", []any{"/p1", "/t", "http://127.0.0.1:1/"}},
		{0, "unregisterPublisher", []any{"/p2", "/t", "http://127.0.0.1:9/"}},
		{0, "lookupNode", []any{"/n", "/p1"}},
		{0, "unregisterSubscriber", []any{"/s2", "/t", "CD"}},
		{0, "unregisterSubscriber", []any{"/s2", "/t", "CD"}},
		{0, "getSystemState", []any{"/n"}},

		{0, "registerService", []any{"/p2", "/srv", "rosrpc://127.0.0.1:3", "http://127.0.0.1:2/"}},
		{0, "lookupService", []any{"/n", "/srv"}},
		{0, "registerService", []any{"/p3", "/srv", "rosrpc://127.0.0.1:4", "http://127.0.0.1:5/"}},
		{0, "lookupService", []any{"/n", "/srv"}},
		{0, "unregisterService", []any{"/p2", "/srv", "rosrpc://127.0.0.1:3"}},
		{0, "unregisterService", []any{"/p3", "/srv", "rosrpc://127.0.0.1:4"}},
		{0, "lookupService", []any{"/n", "/srv"}},
		{0, "getSystemState", []any{"/n"}},
		// CD takes the name /s1, and AB is told to shut down
		{1, "registerPublisher", []any{"/s1", "/w", "std_msgs/Bool", "CD"}},
		{0, "getSystemState", []any{"/n"}},

		{0, "registerPublisher", []any{"/p", "/a b", "std_msgs/Int32", "http://127.0.0.1:1/"}},
		{0, "registerPublisher", []any{"/p", "/a", "Int32", "http://127.0.0.1:1/"}},
		{0, "registerPublisher", []any{"/p", "/a", "std_msgs/Int32", "nowhere"}},
		{0, "registerPublisher", []any{"/p", "/a", "std_msgs/Int32"}},
		{0, "lookupNode", []any{3, "/p"}},
	}
	run := func(uri string) (log []string) {
		ab, cd := newSlave(t), newSlave(t)
		names := strings.NewReplacer(ab.uri, "AB", cd.uri, "CD")
		for i, s := range steps {
			args := slices.Clone(s.args)
			for j, a := range args {
				switch a {
				case "AB":
					args[j] = ab.uri
				case "CD":
					args[j] = cd.uri
				}
			}
			v, err := xmlrpc.Call(t.Context(), uri, s.method, args...)
			if err != nil {
				t.Fatalf("%s %s: %v", uri, s.method, err)
			}
			answer := v.([]any)
			sortLists(answer[2])
			var calls []string
			if s.callbacks > 0 {
				must.Until(t, fmt.Sprintf("callbacks of step %d, %s%v", i, s.method, s.args), func() bool {
					calls = append(calls, append(ab.take(), cd.take()...)...)
					return len(calls) >= s.callbacks
				})
			}
			slices.Sort(calls)
			log = append(log, fmt.Sprintf("%d %s%v = %v %v, %s", i, s.method, s.args, answer[0],
				names.Replace(fmt.Sprint(answer[2])), names.Replace(fmt.Sprint(calls))))
		}
		return log
	}
	want, got := run(rosmaster(t)), run(listen(t).URI())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-rosmaster +ours):\n%s", diff)
	}
}

// sortLists sorts lists of [name, …], because rosmaster returns them in any order.
func sortLists(v any) {
	list, ok := v.([]any)
	if !ok {
		return
	}
	for _, e := range list {
		sortLists(e)
	}
	if len(list) > 0 {
		if _, isList := list[0].([]any); !isList {
			return
		}
		if inner := list[0].([]any); len(inner) == 0 {
			return
		} else if _, named := inner[0].(string); !named {
			return
		}
	}
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}
