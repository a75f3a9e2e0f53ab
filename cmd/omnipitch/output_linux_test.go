package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestVersion checks that --version prints what the program is built from.
func TestVersion(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test has no build information")
	}
	code, stdout, stderr := command(t, "--version")
	if code != console.ExitDone || stdout != versionOf(info)+"\n" || !strings.HasPrefix(stdout,
		"omnipitch "+info.Main.Version) || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, c := range []struct {
		want     string
		settings []debug.BuildSetting
	}{
		{"omnipitch v1.2.3", nil},
		{"omnipitch v1.2.3, revision abc", []debug.BuildSetting{setting("vcs.revision", "abc"),
			setting("vcs.modified", "false")}},
		{"omnipitch v1.2.3, revision abc of 2026-01-02T03:04:05Z, changed since",
			[]debug.BuildSetting{setting("vcs.modified", "true"), setting("vcs.time", "2026-01-02T03:04:05Z"),
				setting("vcs.revision", "abc")}},
	} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Path: "x", Version: "v1.2.3"},
			Settings: c.settings}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestFullOutput checks that every command reports a write error of stdout. A command whose reader has closed the pipe
// must report none.
func TestFullOutput(t *testing.T) {
	bad := must.File(t, "bad.toml", "name = \"x\"\nsede = 3\n")
	full := must.Get(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
	defer full.Close()
	read, gone, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	read.Close()
	const said = "omnipitch: stdout: write /dev/full: no space left on device\n"
	for _, c := range []struct {
		args   []string
		stderr string
		gone   int // exit code after the reader has closed
	}{
		{[]string{"--help"}, said, console.ExitDone},
		{[]string{"--version"}, said, console.ExitDone},
		{[]string{"check", "planar"}, said, console.ExitDone},
		{[]string{"check", bad}, "omnipitch: 1 world is not valid\n" + said, console.ExitBadInput},
		{[]string{"worlds"}, said, console.ExitDone},
		{[]string{"worlds", "show", "planar"}, said, console.ExitDone},
		{[]string{"ros", "profiles"}, said, console.ExitDone},
		{[]string{"ros", "profiles", "nubot"}, said, console.ExitDone},
		{[]string{"calibration", "nubot-attack", "cyan1.front"}, said, console.ExitDone},
		{[]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms"}, said, console.ExitDone},
		{[]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms", "--json"}, said,
			console.ExitDone},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), c.args, console.Streams{Out: full,
			Err: &stderr}); code != console.ExitUnavailable ||
			withoutProgress(stderr.String()) != c.stderr {
			t.Errorf("%v: exit code %d, stderr %q, want %d, %q", c.args, code, stderr.String(), console.ExitUnavailable,
				c.stderr)
		}
		must.Equal(t, run(t.Context(), c.args, console.Streams{Out: gone, Err: io.Discard}), c.gone,
			"%v without a reader: exit code", c.args)
	}
}

// onTerminal runs the program on a separate terminal with a number of columns, and returns all bytes of its output.
// Source: pts(4).
func onTerminal(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave := must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	cmd := exec.Command(program(t), args...)
	cmd.Env = environment(env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	must.Do(t, cmd.Start())
	slave.Close()
	text, err := io.ReadAll(master) // ends with EIO when no process has the terminal open
	if err != nil && !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %v\n%s", args, err, text)
	}
	return string(text)
}

// TestRunOnATerminal checks the status row of a run on a terminal. It must disappear before the results. With --quiet,
// and on a terminal that only prints, there must be none.
func TestRunOnATerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	world := must.File(t, "goal.toml", `name = "goal"
include = ["planar"]
[[event]]
at_s = 0.5
game_command = { command = "goal", team = "cyan" }
`)
	args := []string{"run", world, "--ros1", "off", "--for", "2300ms", "--speed", "realtime"}
	const row = "\r\x1b[K"
	result := "goal: 2.30 s simulated in "
	text := onTerminal(t, 60, []string{"TERM=xterm", "NO_COLOR=1"}, args...)
	drawn := strings.Split(text, row)
	last := drawn[len(drawn)-1]
	if !strings.HasPrefix(last, result) || strings.ContainsAny(last, "\x1b") {
		t.Errorf("after the last row of status there is %q, want the results alone", last)
	}
	status := regexp.MustCompile(`^[12]\.\d/2\.3 s, factor [01]\.\d\d, recently [01]\.\d\d, 1:0`)
	seen := 0
	for _, x := range drawn[:len(drawn)-1] {
		if strings.HasPrefix(x, "goal: dashboard at ") { // a line, which stays
			continue
		}
		if len(x) >= 60 || strings.ContainsAny(x, "\r\n\x1b") && x != drawn[0] {
			t.Errorf("%q is no row of 60 columns", x)
		}
		if status.MatchString(x) {
			seen++
		}
	}
	if seen == 0 {
		t.Errorf("%d rows of status in %q", seen, text)
	}
	for _, c := range [][]string{append([]string{"--quiet"}, args...), append(args, "-q")} {
		c = append(c, "--speed", "max")
		if text := onTerminal(t, 60, []string{"TERM=xterm"}, c...); !strings.HasPrefix(text, result) ||
			strings.Contains(text, "\x1b") {
			t.Errorf("%v: %q, want the results alone", c, text)
		}
	}
	if text := onTerminal(t, 60, []string{"TERM=dumb"}, append(args, "--speed", "max")...); strings.Contains(
		strings.ReplaceAll(text, "\r\n", ""), "\r") || strings.Contains(text, "\x1b") {
		t.Errorf("on a terminal that only prints: %q", text)
	}
}

// TestRunsTellTheirRenderer checks that runs that draw images report their renderer and the reason for the choice.
// Other runs must report none.
func TestRunsTellTheirRenderer(t *testing.T) {
	for _, c := range []struct {
		args string
		want *backend.Choice
	}{
		{"planar", nil},
		{"nubot-attack", nil}, // nobody wants the images
		{"broken-camera --renderer raycast", &backend.Choice{Name: "raycast", Why: "it was asked for"}},
	} {
		args := append([]string{"run", "--ros1", "off", "--for", "5ms", "--json"}, strings.Fields(c.args)...)
		code, stdout, stderr := command(t, args...)
		var got runSummary
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != console.ExitDone {
			t.Fatalf("%s: exit code %d, %v, %s", c.args, code, err, stderr)
		}
		if (got.Renderer == nil) != (c.want == nil) || c.want != nil && got.Renderer.String() != c.want.String() {
			t.Errorf("%s: renderer %v, want %v", c.args, got.Renderer, c.want)
		}
	}
	const want = "renderer: raycast, since it was asked for\n"
	prints(t, console.ExitDone, want, "test", "broken-camera", "--renderer", "raycast")
	prints(t, console.ExitDone, want, "snapshot", "broken-camera", "--renderer", "raycast", "--out", t.TempDir())
}

// TestKeptLight checks that images which are rendered with the kept results of an earlier run equal its images, byte
// for byte.
func TestKeptLight(t *testing.T) {
	cache := t.TempDir()
	images := func() map[string]string {
		out := filepath.Join(t.TempDir(), "out")
		start(t, "", "env", "XDG_CACHE_HOME="+cache, program(t), "run", "nubot-attack", "--ros1", "off", "--for",
			"10ms", "--renderer", "tile", "--out", out).wantExit(console.ExitDone)
		return contents(t, out)
	}
	first, kept := images(), contents(t, filepath.Join(cache, "omnipitch"))
	if len(kept) == 0 || len(first) == 0 {
		t.Fatalf("%d files kept, %d images, want some of both", len(kept), len(first))
	}
	must.Equal(t, images(), first, "images of a run that reads what is kept")
	must.Equal(t, contents(t, filepath.Join(cache, "omnipitch")), kept, "kept files after the second run")
}

// TestSamples checks that a path-traced snapshot takes the requested number of samples. The flag must be an error
// elsewhere.
func TestSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny.toml")
	text := `name = "tiny"
[[robot]]
name = "cyan1"
model = "nubot"
  [[robot.sensor]]
  name = "omni"
  image = { width_px = 16, height_px = 16 }
  [[robot.sensor]]
  name = "front"
  image = { width_px = 16, height_px = 16 }
`
	must.Write(t, path, text)
	out := filepath.Join(t.TempDir(), "out")
	code, _, stderr := command(t, "snapshot", path, "--renderer", "reference", "--samples", "2", "--out", out)
	if code != console.ExitDone || !strings.Contains(stderr, "renderer: reference, since it was asked for\n") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if files, err := filepath.Glob(filepath.Join(out, "cyan1.front.*.png")); err != nil || len(files) != 5 {
		t.Errorf("%v, %v", files, err)
	}
	for _, flags := range []string{"--samples 3", "--renderer reference --samples 0",
		"--renderer reference --samples 2000000"} {
		args := append([]string{"run", path, "--for", "5ms", "--ros1", "off"}, strings.Fields(flags)...)
		prints(t, console.ExitBadInput, "--samples", args...)
	}
}
