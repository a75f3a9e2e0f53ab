package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/files"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// recorded records a world in which much happens.
func recorded(t *testing.T, path string, args ...string) {
	t.Helper()
	prints(t, console.ExitDone, "", append([]string{"run", "chase-ball", "--ros1", "off", "--speed", "max", "--for",
		"6s",
		"--record", path}, args...)...)
}

// TestRecordings checks the commands that verify a recording, summarise it, and show its pictures. The pictures must
// equal those that the run would have rendered, byte for byte.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	plain, exact := dir+"/plain.mcap", filepath.Join(dir, "exact.mcap")
	recorded(t, plain)
	recorded(t, exact, "--record-exact")
	for _, path := range []string{plain, exact} {
		prints(t, console.ExitDone, "the states of 1201 steps equal those of the recording", "replay", path, "--check")
		wantLines(t, prints(t, console.ExitDone, "chase-ball", "info", path), "/omnipitch/truth")
		prints(t, console.ExitDone, `name = "chase-ball"`, "info", path, "--attached", "world.toml")
	}
	was, is := filepath.Join(dir, "was"), filepath.Join(dir, "is")
	prints(t, console.ExitDone, "", "run", "chase-ball", "--ros1", "off", "--speed", "max", "--for", "1.8s",
		"--level", "cyan2.omni=raw", "--renderer", "tile", "--out", was)
	prints(t, console.ExitDone, "", "replay", exact, "--from", "1.5s", "--for", "300ms", "--sensor", "cyan2.omni=raw",
		"--renderer", "tile", "--out", is)
	pictures, err := filepath.Glob(filepath.Join(is, "cyan2.omni.raw.*.png"))
	if err != nil || len(pictures) < 5 {
		t.Fatal(pictures, err)
	}
	for _, p := range pictures {
		if read(t, p) != read(t, filepath.Join(was, filepath.Base(p))) {
			t.Errorf("%s is not what the run draws", filepath.Base(p))
		}
	}
}

// TestContinuedRuns checks that a run which continues from a moment of its recording, without commands, equals the run.
func TestContinuedRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	recorded(t, path)
	hash := func(args ...string) string {
		return summaryOf(t, append(args, "--ros1", "off", "--speed", "max")...).StateHash
	}
	want := hash("run", "chase-ball", "--for", "7s")
	for from, rest := range map[string]string{"0s": "7s", "2.5s": "4.5s", "6s": "1s"} {
		must.Equal(t, hash("replay", path, "--from", from, "--continue", "--for", rest), want, "from %s: state", from)
	}
}

// TestRecordingsThatCannotBe checks that an impossible request is refused in one sentence and leaves existing files
// unchanged.
func TestRecordingsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.mcap"), filepath.Join(dir, "other")
	recorded(t, path)
	must.Write(t, other, "no recording")
	before := contents(t, dir)
	for _, c := range []struct{ want, args string }{
		{"a.mcap", "run chase-ball --ros1 off --for 1s --record " + path},
		{"--record: needs the name of a file", "run chase-ball --record="},
		{"--record-exact: needs --record", "run chase-ball --record-exact"},
		{"--record-topic: needs --record", "run chase-ball --record-topic /*"},
		{"not with --ros1 off", "run chase-ball --ros1 off --record " + dir + "/b.mcap --record-topic /*"},
		{"other", "replay " + other},
		{"other", "info " + other},
		{`--attached = "w.toml": ` + path + " has ", "info " + path + " --attached w.toml"},
		{"nothing.mcap", "replay " + dir + "/nothing.mcap"},
		{"ends at 6s", "replay " + path + " --from 7s --ros1 off"},
		{"--check", "replay " + path + " --check --from 1s"},
		{"other", "diff " + path + " " + other},
		{"other", "plot " + other},
		{"did you mean ball.speed?", "plot " + path + " --of ball.sped --out " + dir + "/p.png"},
		{"must end with .png, .svg or .csv", "plot " + path + " --of ball.speed --out " + dir + "/p.gif"},
		{"--out: needs --of", "plot " + path + " --out " + dir + "/p.png"},
		{"nothing", "plot " + path + " --of ball.speed --out " + dir + "/nothing/p.png"},
		{"nothing.mcap", "diff " + dir + "/nothing.mcap" + " " + path},
	} {
		objects(t, c.want, strings.Fields(c.args)...)
	}
	if after := contents(t, dir); len(after) != len(before) || after["a.mcap"] != before["a.mcap"] {
		t.Errorf("files are others than before: %d, not %d", len(after), len(before))
	}
	recorded(t, path, "--overwrite")
}

// TestRecordingsOfRefusedRuns checks that a run which is refused before its first step leaves no recording, and does
// not change the one that it would replace.
func TestRecordingsOfRefusedRuns(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mcap")
	recorded(t, path)
	before := contents(t, dir)
	for _, args := range [][]string{{path, "--overwrite"}, {filepath.Join(dir, "b.mcap")}} {
		code, _, stderr := command(t, append([]string{"run", "chase-ball", "--ros1", "off", "--for", "1s",
			"--refbox-server", taken.Addr().String(), "--record"}, args...)...)
		if code != console.ExitUnavailable || strings.Contains(stderr, "recording") {
			t.Errorf("%q: exit code %d, want %d and nothing about a recording: %s", args, code, console.ExitUnavailable,
				stderr)
		}
		if after := contents(t, dir); len(after) != 1 || after["a.mcap"] != before["a.mcap"] {
			t.Errorf("%q: files are others than before: %d of them", args, len(after))
		}
	}
}

// TestRecordingsOfInterruptedRuns checks the recordings of killed runs. After SIGTERM the recording must be complete.
// After SIGKILL it must be marked as incomplete and be valid up to its end.
func TestRecordingsOfInterruptedRuns(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		path := filepath.Join(t.TempDir(), "a.mcap")
		p := launch(t, "", "run", "chase-ball", "--ros1", "off", "--speed", "5", "--record", path)
		until(t, "states in the file", func() bool {
			code, stdout, _ := command(t, "info", path+".partial", "--json")
			return code == console.ExitDone && strings.Contains(stdout, "/omnipitch/hashes")
		})
		p.signal(sig)
		p.exitCode()
		if sig == syscall.SIGKILL {
			path += ".partial"
		}
		prints(t, console.ExitDone, "equal those of the recording", "replay", path, "--check")
	}
}

// TestDiff checks that two runs of one world are equal, however they were recorded. For different runs it must report
// the first difference, as text and as JSON.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	plain, exact, other := dir+"/plain.mcap", filepath.Join(dir, "exact.mcap"),
		filepath.Join(dir, "other.mcap")
	recorded(t, plain)
	recorded(t, exact, "--record-exact")
	recorded(t, other, "--level", "cyan2.omni=truth", "--for", "5s")
	prints(t, console.ExitDone, "the same run: the same world, inputs, and states of 1201 steps\n", "diff", plain,
		exact)
	wantLines(t, prints(t, console.ExitFailed, "differ from the beginning", "diff", plain, other),
		"[[robot.sensor]] omni of cyan2", `level = "truth"`, "length", "step 1000 (5s)", "6s")
	code, stdout, _ := command(t, "diff", plain, other, "--json")
	var found struct {
		Same        bool
		SameSteps   int64 `json:"same_steps"`
		Differences []differenceJSON
	}
	if err := json.Unmarshal([]byte(stdout), &found); err != nil || code != console.ExitFailed || found.Same ||
		found.SameSteps != 1001 || len(found.Differences) != 2 ||
		found.Differences[0].Of != "world" || found.Differences[0].Step != nil || found.Differences[1].Of != "length" ||
		*found.Differences[1].Step != 1000 {
		t.Errorf("exit code %d, %v: %s", code, err, stdout)
	}
}

// TestPlot lists, prints and plots the numbers of a recording.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mcap")
	recorded(t, path)
	if list := prints(t, console.ExitDone, "", "plot",
		path); !regexp.MustCompile(`\ncyan2\.speed +m/s\n`).MatchString(list) {
		t.Errorf("the list lacks cyan2's speed:\n%s", list)
	}
	code, stdout, stderr := command(t, "plot", path, "--of", "ball.x,cyan2.speed", "--from", "1s", "--for", "40ms")
	if lines := strings.Split(stdout, "\n"); code != console.ExitDone || len(lines) != 4 ||
		lines[0] != "time_s,ball.pose.x,cyan2.speed" || !strings.HasPrefix(lines[2], "1.02,4.5636") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	for name, begins := range map[string]string{"p.png": "\x89PNG", "p.svg": "<?xml",
		"p.csv": "time_s,a: ball.speed,a: ball.speed"} {
		out := filepath.Join(dir, name)
		for range 2 { // the second replaces the first
			silent(t, "plot", path, path, "--of", "ball.speed", "--out", out)
		}
		if got := read(t, out); !strings.HasPrefix(got, begins) {
			t.Errorf("%s begins with %.20q, want %q", name, got, begins)
		}
	}
}

// TestExport checks that a recording of a run becomes a bag. An impossible export must give one sentence and leave
// existing files unchanged.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"))
	silent(t, "export", in("a.mcap"), "--out", in("a.bag"))
	for name, text := range map[string]string{"other.mcap": "no recording", "there.bag": "another file",
		"cut.bag.partial": "another process"} {
		must.Write(t, in(name), text)
	}
	must.Do(t, os.Mkdir(in("folder.bag"), 0o700))
	before := contents(t, dir)
	for _, c := range []struct{ want, args string }{
		{"no such file", "nothing.mcap b.bag"},
		{"must be an MCAP file", "other.mcap b.bag"},
		{"must end in .bag", "a.mcap b.bga"},
		{"rate = 99", "a.mcap b.zip --rate 99"},
		{"hold the truth only", "a.mcap b.zip --topic /a"},
		{"has no messages", "a.mcap b.yaml --topic /a"},
		{"must be the name of the map.yaml", "a.mcap b.pgm --format map"},
		{"are for maps only", "a.mcap b.bag --height 1"},
		{"--height = -1: must lie in [0, 20] m", "a.mcap b.yaml --height -1"},
		{"--resolution = 0: must lie in [0.005, 1] m", "a.mcap b.yaml --resolution 0"},
		{"is for logs of the referee box only", "a.mcap tables --rate 5"},
		{"must be a new or empty folder", "a.mcap . --format rosbag2"},
		{"no such topic", "a.mcap b --format rosbag2 --topic /cyan9/*"},
		{"own name", "a.mcap a.mcap --format bag --overwrite"},
		{"own name", "a.mcap.partial a.mcap --format bag --overwrite"},
		{"no such topic", "a.mcap tables --topic /cyan9/*"},
		{"must be a new or empty folder", "a.mcap ."},
		{"there.bag: exists", "a.mcap there.bag"},
		{"cut.bag.partial: file exists", "a.mcap cut.bag"},
		{"is a folder", "a.mcap folder.bag --overwrite"},
		{"nowhere", "a.mcap nowhere/b.bag"},
		{`topics[0] = "/cyan9/*": the recording has no such topic`, "a.mcap b.bag --topic /cyan9/*"},
		{"must be a name", "a.mcap b.bag --topic '/a b'"},
		{"ends at 6s", "a.mcap b.bag --from 7s"},
		{"must not be negative", "a.mcap b.bag --for -1s"},
	} {
		words := shellWords(c.args)
		args := append([]string{"export", in(words[0]), "--out", in(words[1])}, words[2:]...)
		objects(t, c.want, args...)
	}
	if after := contents(t, dir); len(after) != len(before) {
		t.Errorf("there are %d files, not %d as before", len(after), len(before))
	}
	prints(t, console.ExitDone, "", "export", in("a.mcap"), "--out", in("there.bag"), "--overwrite")
	if a, b := contents(t, dir)["a.bag"], contents(t, dir)["there.bag"]; a != b ||
		!strings.HasPrefix(a, "----------#ROSBAG V2.0\n") {
		t.Errorf("bags of %d and %d bytes of the same recording are not the same", len(a), len(b))
	}
}

// TestExportTablesAndLogs checks that a recording becomes tables with the truth, and logs of both teams.
func TestExportTablesAndLogs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"), "--record-exact")
	silent(t, "export", in("a.mcap"), "--out", in("tables"), "--from", "1s", "--for", "2s")
	f := must.Get(os.Open(in("tables/omnipitch.truth.csv")))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+100 || rows[1][0] != "1.000000000" {
		t.Fatalf("%d rows, %v; want 2 s at 50 Hz from 1 s on", len(rows), err)
	}
	if name := slices.Index(rows[0], "bodies[0].name"); name < 0 || rows[1][name] != "ball" {
		t.Errorf("the first body of %q is not the ball", rows[1])
	}
	silent(t, "export", in("a.mcap"), "--out", in("match.zip"))
	archive := must.Get(zip.OpenReader(in("match.zip")))(t)
	defer archive.Close()
	if err := fstest.TestFS(archive, "match.A.msl", "match.B.msl"); err != nil {
		t.Error(err)
	}
	if text, err := fs.ReadFile(archive, "match.A.msl"); err != nil || strings.Count(string(text),
		`"type":"worldstate"`) != 61 {
		t.Errorf("%d world states, %v; want 6 s at 10 Hz", strings.Count(string(text), `"type":"worldstate"`), err)
	}
}

// TestExportMap checks that the map of a recording is that of its world, and that a map does not replace files.
func TestExportMap(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	recorded(t, in("a.mcap"))
	silent(t, "export", in("a.mcap"), "--out", in("a.yaml"), "--height", "0.2")
	silent(t, "export", "chase-ball", "--out", in("b.yaml"))
	grid := must.Get(occupancy.Read(in("a.yaml"), files.Read))(t)
	if other := must.Get(occupancy.Read(in("b.yaml"), files.Read))(t); !reflect.DeepEqual(grid, other) {
		t.Error("the map of the recording is not that of its world")
	}
	at := grid.InCells(mgl64.Vec2{9.06, 1.06}) // a goal post
	if v := grid.At(int(at[0]), int(at[1])); v != occupancy.Occupied || grid.Resolution != 0.05 {
		t.Errorf("a goal post has the value %d at %v m, want 100 at 0.05 m", v, grid.Resolution)
	}
	objects(t, "a.yaml: exists", "export", in("a.mcap"), "--out", in("a.yaml"))
	silent(t, "export", in("a.mcap"), "--out", in("a.yaml"), "--overwrite", "--resolution", "0.1")
}

// TestExportsThatEnd checks that an export interrupted by Ctrl-C or a full disk leaves no files.
func TestExportsThatEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	recorded(t, path, "--record-exact")
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, export := range []string{"a.bag", ".", ". --format rosbag2"} {
		words := strings.Fields(export)
		args := append([]string{"export", path, "--out", filepath.Join(disk, words[0])}, words[1:]...)
		refuses(t, console.ExitUnavailable, `^omnipitch: .*write [^:]*: no space left on device\n$`, args...)
		var out, errs bytes.Buffer
		code := run(interrupted, args, console.Streams{Out: &out, Err: &errs})
		wantSentence(t, code, console.ExitFailed, out.String(), errs.String(),
			`^omnipitch: interrupted: nothing was written\n$`)
		for name := range contents(t, disk) {
			if name != "omnipitch-files.txt" { // it lists no files
				t.Errorf("%q: left behind: %s", args, name)
			}
		}
	}
}
