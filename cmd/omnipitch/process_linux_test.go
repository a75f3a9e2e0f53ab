package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/rostest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// deadline is how long a test waits for an expected result. It is a guess, ten times what a busy machine needs.
const deadline = 60 * time.Second

// until waits for a condition. It polls less often over time, because some conditions query a server and slow down what
// they wait for.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for end := time.Now().Add(deadline); !ok(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", deadline, what)
		}
		pause = min(pause+pause/10, 25*time.Millisecond)
	}
}

// long is set by make verify-long.
var long = flag.Bool("long", false, "run the tests that take longer than half a minute in full")

// read returns the contents of a file.
func read(t testing.TB, path string) string {
	t.Helper()
	return string(must.Get(os.ReadFile(path))(t))
}

// needLong skips a test, or a case of a test, without -long. target is the make target that runs it.
func needLong(t testing.TB, target string) {
	t.Helper()
	if !*long {
		t.Skipf("takes long: make %s runs it", target)
	}
}

// built holds what the tests build once. TestMain removes it.
var built string

// TestMain makes the folder for programs that the tests build, and removes it.
func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "omnipitch-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

var (
	buildProgram = sync.OnceValues(func() (string, error) { return build("omnipitch", ".") })
	buildRefbot  = sync.OnceValues(func() (string, error) { return build("refbot", "../refbot") })
)

// build builds a command. Like package.sh, it leaves out the symbols that debuggers need, which halves the time of
// linking.
func build(name, folder string) (string, error) {
	path := filepath.Join(built, name)
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path,
		folder).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, err
}

// program returns the path of the built command.
func program(t testing.TB) string {
	t.Helper()
	path := must.Get(buildProgram())(t)
	return path
}

// environment returns the environment of the test without the settings of ROS and Python, with additional variables.
func environment(more ...string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "ROS_") && !strings.HasPrefix(e, "PYTHON") {
			env = append(env, e)
		}
	}
	return append(env, more...)
}

// process is a running program in a separate process group. The end of the test kills it.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{} // closed when the program and its output have ended
	err  error

	mu     sync.Mutex
	out    strings.Builder // stdout without the lines about images
	errs   strings.Builder
	images map[string][]frame // by topic
}

// start runs a program that may join the ROS graph of a master.
func start(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	home := t.TempDir()
	p := &process{t: t, cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{}),
		images: map[string][]frame{}}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.cmd.Env = environment("ROS_IP=127.0.0.1", "ROS_MASTER_URI="+uri, "ROS_HOME="+home, "ROS_LOG_DIR="+home)
	p.cmd.WaitDelay = 5 * time.Second
	stdout := must.Get(p.cmd.StdoutPipe())(t)
	stderr := must.Get(p.cmd.StderrPipe())(t)
	must.Do(t, p.cmd.Start())
	var read sync.WaitGroup
	read.Go(func() { p.read(stdout, &p.out) })
	read.Go(func() { p.read(stderr, &p.errs) })
	go func() {
		read.Wait()
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.done
		if t.Failed() {
			t.Logf("%q said:\n%s%s", args, p.stdout(), p.stderr())
		}
	})
	return p
}

func (p *process) read(r io.Reader, into *strings.Builder) {
	for s := bufio.NewScanner(r); s.Scan(); {
		topic, m, ok := parseImage(s.Text())
		p.mu.Lock()
		if ok {
			p.images[topic] = append(p.images[topic], m)
		} else {
			fmt.Fprintln(into, s.Text())
		}
		p.mu.Unlock()
	}
}

// signal sends a signal to the program's process group, whose id is its process id.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

func (p *process) text(b *strings.Builder) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.String()
}

func (p *process) stdout() string { return p.text(&p.out) }
func (p *process) stderr() string { return p.text(&p.errs) }

// await waits for a condition, which must become true before the program ends.
func (p *process) await(what string, ok func() bool) {
	p.t.Helper()
	until(p.t, what, func() bool {
		ended := p.ended()
		done := ok()
		if ended && !done {
			p.t.Fatalf("%s ended, error %v, without %s", p.cmd.Path, p.err, what)
		}
		return done
	})
}

// says waits until stderr contains a text.
func (p *process) says(text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("%q on stderr", text), func() bool { return strings.Contains(p.stderr(), text) })
}

// exitCode waits for the end of the program and returns its exit code.
func (p *process) exitCode() int {
	p.t.Helper()
	until(p.t, p.cmd.Path+" to end", p.ended)
	return p.cmd.ProcessState.ExitCode()
}

// wantExit waits for the end of the program and checks its exit code and that its output contains texts.
func (p *process) wantExit(code int, texts ...string) {
	p.t.Helper()
	got := p.exitCode()
	wantOutput(p.t, strings.Join(p.cmd.Args, " "), got, code, p.stdout()+p.stderr(), texts...)
}

// seen returns the images of a topic received so far.
func (p *process) seen(topic string) []frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.images[topic]
}

// last returns the stamp of a topic's newest image, or 0 before the first.
func (p *process) last(topic string) time.Duration {
	if all := p.seen(topic); len(all) > 0 {
		return all[len(all)-1].stamp
	}
	return 0
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// end waits for the program to succeed and returns its output.
func (p *process) end() string {
	p.t.Helper()
	if p.exitCode(); p.err != nil {
		p.t.Fatalf("%s: %v", p.cmd.Path, p.err)
	}
	return p.stdout()
}

// launch starts omnipitch, with the address of a master in its environment.
func launch(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	return start(t, uri, append([]string{program(t)}, args...)...)
}

// startMaster starts omnipitch master at a port.
func startMaster(t testing.TB, uri, port string) *process {
	t.Helper()
	p := launch(t, uri, "master", "--port", port)
	p.says("ROS 1 master at " + uri)
	return p
}

// rosNode connects a node to a master until the test ends.
func rosNode(t testing.TB, uri, name string) *ros1.Node {
	t.Helper()
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: uri}))(t)
	t.Cleanup(func() { node.Close() })
	return node
}

// simulate starts omnipitch run and waits until robots can join.
func simulate(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	return simulateWorld(t, uri, "nubot-attack", args...)
}

func simulateWorld(t testing.TB, uri, world string, args ...string) *process {
	t.Helper()
	p := launch(t, uri, append([]string{"run", world, "--json"}, args...)...)
	p.says("ROS 1 master at")
	return p
}

// refuses waits for the end of the program, which must fail with one sentence on stderr and nothing on stdout.
func (p *process) refuses(code int, pattern string) {
	p.t.Helper()
	wantSentence(p.t, p.exitCode(), code, p.stdout(), p.stderr(), pattern)
}

// stop ends a program like Ctrl-C and returns its output.
func (p *process) stop() string {
	p.t.Helper()
	p.signal(syscall.SIGINT)
	return p.end()
}

// interrupt ends a simulation like Ctrl-C and returns its summary.
func (p *process) interrupt() runSummary {
	p.t.Helper()
	p.signal(syscall.SIGINT)
	return p.summary()
}

func (p *process) summary() runSummary {
	p.t.Helper()
	var s runSummary
	if err := json.Unmarshal([]byte(p.end()), &s); err != nil {
		p.t.Fatalf("summary: %v", err)
	}
	return s
}

// freeMaster returns the address of a master at an unused port.
func freeMaster(t testing.TB) (uri, port string) {
	t.Helper()
	port = rostest.FreePort(t)
	return "http://127.0.0.1:" + port + "/", port
}
