package master

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/xmlrpc"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

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

// whole converts the whole numbers in a JSON value to int, as XML-RPC has them.
func whole(v any) any {
	switch x := v.(type) {
	case float64:
		if x == float64(int(x)) {
			return int(x)
		}
	case []any:
		for i := range x {
			x[i] = whole(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = whole(x[k])
		}
	}
	return v
}

// TestAgainstRosmaster uses ROS's own master as the oracle: the same calls get the same codes, values and callbacks.
// Texts may differ.
func TestAgainstRosmaster(t *testing.T) {
	steps := string(must.Get(os.ReadFile("testdata/calls.txt"))(t))
	run := func(uri string) (log []string) {
		ab, cd := newSlave(t), newSlave(t)
		names := strings.NewReplacer(ab.uri, "AB", cd.uri, "CD")
		for step := range strings.Lines(steps) {
			step = strings.TrimSpace(step)
			if step == "" || step[0] == '#' {
				continue
			}
			words := strings.SplitN(strings.NewReplacer("AB", ab.uri, "CD", cd.uri).Replace(step), " ", 3)
			callbacks := must.Get(strconv.Atoi(words[0]))(t)
			var args []any
			must.Do(t, json.Unmarshal([]byte(words[2]), &args))
			v, err := xmlrpc.Call(t.Context(), uri, words[1], whole(args).([]any)...)
			if err != nil {
				t.Fatalf("%s: %s: %v", uri, step, err)
			}
			answer := v.([]any)
			sortLists(answer[2])
			var calls []string
			if callbacks > 0 {
				must.Until(t, "callbacks of "+step, func() bool {
					calls = append(calls, append(ab.take(), cd.take()...)...)
					return len(calls) >= callbacks
				})
			}
			slices.Sort(calls)
			log = append(log, fmt.Sprintf("%s = %v %v, %s", step, answer[0], names.Replace(fmt.Sprint(answer[2])),
				names.Replace(fmt.Sprint(calls))))
		}
		return log
	}
	want, got := run(rosmaster(t)), run(listen(t).URI())
	must.Equal(t, got, want, "calls, as rosmaster answers them")
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
