package program

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Flags that `make verify-programs` sets to larger values.
var (
	rounds = flag.Int("programs.rounds", 1, "how often each program's runner is killed")
	loaded = flag.Bool("programs.load", false, "share each processor with another process meanwhile")
)

// runnerScript names a script. If it is set, this executable acts as a runner, which starts the script as a program and
// waits forever.
const runnerScript = "OMNIPITCH_TEST_RUNNER"

// runnerPatient is set for a runner whose program ends by itself on request, however busy the machine is.
const runnerPatient = "OMNIPITCH_TEST_RUNNER_PATIENT"

// TestMain runs the tests, a supervisor, or a runner that starts the script of the environment as a program.
func TestMain(m *testing.M) {
	script := os.Getenv(runnerScript)
	switch {
	case len(os.Args) == 2 && os.Args[1] == "supervise":
		if err := Supervise(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case script != "":
		interrupt := make(chan os.Signal, 1)
		signal.Notify(interrupt, syscall.SIGINT)
		order := shell(script, os.Getenv(marker))
		if os.Getenv(runnerPatient) != "" {
			order.StopWithin = deadline
		}
		p, err := start(order, &output{line: func(text string) { fmt.Println(text) }})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		<-interrupt
		if err := p.stop(order.StopWithin); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// marker is the environment variable by which tests find the processes of a program.
const marker = "OMNIPITCH_TEST_MARKER"

const stopWithin = 100 * time.Millisecond

func shell(script, mark string) order {
	return order{Command: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH"),
		marker + "=" + mark}, StopWithin: stopWithin}
}

// newMark returns a marker that no other process has.
func newMark(t testing.TB) string {
	return fmt.Sprintf("%d %d %s", os.Getpid(), time.Now().UnixNano(), t.Name())
}

// marked lists the processes with a marker.
func marked(mark string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte(marker+"="+mark+"\x00")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		pids = append(pids, pid)
	}
	return pids
}

// deadline is how long a test waits for an expected result. It is a guess, ten times what a busy machine needs.
const deadline = 60 * time.Second

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(deadline); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", deadline, what)
		}
	}
}

// clinging are programs that resist ending, with the smallest number of processes of each.
var clinging = []struct {
	name, script string
	processes    int
}{
	{"sleeps", "exec sleep 1000", 1},
	{"ignores SIGTERM", "trap '' TERM INT HUP; while :; do sleep 0.1; done", 1},
	{"starts others", "sleep 1000 & sleep 1000 & wait", 3},
	{"becomes a daemon", "setsid sh -c 'setsid sleep 1000 & exec sleep 1000' >/dev/null 2>&1 </dev/null &", 2},
	{"becomes a daemon that ignores SIGTERM", "setsid sh -c \"trap '' TERM HUP; (setsid sleep 1000 &); while :; do " +
		"sleep 0.1; done\" & sleep 0.3", 3},
	{"starts daemons all the time", "trap '' TERM; while :; do (setsid sh -c \"trap '' TERM; sleep 1000\" &); sleep " +
		"0.02; done", 5},
	{"stops itself", "sleep 1000 & kill -STOP $$", 2},
	{"keeps its output open", "(exec setsid sleep 1000 &) ; exit 3", 1},
}

// TestStopLeavesNothing checks that every process that a program has started ends with the program, wherever it has
// moved.
func TestStopLeavesNothing(t *testing.T) {
	for _, c := range clinging {
		t.Run(c.name, func(t *testing.T) {
			mark := newMark(t)
			p := must.Get(start(shell(c.script, mark), &output{line: func(string) {}}))(t)
			until(t, "the processes", func() bool { return len(marked(mark)) >= c.processes })
			if err := p.stop(stopWithin); err != nil {
				t.Error(err)
			}
			if left := marked(mark); left != nil {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestKilledRunnerLeavesNothing checks that no process remains when the runner is killed and so cannot clean up.
func TestKilledRunnerLeavesNothing(t *testing.T) {
	if *loaded {
		load(t)
	}
	for range *rounds {
		for _, c := range clinging {
			t.Run(c.name, func(t *testing.T) {
				mark := newMark(t)
				runner := exec.Command(os.Args[0])
				runner.Env = append(os.Environ(), runnerScript+"="+c.script, marker+"="+mark)
				must.Do(t, runner.Start())
				// The runner and the supervisor have the marker too.
				until(t, "the processes", func() bool { return len(marked(mark)) >= c.processes+2 })
				must.Do(t, runner.Process.Kill())
				_ = runner.Wait()
				until(t, "all processes to end", func() bool { return marked(mark) == nil })
			})
		}
	}
}

// TestInterruptedGroup sends Ctrl-C to the process group of the runner, as a terminal does. Its programs are not in
// that group, so the runner must end them.
func TestInterruptedGroup(t *testing.T) {
	mark := newMark(t)
	runner := exec.Command(os.Args[0])
	runner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	runner.Env = append(os.Environ(), runnerScript+"=trap 'echo interrupted' INT; trap 'echo terminated; exit' TERM; "+
		"echo began; while :; do sleep 0.1; done", marker+"="+mark, runnerPatient+"=yes")
	out := must.Get(runner.StdoutPipe())(t)
	must.Do(t, runner.Start())
	said := make([]byte, len("began\n"))
	must.Get(io.ReadFull(out, said))(t)
	must.Do(t, syscall.Kill(-runner.Process.Pid, syscall.SIGINT))
	rest, err := io.ReadAll(out)
	if err != nil || !strings.HasSuffix(string(rest), "terminated\n") || strings.Contains(string(rest), "interrupted") {
		t.Errorf("%q, %v, want terminated, and not interrupted", rest, err)
	}
	if err := runner.Wait(); err != nil {
		t.Error(err)
	}
	if left := marked(mark); left != nil {
		t.Errorf("left %v", left)
	}
}

// TestKilledSupervisor checks that killing a supervisor kills its program.
func TestKilledSupervisor(t *testing.T) {
	mark := newMark(t)
	p := must.Get(start(shell("exec sleep 1000", mark), &output{line: func(string) {}}))(t)
	until(t, "the program", func() bool { return len(marked(mark)) == 1 })
	must.Do(t, p.supervisor.Process.Kill())
	if how := <-p.ended; !strings.Contains(how, "its supervisor has been killed") {
		t.Errorf("ended: %s", how)
	}
	if err := p.stop(stopWithin); err != nil {
		t.Error(err)
	}
	until(t, "the program to end", func() bool { return marked(mark) == nil })
}

// TestEnds checks the words for the ways in which a program ends. A program that cannot be started must be an error.
func TestEnds(t *testing.T) {
	for script, want := range map[string]string{
		"exit 0":         "ended with exit code 0",
		"exit 3":         "ended with exit code 3",
		"kill -SEGV $$":  "was ended by signal 11 (segmentation fault)",
		"(sleep 100 &) ": "ended with exit code 0",
	} {
		mark := newMark(t)
		p := must.Get(start(shell(script, mark), &output{line: func(string) {}}))(t)
		must.Equal(t, <-p.ended, want, "%s", script)
		if err := p.stop(stopWithin); err != nil {
			t.Error(err)
		}
		if left := marked(mark); left != nil {
			t.Errorf("%s: left %v", script, left)
		}
	}
	for _, o := range []order{{Command: []string{"/nowhere/bot"}}, {Command: []string{"/bin/sh"}, Folder: "/nowhere"},
		{Command: []string{"/etc/passwd"}}} {
		if _, err := start(o, &output{line: func(string) {}}); err == nil {
			t.Errorf("%+v: was started", o)
		}
	}
}

// TestOutputIsBounded checks that the last lines of a program's output are kept, whatever their length. An awaited text
// must be found anywhere in the output.
func TestOutputIsBounded(t *testing.T) {
	lines := 0
	o := output{awaited: "ready", line: func(string) { lines++ }}
	if o.printed() {
		t.Error("printed before anything was")
	}
	o.read(strings.NewReader("it is ready now\n" + strings.Repeat("x", 10*pieceSize) + "\n" + strings.Repeat("y\r\n",
		100) + "last without an end\xff"))
	text := o.text()
	if !o.printed() || lines < 100 || strings.Contains(text, "ready") || strings.Contains(text, "x") ||
		!strings.HasSuffix(text, "y\n    last without an end\uFFFD") || strings.Count(text, "\n") != keptLines+1 {
		t.Errorf("%v, %d lines, %q", o.printed(), lines, text)
	}
	if o.reset(); o.printed() {
		t.Error("printed by a program that was started again")
	}
	if got := (&output{}).text(); got != "it printed nothing" {
		t.Error(got)
	}
}

// load shares each processor with another process until the test ends.
func load(t testing.TB) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("timeout", "1h", "sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		must.Do(t, cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
	}
}

// TestLogsAreRemoved checks that the nodes of a program log into a temporary folder, which is removed afterwards. If
// the user has set a folder, they log there.
func TestLogsAreRemoved(t *testing.T) {
	folders := make(chan string, 1)
	for _, own := range []string{"", "ROS_LOG_DIR=/nowhere"} {
		o := shell(`echo "$ROS_LOG_DIR"; test "$ROS_LOG_DIR" = /nowhere || touch "$ROS_LOG_DIR/log"; exec sleep 1000`,
			newMark(t))
		if own != "" {
			o.Env = append(o.Env, own)
		}
		p := must.Get(start(o, &output{line: func(text string) { folders <- text }}))(t)
		logs := <-folders
		if (logs == "/nowhere") != (own != "") || logs == "" {
			t.Errorf("logs into %q", logs)
		}
		if err := p.stop(stopWithin); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(logs); err == nil {
			t.Errorf("%s is still there", logs)
		}
	}
}
