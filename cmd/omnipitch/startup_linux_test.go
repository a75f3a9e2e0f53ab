package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestCtrlCWhileAWorldIsChecked checks that Ctrl-C ends a command while it reads a world.
func TestCtrlCWhileAWorldIsChecked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{"check vision-training", "run vision-training --ros1 off --web off",
		"test random-scenes", "dataset vision-training --frames 1 --out " + t.TempDir() + "/x"} {
		var out, errs bytes.Buffer
		code := run(ctx, strings.Fields(args), console.Streams{Out: &out, Err: &errs})
		wantSentence(t, code, console.ExitFailed, out.String(), errs.String(), "interrupted before")
	}
}

// TestCtrlCWhileTheMasterIsSilent checks that Ctrl-C ends a run that waits for a master which accepts connections and
// never answers.
func TestCtrlCWhileTheMasterIsSilent(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	asked := make(chan net.Conn, 8)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				close(asked)
				return
			}
			asked <- conn
		}
	}()
	p := start(t, "http://"+l.Addr().String()+"/", program(t), "run", "planar", "--ros1", "external", "--out",
		t.TempDir()+"/x")
	conn := <-asked
	defer conn.Close()
	p.signal(syscall.SIGINT)
	p.refuses(console.ExitFailed, console.ErrInterrupted.Error())
}

// TestCtrlCWhileRobotsAreWaitedFor checks that Ctrl-C ends a run that waits for a robot's connection or first answer.
// The run has failed, and its recordings must be closed.
func TestCtrlCWhileRobotsAreWaitedFor(t *testing.T) {
	world := must.File(t, "waits.toml", "name = \"waits\"\ninclude = [\"planar\"]\n[time]\nspeed = "+
		"\"lockstep\"\nwait_for = [ { robot = \"cyan2\" } ]\n")
	for _, c := range []struct {
		told  string
		there bool
		truth int // lines
	}{
		{"waits: waiting for robot cyan2, which lacks a subscriber of /clock", false, 0},
		{"waits: waiting for the first answer of robot cyan2\n", true, 1}, // of time 0
	} {
		out := t.TempDir() + "/x"
		uri, _ := freeMaster(t)
		p := launch(t, uri, "run", world, "--json", "--out", out)
		if c.there {
			p.says("ROS 1 master at")
			silentRobot(t, uri)
		}
		p.says(c.told)
		p.signal(syscall.SIGINT)
		if code, text, errs := p.exitCode(), p.stdout(),
			p.stderr(); code != console.ExitFailed || text != "" ||
			!strings.HasSuffix(errs, "omnipitch: "+console.ErrInterrupted.Error()+"\n") {
			t.Errorf("%sexit code %d, stdout %q, stderr:\n%s", c.told, code, text, errs)
		}
		if n := strings.Count(contents(t, out)["truth.jsonl"], "}\n"); n != c.truth {
			t.Errorf("%s%d lines of truth, want %d", c.told, n, c.truth)
		}
	}
}

// silentRobot connects a program for cyan2 that never answers.
func silentRobot(t *testing.T, uri string) {
	t.Helper()
	node := rosNode(t, uri, "/cyan2_program")
	must.Get(ros1.Advertise[msg.Twist](node, "/cyan2/cmd_vel", "geometry_msgs/Twist",
		ros1.PubOptions{}))(t)
	must.Get(ros1.Subscribe(node, "/clock", "rosgraph_msgs/Clock", func(*msg.Clock) {}))(t)
}

// TestFewOpenFiles checks that a limit of open files under which connections would wait forever is refused with a
// sentence. A run must work at the limit that the sentence asks for.
func TestFewOpenFiles(t *testing.T) {
	const filesOfRun = 64
	for _, limit := range []int{16, 32, filesOfRun - 1, filesOfRun} {
		_, port := freeMaster(t)
		p := start(t, "", "sh", "-c", fmt.Sprintf("ulimit -n %d && exec \"$0\" \"$@\"", limit), program(t), "run",
			"planar",
			"--for", "100ms", "--ros1", "embedded:"+port)
		if limit == filesOfRun {
			p.wantExit(console.ExitDone)
			continue
		}
		p.refuses(console.ExitUnavailable, fmt.Sprintf(`open files: at most %d: must be at least %d; ulimit -n`,
			limit, filesOfRun))
	}
}

// TestClosedPipe checks that a reader which closes the output early does no harm: the recordings are complete.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, line string }{
		{"stdout", `"$0" worlds | head -1 >/dev/null; exit ${PIPESTATUS[0]}`},
		{"stdout of a run",
			`"$0" run planar --ros1 off --speed max --for 50ms --out "$1/stdout" | true; exit ${PIPESTATUS[0]}`},
		{"stderr of a run",
			`"$0" run planar --ros1 embedded:0 --for 50ms --out "$1/stderr" 2>&1 >/dev/null | true; exit ${PIPESTATUS[0]}`},
	} {
		cmd := exec.Command("bash", "-c", c.line, program(t), dir)
		cmd.Env = environment()
		if out, err := cmd.CombinedOutput(); err != nil || withoutProgress(string(out)) != "" {
			t.Errorf("%s: %v, %s", c.name, err, out)
		}
	}
	for _, name := range []string{"stdout", "stderr"} {
		if text := contents(t, dir+"/"+name)["truth.jsonl"]; strings.Count(text, "}\n") < 10 {
			t.Errorf("%s: %d lines of truth", name, strings.Count(text, "}\n"))
		}
	}
}

// TestCtrlCWhileTheRendererStarts checks that stderr reports a renderer that starts slowly. Ctrl-C must end the command
// at once, with nothing written.
func TestCtrlCWhileTheRendererStarts(t *testing.T) {
	path := must.File(t, "large.toml", `
name = "large"
include = ["planar"]
[[robot]]
name = "cyan2"
  [[robot.sensor]]
  name = "omni"
  level = "raw"
  image = { width_px = 2400, height_px = 2400 }
`)
	for _, command := range []string{"run", "snapshot"} {
		out := t.TempDir() + "/x"
		p := launch(t, "", command, path, "--renderer", "raycast", "--out", out)
		until(t, "something to be told", func() bool { return p.ended() || p.stderr() != "" })
		p.signal(syscall.SIGINT)
		until(t, "the command to end", p.ended)
		stderr := p.stderr()
		if !strings.HasPrefix(stderr, "large: ") || !strings.Contains(stderr, " s so far\n") {
			t.Errorf("%s: nothing was told:\n%s", command, stderr)
		}
		p.refuses(console.ExitFailed, console.ErrInterrupted.Error())
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: --out was made", command)
		}
	}
}

// TestWatch checks that a run restarts when its files change. It must report errors in files that cannot be read, until
// they can.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	file, below := filepath.Join(dir, "w.toml"), filepath.Join(dir, "below.toml")
	write := func(path, text string) {
		t.Helper()
		must.Write(t, path+".new", text)
		if err := os.Rename(path+".new", path); err != nil { // as editors do
			t.Fatal(err)
		}
	}
	const head = "name = \"watched\"\nfield = \"msl-18x12\"\n"
	const robot = "[[robot]]\nname = \"r\"\nmodel = \"three-wheels\"\n"
	write(file, head+robot)
	p := launch(t, "", "run", file, "--ros1", "off", "--watch", "--json", "--web", "0")
	said := func(what string) {
		t.Helper()
		until(t, what, func() bool {
			if p.ended() {
				t.Fatalf("the run has ended:\n%s", p.end())
			}
			return strings.Contains(p.stderr(), what)
		})
	}
	said("watched: restarts whenever " + file + " changes")
	write(file, head+robot+"pose = { x_m = 1 }\n")
	said("watched: file changed, restarted")
	write(file, head+robot+"pose = { x = 1 }\n")
	said("watched: not reloaded, the run continues unchanged: ")
	said("w.toml:6:10: robot[0].pose: x = 1: unknown key; did you mean x_m?")
	at := dashboardLine.FindStringSubmatch(p.stderr())
	if at == nil {
		t.Fatal("it has not said where its dashboard is")
	}
	if _, log := get(t, at[1]+"/api/log?kind=world"); !strings.Contains(log, "watched restarts") ||
		!strings.Contains(log, "w.toml:6:10: robot[0].pose: x = 1: unknown key") {
		t.Errorf("the dashboard's log: %s", log)
	}
	write(file, head+robot+"[[robot]]\nname = \"s\"\nmodel = \"three-wheels\"\npose = { x_m = 3 }\n")
	said("2 robots: there were 1: a simulation that runs cannot change that")
	write(below, "[ball]\nx = 1\n")
	write(file, "include = [\"below.toml\"]\n"+strings.Replace(head, "watched", "mended", 1)+robot)
	said("below.toml:2:1: ball: x = 1: unknown key")
	write(below, "[ball]\nx_m = 1\n") // a file that no started world was read from
	said("mended: file changed, restarted")
	s := p.interrupt()
	if s.World != "mended" {
		t.Errorf("the summary is of world %q", s.World)
	}
}

// TestWatchNeedsFiles checks that --watch of a built-in world is bad input.
func TestWatchNeedsFiles(t *testing.T) {
	code, _, stderr := command(t, "run", "planar", "--watch", "--ros1", "off", "--for", "10ms")
	if code != console.ExitBadInput || !strings.Contains(stderr, "--watch: the world is built in") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
