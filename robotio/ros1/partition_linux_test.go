package ros1

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// recoveryTime is the longest acceptable time until everything works again.
const recoveryTime = 5 * time.Second

// TestNetworkPartition pulls the cable between our node and three peers (ours, rospy, roscpp), for longer and for
// shorter than the time of detection. Everything must recover: topics and services in both directions, and the master.
func TestNetworkPartition(t *testing.T) {
	needROS(t)
	t.Parallel()
	cores := []string{"embedded", "roscore", "far roscore"}
	var parts []*peer // concurrently, because they mostly wait
	for _, core := range cores {
		near, far := namespaces(t, core[:1])
		parts = append(parts, startEnv(t, "", []string{envFar + "=" + far, envCore + "=" + core},
			"/usr/sbin/ip", "netns", "exec", near, os.Args[0], "-test.run", "^TestNearPeer$", "-test.v"))
	}
	for i, p := range parts {
		out, err := p.endWithin(3 * deadline) // the part has its own deadlines
		if err != nil || !strings.Contains(out, "--- PASS: TestNearPeer") {
			t.Errorf("%s: %v", cores[i], err)
		}
		for _, l := range strings.Split(out, "\n") {
			if _, text, ok := strings.Cut(l, "recovery: "); ok {
				t.Logf("%s: %s", cores[i], text)
			}
		}
	}
}

const rospyFar = `
import rospy
from std_msgs.msg import Int32
from roscpp.srv import SetLoggerLevel, SetLoggerLevelResponse
rospy.init_node('rospy')
out = rospy.Publisher('/rospy', Int32, queue_size=10)
rospy.Subscriber('/out', Int32, out.publish)
rospy.Service('/far_rospy', SetLoggerLevel, lambda r: SetLoggerLevelResponse())
rospy.spin()
`

// TestNearPeer is the part of TestNetworkPartition in the near namespace.
func TestNearPeer(t *testing.T) {
	far := os.Getenv(envFar)
	if far == "" {
		t.Skip("a part of TestNetworkPartition")
	}
	inFar := func(args ...string) []string { return append([]string{"/usr/sbin/ip", "netns", "exec", far}, args...) }
	uri := "http://" + nearIP + ":11311/"
	switch os.Getenv(envCore) {
	case "embedded":
		m := must.Get(ListenMaster(MasterConfig{Addr: nearIP + ":11311"}))(t)
		defer m.Close()
	case "roscore":
		startEnv(t, uri, []string{"ROS_IP=" + nearIP}, "/usr/bin/rosmaster", "--core", "-p", "11311")
	case "far roscore":
		uri = "http://" + farIP + ":11311/"
		startEnv(t, uri, []string{"ROS_IP=" + farIP}, inFar("/usr/bin/rosmaster", "--core", "-p", "11311")...)
	}
	must.Until(t, "the master", func() bool {
		_, err := graph.Call(t.Context(), uri, "getPid", "/test")
		return err == nil
	})
	n := must.Get(NewNode(NodeConfig{Name: "/near", MasterURI: uri, Host: nearIP, Types: peerTypes(t),
		Log: testLog(t)}))(t)
	defer n.Close()

	var mu sync.Mutex
	last := map[string]int32{} // newest count that came back on each path
	back := func(path string, count int32) {
		mu.Lock()
		defer mu.Unlock()
		last[path] = max(last[path], count)
	}
	var now int32
	count := func(step int32) int32 {
		mu.Lock()
		defer mu.Unlock()
		now += step
		return now
	}
	out := must.Get(Advertise[msg.Int32](n, "/out", "std_msgs/Int32", PubOptions{}))(t)
	repeat(t, func() { out.Publish(&msg.Int32{Data: count(1)}) })
	for _, path := range []string{"/ours", "/rospy", "/roscpp", "/called"} {
		must.Get(Subscribe(n, path, "std_msgs/Int32", func(m *msg.Int32) { back(path, m.Data) }))(t)
	}
	must.Get(Serve(n, "/near", "nubot_common/BallHandle",
		func(context.Context, *msg.BallHandleRequest) (*msg.BallHandleResponse, error) {
			return &msg.BallHandleResponse{BallIsHolding: int64(count(0))}, nil
		}))(t)
	keepCalling(t, func(ctx context.Context) {
		c := must.Get(NewClient[msg.BallHandleRequest, msg.BallHandleResponse](n, "/far_ours",
			"nubot_common/BallHandle"))(t)
		repeatCall(ctx, func(ctx context.Context) {
			asked := count(0)
			if _, err := c.Call(ctx, &msg.BallHandleRequest{}); err == nil {
				back("/far_ours", asked)
			}
		})
	})
	keepCalling(t, func(ctx context.Context) {
		c := must.Get(NewClient[setLevelRequest, setLevelResponse](n, "/far_rospy", "roscpp/SetLoggerLevel"))(t)
		repeatCall(ctx, func(ctx context.Context) {
			asked := count(0)
			if _, err := c.Call(ctx, &setLevelRequest{}); err == nil {
				back("/far_rospy", asked)
			}
		})
	})

	at := []string{"ROS_IP=" + farIP}
	startEnv(t, uri, append([]string{envURI + "=" + uri}, at...), inFar(os.Args[0], "-test.run", "^TestFarPeer$")...)
	startEnv(t, uri, at, inFar(debianPython, "-c", rospyFar)...)
	startEnv(t, uri, at, inFar("/usr/lib/topic_tools/relay", "/out", "/roscpp")...)
	paths := []string{"/ours", "/rospy", "/roscpp", "/called", "/far_ours", "/far_rospy"}
	// all waits until every path has returned messages sent from now on, and returns the time that each took.
	all := func() map[string]time.Duration {
		start, from := time.Now(), count(0)
		took := map[string]time.Duration{}
		defer func() {
			if len(took) < len(paths) {
				t.Logf("of %v only %v came back", paths, took)
			}
		}()
		must.Until(t, "all paths", func() bool {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range paths {
				if _, done := took[p]; !done && last[p] > from {
					took[p] = time.Since(start)
				}
			}
			return len(took) == len(paths)
		})
		return took
	}
	all()
	for _, cut := range []struct {
		end  string // the end of the cable that is pulled
		wait time.Duration
	}{{"near", 1500 * time.Millisecond}, {"far", 8 * time.Second}, {"near", 5 * time.Second}} {
		end := far
		if cut.end == "near" {
			end = strings.TrimSuffix(far, "f") + "n"
		}
		setCable(t, end, "down")
		time.Sleep(cut.wait) // the length of the cut is what is tested
		if cut.wait > recoveryTime && out.NumSubscribers() > 0 {
			t.Errorf("after %v without a network %d subscribers count as connected", cut.wait, out.NumSubscribers())
		}
		setCable(t, end, "up")
		took := all()
		text := ""
		for _, p := range paths {
			text += fmt.Sprintf(" %s %.2f s", p, took[p].Seconds())
			if took[p] > recoveryTime {
				t.Errorf("%s end cut for %v: %s came back after %v: must be within %v", cut.end, cut.wait, p, took[p],
					recoveryTime)
			}
		}
		t.Logf("recovery: %s end cut for %v:%s", cut.end, cut.wait, text)
		must.Until(t, "three subscribers", func() bool { return out.NumSubscribers() == 3 })
	}
}

// keepCalling runs f in a goroutine until the test ends.
func keepCalling(t testing.TB, f func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// repeatCall calls f repeatedly until ctx ends. Each call has a second.
func repeatCall(ctx context.Context, f func(context.Context)) {
	for ctx.Err() == nil {
		one, cancel := context.WithTimeout(ctx, time.Second)
		f(one)
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestFarPeer is our peer at the other end of the cable. It is killed at the end of the test.
func TestFarPeer(t *testing.T) {
	uri := os.Getenv(envURI)
	if uri == "" {
		t.Skip("a part of TestNetworkPartition")
	}
	n := must.Get(NewNode(NodeConfig{Name: "/far", MasterURI: uri, Host: farIP}))(t)
	echo := must.Get(Advertise[msg.Int32](n, "/ours", "std_msgs/Int32", PubOptions{}))(t)
	must.Get(Subscribe(n, "/out", "std_msgs/Int32", echo.Publish))(t)
	serveEcho(t, n, "/far_ours")
	called := must.Get(Advertise[msg.Int32](n, "/called", "std_msgs/Int32", PubOptions{}))(t)
	c := must.Get(NewClient[msg.BallHandleRequest, msg.BallHandleResponse](n, "/near", "nubot_common/BallHandle"))(t)
	repeatCall(t.Context(), func(ctx context.Context) {
		if r, err := c.Call(ctx, &msg.BallHandleRequest{}); err == nil {
			called.Publish(&msg.Int32{Data: int32(r.BallIsHolding)})
		}
	})
}

// The two ends of a cable between two network namespaces, and their addresses.
const (
	nearIP = "10.99.0.1"
	farIP  = "10.99.0.2"
)

// With these variables a test tells its own program, started again, which part to play.
const (
	envFar  = "OMNIPITCH_TEST_FAR"  // the other namespace
	envCore = "OMNIPITCH_TEST_CORE" // where and what the master is
	envURI  = "OMNIPITCH_TEST_URI"  // the master that a far peer joins
)

// namespaces creates two network namespaces connected by a cable, or skips the test.
func namespaces(t testing.TB, tag string) (near, far string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	near, far = fmt.Sprintf("op%d%sn", os.Getpid(), tag), fmt.Sprintf("op%d%sf", os.Getpid(), tag)
	for i, line := range []string{
		"netns add " + near, "netns add " + far,
		"-n " + near + " link add cable type veth peer name cable netns " + far,
		"-n " + near + " addr add " + nearIP + "/24 dev cable", "-n " + far + " addr add " + farIP + "/24 dev cable",
		"-n " + near + " link set lo up", "-n " + far + " link set lo up",
		"-n " + near + " link set cable up", "-n " + far + " link set cable up",
	} {
		out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput()
		if err != nil && i < 3 {
			t.Skipf("no network namespaces here: ip %s: %v: %s", line, err, out)
		}
		if err != nil {
			t.Fatalf("ip %s: %v: %s", line, err, out)
		}
		if i < 2 {
			name := []string{near, far}[i]
			t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
		}
	}
	return near, far
}

// setCable plugs in or pulls one end of the cable.
func setCable(t testing.TB, namespace, state string) {
	t.Helper()
	if out, err := exec.Command("ip", "-n", namespace, "link", "set", "cable", state).CombinedOutput(); err != nil {
		t.Fatalf("ip link set %s: %v: %s", state, err, out)
	}
}
