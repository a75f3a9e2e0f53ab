package ros1

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const debianPython = "/usr/bin/python3"

// needROS skips a test on machines without Debian's ROS 1.
func needROS(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	hasROS.Do(func() { errROS = exec.Command(debianPython, "-c", "import rospy, rostopic").Run() })
	if errROS != nil {
		t.Skip("no rospy: apt-get install ros-base python3-rospy")
	}
}

var (
	hasROS sync.Once
	errROS error
)

// peer is a running program that is not ours, with a process group for everything that it starts.
type peer struct {
	t    testing.TB
	cmd  *exec.Cmd
	home string        // ROS_HOME of the program, for its logs
	done chan struct{} // closed when the program and its output have ended
	err  error

	mu    sync.Mutex
	lines []string // lines of stdout and stderr
}

// start runs a program as a ROS peer of the master at uri. It is killed when the test ends.
func start(t testing.TB, uri string, args ...string) *peer {
	t.Helper()
	return startEnv(t, uri, []string{"ROS_IP=127.0.0.1"}, args...)
}

// startEnv is start with an environment that sets the peer's address.
func startEnv(t testing.TB, uri string, env []string, args ...string) *peer {
	t.Helper()
	home := t.TempDir()
	p := &peer{t: t, home: home, cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.WaitDelay = 5 * time.Second
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "ROS_") && !strings.HasPrefix(e, "PYTHON") {
			p.cmd.Env = append(p.cmd.Env, e)
		}
	}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Env = append(p.cmd.Env, "ROS_MASTER_URI="+uri, "ROS_HOME="+home, "ROS_LOG_DIR="+home,
		"PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore", "PATH=/usr/bin:/bin")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer r.Close()
		for s := bufio.NewScanner(r); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
	}()
	go func() {
		p.err = p.cmd.Wait()
		p.signal(syscall.SIGKILL) // child processes would keep the pipe open
		<-read
		close(p.done)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if t.Failed() {
			t.Logf("output of %q:\n%s", args, p.output())
		}
	})
	return p
}

// signal sends a signal to the program's process group.
func (p *peer) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

func (p *peer) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// count returns the number of output lines that contain the text.
func (p *peer) count(text string) int {
	n := 0
	for _, l := range strings.Split(p.output(), "\n") {
		if strings.Contains(l, text) {
			n++
		}
	}
	return n
}

// says waits until the output contains the text.
func (p *peer) says(text string) {
	p.t.Helper()
	must.Until(p.t, p.cmd.Path+" to say "+text, func() bool {
		select {
		case <-p.done:
			if !strings.Contains(p.output(), text) {
				p.t.Fatalf("%s ended with %v without saying %q", p.cmd.Path, p.err, text)
			}
		default:
		}
		return strings.Contains(p.output(), text)
	})
}

// end waits until the program ends, and returns its output.
func (p *peer) end() (string, error) {
	p.t.Helper()
	return p.endWithin(deadline)
}

func (p *peer) endWithin(limit time.Duration) (string, error) {
	p.t.Helper()
	select {
	case <-p.done:
		return p.output(), p.err
	case <-time.After(limit):
		return p.output(), errors.New("still running after " + limit.String())
	}
}

// run runs a program, which must succeed.
func run(t testing.TB, uri string, args ...string) string {
	t.Helper()
	out, err := start(t, uri, args...).end()
	if err != nil {
		t.Errorf("%q: %v\n%s", args, err, out)
	}
	return out
}

// python runs a rospy script.
func python(t testing.TB, uri, script string, args ...string) *peer {
	t.Helper()
	return start(t, uri, append([]string{debianPython, "-c", printLine + script}, args...)...)
}

// printLine makes print write a whole line at once. Python's own print writes word by word, and callbacks print from
// many threads.
const printLine = `
import os
def print(*words): os.write(1, (' '.join(map(str, words)) + '\n').encode())
`

// roscore starts ROS's own master at a port, and waits for it.
func roscore(t testing.TB, port string) (uri string, p *peer) {
	t.Helper()
	uri = "http://127.0.0.1:" + port + "/"
	p = start(t, uri, "/usr/bin/rosmaster", "--core", "-p", port)
	must.Until(t, "rosmaster", func() bool {
		_, err := graph.Call(t.Context(), uri, "getPid", "/test")
		return err == nil
	})
	return uri, p
}

// embedded returns the URI of an embedded master, for tests with ROS programs that depend little on the master.
func embedded(t *testing.T) (uri string) {
	t.Helper()
	needROS(t)
	t.Parallel() // tests mostly wait
	return newMaster(t).URI()
}

// withMasters runs a test with the embedded master and with ROS's own.
func withMasters(t *testing.T, f func(t *testing.T, uri string)) {
	needROS(t)
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel() // tests mostly wait
		f(t, newMaster(t).URI())
	})
	t.Run("roscore", func(t *testing.T) {
		t.Parallel()
		uri, _ := roscore(t, rostest.FreePort(t))
		f(t, uri)
	})
}

// wantAll reports texts that are missing in out.
func wantAll(t testing.TB, what, out string, texts ...string) {
	t.Helper()
	for _, w := range texts {
		if !strings.Contains(out, w) {
			t.Errorf("%s: output lacks %q:\n%s", what, w, bytes.TrimSpace([]byte(out)))
		}
	}
}

// roscppPeer compiles testdata/peer.cpp, once for all tests, and returns the path of the program.
func roscppPeer(t testing.TB) string {
	t.Helper()
	needROS(t)
	compilePeer.Do(func() {
		if exec.Command("pkg-config", "--exists", "roscpp").Run() != nil {
			return
		}
		if peerDir, errPeer = os.MkdirTemp("", "omnipitch-peer"); errPeer == nil {
			errPeer = compile("testdata/peer.cpp", filepath.Join(peerDir, "peer"))
		}
	})
	if errPeer != nil {
		t.Fatal(errPeer)
	}
	if peerDir == "" {
		t.Skip("no roscpp: apt-get install libroscpp-dev g++")
	}
	return filepath.Join(peerDir, "peer")
}

var (
	compilePeer sync.Once
	peerDir     string
	errPeer     error
)

// TestMain runs more tests at a time than there are processors, unless -parallel is set, because they wait for
// programs.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(3 * runtime.GOMAXPROCS(0)))
	}
	code := m.Run()
	if peerDir != "" {
		os.RemoveAll(peerDir)
	}
	os.Exit(code)
}

// compile compiles a roscpp program without optimisation, to save time.
func compile(source, program string, flags ...string) error {
	ros, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return err
	}
	args := append([]string{"-w", "-O0", "-pipe", "-o", program, source}, flags...)
	out, err := exec.Command("g++", append(args, strings.Fields(string(ros))...)...).CombinedOutput()
	if err != nil {
		return &compileError{source, string(out), err}
	}
	return nil
}

type compileError struct {
	source, output string
	err            error
}

func (e *compileError) Error() string { return e.source + ": " + e.err.Error() + "\n" + e.output }

// TestPeersByName checks that rospy and roscpp may use the machine's names for the master and our node: localhost, the
// host's own name, and the address of another interface if there is one.
func TestPeersByName(t *testing.T) {
	needROS(t)
	throttle := needProgram(t, "/usr/lib/topic_tools/throttle", "topic-tools")
	t.Parallel()
	names := []string{"localhost"}
	own := must.Get(os.Hostname())(t)
	if addrs, err := net.LookupHost(own); err == nil && net.ParseIP(addrs[0]).IsLoopback() {
		names = append(names, own)
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			names = append(names, ip.IP.String())
			break
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := must.Get(ListenMaster(MasterConfig{Addr: "0.0.0.0:0", Host: name}))(t)
			t.Cleanup(func() { m.Close() })
			n := must.Get(NewNode(NodeConfig{Name: "/omnipitch", MasterURI: m.URI(), Host: name, Listen: "0.0.0.0",
				Log: testLog(t)}))(t)
			t.Cleanup(func() { n.Close() })
			pub := must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{}))(t)
			repeat(t, func() { pub.Publish(&msg.OdoInfo{Vx: 1}) })
			env := []string{"ROS_HOSTNAME=" + name}
			startEnv(t, m.URI(), env, throttle, "messages", "/odo", "10", "/slow") // roscpp
			got := received[msg.OdoInfo](t, n, "/slow", "nubot_common/OdoInfo")
			recv(t, got)
			// rospy's XML-RPC calls, to the master and to the node
			out, err := startEnv(t, m.URI(), env, "/usr/bin/rosnode", "info", "/omnipitch").end()
			must.Do(t, err)
			wantAll(t, "rosnode info", out, "/odo [nubot_common/OdoInfo]", "contacting node "+n.URI(), "Pid: ",
				"* to: /odo_throttle")
		})
	}
}
