package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// command runs a command line inside the test process.
func command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, console.Streams{Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}

// prints checks the exit code of a command line, and that its output contains a text. It returns the output: stdout,
// then stderr.
func prints(t testing.TB, wantCode int, text string, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	wantOutput(t, strings.Join(args, " "), code, wantCode, stdout+stderr, text)
	return stdout + stderr
}

// wantOutput checks an exit code, and that output contains texts.
func wantOutput(t testing.TB, what string, code, wantCode int, output string, texts ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d\n%s", what, code, wantCode, output)
	}
	for _, text := range texts {
		if !strings.Contains(output, text) {
			t.Errorf("%s: the output lacks\n%s\nit is\n%s", what, text, output)
		}
	}
}

// silent checks that a command line succeeds and prints nothing but progress.
func silent(t testing.TB, args ...string) {
	t.Helper()
	if code, stdout, stderr := command(t, args...); code != console.ExitDone || stdout+withoutProgress(stderr) != "" {
		t.Fatalf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
	}
}

// objects checks that a command line is bad input, and that its only output is a line on stderr with a text.
func objects(t testing.TB, text string, args ...string) {
	t.Helper()
	refuses(t, console.ExitBadInput, regexp.QuoteMeta(text), args...)
}

// summaryOf runs a command line inside the test process, which must succeed, and returns the summary of its run.
func summaryOf(t testing.TB, args ...string) (s runSummary) {
	t.Helper()
	code, stdout, stderr := command(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(stdout), &s); code != console.ExitDone || err != nil || s.StateHash == "" {
		t.Fatalf("%q: exit code %d, %v\n%s%s", args, code, err, stdout, stderr)
	}
	return s
}

// refuses checks that a command line fails with an exit code, nothing on stdout, and one sentence on stderr that
// matches a pattern.
func refuses(t testing.TB, wantCode int, pattern string, args ...string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	wantSentence(t, code, wantCode, stdout, stderr, pattern)
}

// wantSentence checks that a command failed with one sentence on stderr and nothing on stdout.
func wantSentence(t testing.TB, code, wantCode int, stdout, stderr, pattern string) {
	t.Helper()
	must.Equal(t, code, wantCode, "exit code")
	if stdout != "" {
		t.Errorf("stdout:\n%s", stdout)
	}
	stderr = withoutProgress(stderr)
	if !strings.HasPrefix(stderr, "omnipitch: ") || strings.Count(stderr, "\n") != 1 ||
		!regexp.MustCompile(pattern).MatchString(stderr) {
		t.Errorf("stderr must be one sentence like %q:\n%s", pattern, stderr)
	}
}

// withoutProgress returns stderr without the progress lines that appear on a busy machine, and without the address of
// the dashboard.
func withoutProgress(stderr string) string {
	return regexp.MustCompile(`(?m)^.*( s so far|: dashboard at http://127\.0\.0\.1:\d+)\n`).ReplaceAllString(stderr,
		"")
}

// TestBadInput checks that wrong arguments and worlds are bad input, with a sentence that names the error.
func TestBadInput(t *testing.T) {
	unknownKey := must.File(t, "key.toml", "include = [\"nubot-attack\"]\nsede = 3\n")
	noModel := must.File(t, "model.toml", "name = \"x\"\n[[robot]]\nname = \"a\"\nmodel = \"nubto\"\n")
	file := must.File(t, "file", "")
	for _, c := range []struct{ want, args string }{
		{`expected "<world>"`, "run"},
		{`world "nubot-atack": is no world that ships .*, did you mean "nubot-attack"\?`, "run nubot-atack"},
		{`world "\./none\.toml": no such file`, "run ./none.toml"},
		{regexp.QuoteMeta(noModel) +
			`:4:1: robot\[0\]: model = "nubto": is no robot model .*, did you mean "nubot"\?`, "run " + noModel},
		{regexp.QuoteMeta(unknownKey) + `:2:1: sede = 3: unknown key; did you mean seed\?`, "run " + unknownKey},
		{`:2:1: sede = 3: unknown key`, "snapshot " + unknownKey + " --out " + filepath.Join(t.TempDir(), "x")},
		{`unexpected argument rnu, did you mean one of "run", "ros"\?`, "rnu"},
		{`unknown flag --sped, did you mean .*"--speed"`, "run nubot-attack --sped 2"},
		{`unexpected argument again`, "run nubot-attack again"},
		{`--for: .*"soon"`, "run nubot-attack --for soon"},
		{`--for = -1s: must be longer than 0`, "run nubot-attack --for=-1s"},
		{`--for = -1s: must be longer than 0`, "run nubot-attack --for -1s"},
		{`--at = -1s: must not be negative`, "snapshot nubot-attack --out " + file +
			" --at -1s"},
		{`--speed: speed = "-1": must be "realtime", "max", "steady", "lockstep" or a factor`,
			"run nubot-attack --speed -1"},
		{`--out: expected string value but got "--json"`, "run nubot-attack --out --json"},
		{`--speed: expected speed value`, "run nubot-attack --speed"},
		{`--ros1: expected master value`, "run nubot-attack --ros1"},
		{`--for = 0s: must be longer than 0; without --for the run ends with Ctrl-C`, "run nubot-attack --for 0"},
		{`--at = -1s: must not be negative`, "snapshot nubot-attack --out " + file + " --at=-1s"},
		{`--speed: .*must be "realtime", "max", "steady", "lockstep" or a factor`, "run nubot-attack --speed fast"},
		{`--speed: .*must be "realtime", "max", "steady", "lockstep" or a factor`, "run nubot-attack --speed 0"},
		{`--seed: .*"one"`, "run nubot-attack --seed one"},
		{`--ros1: master = "on": must be embedded, embedded:PORT, external or off`, "run nubot-attack --ros1 on"},
		{`missing flags: --out=DIR`, "snapshot nubot-attack"},
		{`there is no sensor cyan1\.omin, did you mean cyan1\.omni\?`, "run nubot-attack --level cyan1.omin=objects"},
		{`level = "objcts": must be one of raw, ideal, features, objects, truth for kind omni, did you mean objects\?`,
			"run nubot-attack --level cyan1.omni=objcts"},
		{`no sensor that matches \* has level "tuth": they have raw, ideal, features, objects, truth, did you mean truth\?`, "run nubot-attack --level *=tuth"},
		{`no sensor that matches \*\.imu has level "pose": they have raw, truth\n`,
			"run nubot-attack --level *.imu=pose"},
		{`level = "ideal": must be one of raw, truth for kind imu`, "run nubot-attack --level cyan1.imu=ideal"},
		{`--level cyan1\.omni: must be ROBOT\.SENSOR=LEVEL`, "run nubot-attack --level cyan1.omni"},
		{`"cyan1\[": is no pattern|"cyan1\[" is no pattern`, "run nubot-attack --level cyan1[=raw"},
		{`--out .*: not a directory`, "run nubot-attack --ros1 off --level *=truth --out " + file},
		{`"nubto" does not ship with omnipitch, did you mean "nubot"\?`, "worlds show nubto"},
	} {
		t.Run(c.args, func(t *testing.T) { refuses(t, console.ExitBadInput, c.want, strings.Fields(c.args)...) })
	}
}

// TestAllErrorsOfAWorld checks that a world with several errors has one line for each, after a line with their number.
func TestAllErrorsOfAWorld(t *testing.T) {
	path := must.File(t, "bad.toml", "name = \"x\"\nsede = 3\n[time]\nstep_ms = 0\n[[robot]]\nname = \"a\"\nmodel = "+
		"\"nubto\"\n")
	places := []string{path + ":2:1: sede = 3: unknown key", path + ":4:1: time: step_ms = 0: must lie in [0.1, 50]",
		path + ":7:1: robot[0]: model = "}
	lines := func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
	begin := func(what string, got, want []string) {
		t.Helper()
		if len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("%s:\n%s\nwant lines that begin\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	code, stdout, stderr := command(t, "run", path)
	if code != console.ExitBadInput || stdout != "" {
		t.Errorf("run: exit code %d, stdout %q", code, stdout)
	}
	begin("run", lines(stderr), append([]string{"omnipitch: world " + path + " has 3 errors:"}, places...))
	_, stdout, _ = command(t, "check", "nubot-attack", path)
	begin("check", lines(stdout), append([]string{"nubot-attack: ok"}, places...))
	for _, c := range []struct {
		code         int
		args, stderr string
	}{
		{console.ExitBadInput, "nubot-attack " + path, "omnipitch: 1 of 2 worlds is not valid\n"},
		{console.ExitBadInput, path, "omnipitch: 1 world is not valid\n"},
		{console.ExitBadInput, path + " " + path, "omnipitch: 2 of 2 worlds are not valid\n"},
		{console.ExitDone, "nubot-attack", ""},
	} {
		if code, _, stderr := command(t, strings.Fields("check "+c.args)...); code != c.code || stderr != c.stderr {
			t.Errorf("check %s: exit code %d, stderr %q, want %d, %q", c.args, code, stderr, c.code, c.stderr)
		}
	}
}

// TestNoMaster checks the exit code and the sentence of a run without a usable ROS master.
func TestNoMaster(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	taken := "http://" + l.Addr().String()
	free, _ := freeMaster(t)
	out := filepath.Join(t.TempDir(), "out")
	const like = `": must be like http://`
	for _, c := range []struct {
		uri, kind, want string
		code            int
	}{
		{taken, "embedded",
			"address already in use by a program that does not answer as a ROS master: choose another port: " +
				"--ros1 embedded:PORT names it, embedded:0 takes", console.ExitUnavailable},
		{free, "external", "is a master running there", console.ExitUnavailable},
		{"http://localhost:99999/", "embedded", `ROS_MASTER_URI = "http://localhost:99999/` + like,
			console.ExitBadInput},
		{"http://127.0.0.1", "embedded", `ROS_MASTER_URI = "http://127.0.0.1` + like, console.ExitBadInput},
		{"localhost", "embedded", `ROS_MASTER_URI = "localhost` + like, console.ExitBadInput},
		{"localhost:11311", "external", `ROS_MASTER_URI = "localhost:11311` + like, console.ExitBadInput},
	} {
		t.Setenv("ROS_MASTER_URI", c.uri)
		refuses(t, c.code, c.want, "run", "nubot-attack", "--level", "*=truth", "--for", "1s", "--ros1", c.kind,
			"--out",
			out)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: --out was made", c.uri)
		}
	}
}

// TestNoDriver checks that without an OpenGL driver only rendering with OpenGL is refused.
func TestNoDriver(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	// EGL finds no driver, and the better instructions of the processor are hidden.
	without := func(line string) *process {
		return start(t, "", append([]string{"env", "__EGL_VENDOR_LIBRARY_FILENAMES=/nonexistent", "OMNIPITCH_SIMD=base",
			program(t)}, strings.Fields(line+" --out "+out)...)...)
	}
	for _, line := range []string{"run nubot-attack --ros1 off --for 100ms", "snapshot nubot-attack"} {
		without(line+" --renderer opengl").refuses(console.ExitUnavailable, "install .*libegl1.*libgl1-mesa-dri")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("--out was made")
	}
	without("run nubot-attack --ros1 off --for 100ms").wantExit(console.ExitDone)
	if images, err := filepath.Glob(filepath.Join(out, "cyan1.omni.*.png")); err != nil || len(images) == 0 {
		t.Errorf("auto has drawn %d images of cyan1.omni, %v", len(images), err)
	}
}

// TestCtrlCEndsWithASummary checks that SIGINT, SIGTERM and SIGHUP end a run with success, a summary and complete
// files.
func TestCtrlCEndsWithASummary(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		uri, _ := freeMaster(t)
		dir := t.TempDir()
		p := simulate(t, uri, "--level", "*=truth", "--out", dir)
		awaitTruth(t, dir)
		p.signal(signal)
		if sum := p.summary(); sum.World != "nubot-attack" || sum.Steps == 0 { // fails if the exit code is not 0
			t.Errorf("%v: summary %+v", signal, sum)
		}
		wantWholeTruth(t, dir)
	}
}

// TestRunJSON checks the fields and values of the JSON summary of a run.
func TestRunJSON(t *testing.T) {
	code, stdout, stderr := command(t, "run", "nubot-attack", "--json", "--ros1", "off", "--level", "*=objects",
		"--level", "*1.imu=truth",
		"--for", "2s", "--speed", "max", "--seed", "7")
	if code != console.ExitDone || withoutProgress(stderr) != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	var got map[string]any
	must.Do(t, json.Unmarshal([]byte(stdout), &got))
	keys := func(m map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(m)), " ") }
	if k := keys(got); k != "real_time_factor robots seed sensors sim_s state_hash steps wall_s world" {
		t.Errorf("fields: %s", k)
	}
	for key, want := range map[string]any{"world": "nubot-attack", "seed": 7.0, "sim_s": 2.0, "steps": 400.0} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
	if hash, _ := got["state_hash"].(string); !regexp.MustCompile("^[0-9a-f]{16}$").MatchString(hash) {
		t.Errorf("state_hash = %q", hash)
	}
	// At most a millisecond of work in a step of 5 ms.
	if factor, _ := got["real_time_factor"].(float64); !(factor > 1) {
		t.Errorf("real_time_factor = %v at speed max", factor)
	}
	list, _ := got["sensors"].([]any)
	want := map[string]any{"cyan1.omni": "objects", "cyan1.front": "objects", "cyan1.odometry": "raw",
		"cyan1.imu":            "truth",
		"magenta1.omni":        "objects",
		"magenta1.kinect_left": "objects", "magenta1.kinect_right": "objects", "magenta1.odometry": "raw",
		"magenta1.imu": "truth"}
	must.Equal(t, len(list), len(want), "sensors")
	for _, entry := range list {
		s, _ := entry.(map[string]any)
		if k := keys(s); k != "frames late_frames level rate_hz robot sensor wall_latency_ms" {
			t.Errorf("fields of a sensor: %s", k)
		}
		name := s["robot"].(string) + "." + s["sensor"].(string)
		if s["level"] != want[name] {
			t.Errorf("%s: level %v, want %v", name, s["level"], want[name])
		}
		frames, rate := s["frames"].(float64), s["rate_hz"].(float64)
		if frames != 0 || rate != 0 || s["late_frames"] != 0.0 { // nobody listens
			t.Errorf("%s: %v", name, s)
		}
	}
}

// TestSameSeedSameState checks that two processes with the same world and seed end in the same state, at any pace and
// with any recording.
func TestSameSeedSameState(t *testing.T) {
	state := func(args ...string) string {
		t.Helper()
		return launch(t, "", append([]string{"run", "nubot-attack", "--json", "--ros1", "off", "--for", "1s"},
			args...)...).summary().StateHash
	}
	want := state("--seed", "3", "--speed", "max", "--level", "*=objects")
	if got := state("--seed", "3", "--speed", "4", "--level", "*=truth", "--out", t.TempDir()); got != want {
		t.Errorf("state %s, then %s", want, got)
	}
}

// TestHelp checks that help is printed for the program and its commands, and that it names all levels of sensors.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"-h"}} {
		code, stdout, stderr := command(t, args...)
		if code != console.ExitDone || stderr != "" {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr)
		}
		wantLines(t, stdout, "Simulate a world", "snapshot", "check", "worlds", "Exit codes: 0 success")
	}
	_, help, _ := command(t, "run", "--help")
	help = strings.Join(strings.Fields(help), " ")
	for _, kind := range sensors.Kinds() {
		for _, level := range kind.Levels() {
			if !regexp.MustCompile(`Set the level of a sensor: [^.]*\b` + string(level) + `\b`).MatchString(help) {
				t.Errorf("run --help lacks level %s, which %s has:\n%s", level, kind, help)
			}
		}
	}
	for _, name := range []string{"run", "snapshot", "check", "worlds"} {
		code, stdout, stderr := command(t, name, "--help")
		if code != console.ExitDone || stderr != "" || !strings.HasPrefix(stdout, "Usage: omnipitch "+name) {
			t.Errorf("%s --help: exit code %d, stderr %q\n%s", name, code, stderr, stdout)
		}
	}
}

// TestWorlds checks that every listed world can be shown and equals the file in the repository.
func TestWorlds(t *testing.T) {
	code, stdout, stderr := command(t, "worlds")
	if code != console.ExitDone || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	var files []string
	err := filepath.WalkDir("../../worlds", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && (d.Name() == "schema" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".toml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	if n := strings.Count(stdout, "\n"); n != len(files) {
		t.Errorf("%d lines for %d files:\n%s", n, len(files), stdout)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".toml")
		if !strings.Contains(stdout, "  "+name+"  ") {
			t.Errorf("%s is not listed:\n%s", name, stdout)
		}
		want := must.Get(os.ReadFile(path))(t)
		if code, text, stderr := command(t, "worlds", "show", name); code != console.ExitDone || text != string(want) ||
			stderr != "" {
			t.Errorf("worlds show %s: exit code %d, %d bytes, stderr %q", name, code, len(text), stderr)
		}
	}
}
