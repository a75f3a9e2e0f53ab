package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/models"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// withPeak runs a program and prints its peak memory in kB. Linux counts the memory of a process also for the programs
// that it starts, so a direct child would show the memory of all earlier tests. It runs without the GOGC of make test.
const withPeak = `
import os, resource, subprocess, sys
os.environ.pop("GOGC", None)
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)`

// TestChecksOfTooMuchTakeLittle checks worlds that are too large for any run, or never end. The check and the run must
// end with exit code 2 and one sentence, and take less than 100 MB.
func TestChecksOfTooMuchTakeLittle(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { must.Write(t, filepath.Join(dir, name), text) }
	must.Do(t, errors.Join(syscall.Mkfifo(filepath.Join(dir, "fifo.gltf"), 0o644),
		os.Symlink("/dev/zero", filepath.Join(dir, "device.gltf"))))
	positions, indices := models.Grid(2, 20)
	carpets := models.Text(positions, indices, true, 10)
	write("carpets.gltf", carpets)
	write("count.gltf", strings.Replace(carpets, `"count": 9`, `"count": 1000000000000`, 1))
	write("zeros.gltf", strings.Replace(carpets, `"bufferView": 0, `, ``, 1))
	write("negative.gltf", strings.Replace(carpets, `"mesh":0`, `"mesh":-1`, 1))
	for name, want := range map[string]string{
		"fifo":     ":4:1: prop[0]: file = \"fifo.gltf\": is a FIFO: must be a regular file",
		"device":   "is a device: must be a regular file",
		"count":    "accessor 0: count = 1000000000000: must lie in [1, ",
		"zeros":    "accessor 0: has neither a buffer view nor sparse values",
		"negative": "mesh -1: there are 1",
		"carpets":  ":5:1: prop[0]: scale = 1: big takes more of a renderer's memory than the 256 MiB that are left",
	} {
		write(name+".toml",
			"include = [\"nubot-attack\"]\n[[prop]]\nname = \"big\"\nfile = \""+name+".gltf\"\nscale = 1\nhang = { x_m = -10, y_m = -10 }\n")
		for _, args := range [][]string{{"check"}, {"run", "--ros1", "off", "--for", "1s"}} {
			p := start(t, "", append([]string{"/usr/bin/python3", "-c", withPeak, program(t)},
				append(args, filepath.Join(dir, name+".toml"))...)...)
			p.wantExit(console.ExitBadInput, want)
			last := strings.Fields(p.stdout())
			if most, err := strconv.Atoi(last[len(last)-1]); err != nil || most > 100_000 {
				t.Errorf("%v %s: took %d kB: %v", args, name, most, err)
			}
		}
	}
}

// TestPropsWarn checks that commands name what images do not show of a prop, once for each file.
func TestPropsWarn(t *testing.T) {
	positions, indices := models.Grid(1, 1)
	text := strings.Replace(models.Text(positions, indices, true, 1), `"asset"`, `"animations": [{}], "extensionsUsed": ["KHR_materials_unlit"], "asset"`, 1)
	dir := t.TempDir()
	must.Write(t, filepath.Join(dir, "m.gltf"), text)
	world := filepath.Join(dir, "w.toml")
	const prop = "[[prop]]\nname = \"%s\"\nfile = \"m.gltf\"\nscale = %d\n"
	must.Write(t, world, "include = [\"nubot-attack\"]\n"+fmt.Sprintf(prop, "one", 1)+fmt.Sprintf(prop, "two", 2))
	want := world + ":4:1: prop[0]: file = \"m.gltf\": warning: images do not show extensions (KHR_materials_unlit), " +
		"animations (1)\n"
	for _, args := range [][]string{{"check", world}, {"worlds", "show", world, "--effective"}} {
		if code, _, stderr := command(t, args...); code != console.ExitDone || stderr != want {
			t.Errorf("%v: exit code %d, stderr %q, want %q", args, code, stderr, want)
		}
	}
}

// TestWorldsShowEffective checks that the output of worlds show --effective is a world that equals the file with that
// seed.
func TestWorldsShowEffective(t *testing.T) {
	world := must.File(t, "random.toml", "name = \"random\"\ninclude = [\"nubot-attack\"]\n[ball]\nx_m = { uniform = "+
		"[-3, 3] }\n")
	code, text, stderr := command(t, "worlds", "show", world, "--effective", "--seed", "5")
	if code != console.ExitDone || stderr != "" ||
		!strings.Contains(text, "# "+world+":4, drawn from { uniform = [-3, 3] } at seed 5\n") {
		t.Fatalf("exit code %d, %s\n%s", code, stderr, text)
	}
	state := func(args ...string) string {
		return summaryOf(t, append([]string{"run", "--for", "0.5s", "--speed", "max", "--ros1", "off", "--level",
			"*=truth"}, args...)...).StateHash
	}
	drawn, again, other := state(world, "--seed", "5"), state(must.File(t, "effective.toml", text)), state(world)
	if drawn != again || drawn == other {
		t.Errorf("states %s, effective %s, with another seed %s", drawn, again, other)
	}
	for args, want := range map[string]string{
		"worlds show planar --seed 5":           "--seed: needs --effective",
		"worlds show plannar --effective":       `world "plannar": is no world that ships with omnipitch and no file, did you mean "planar"?`,
		"worlds show /no/such.toml --effective": "no such file: /no/such.toml",
	} {
		code, stdout, stderr := command(t, strings.Fields(args)...)
		if code != console.ExitBadInput || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// TestRandomWorldsRepeat checks that the same seed gives the same run, and another seed another run. The output and the
// files must name the seed.
func TestRandomWorldsRepeat(t *testing.T) {
	hashes := map[string]string{}
	for _, seed := range []string{"7", "7", "8"} {
		s := summaryOf(t, "run", "random-scenes", "--seed", seed, "--for", "0.5s", "--speed", "max", "--ros1", "off")
		if was, ok := hashes[seed]; ok && was != s.StateHash || fmt.Sprint(s.Seed) != seed {
			t.Errorf("seed %s: %+v, then %+v", seed, was, s)
		}
		hashes[seed] = s.StateHash
	}
	if hashes["7"] == hashes["8"] {
		t.Errorf("two seeds have one state: %v", hashes)
	}
	dir := filepath.Join(t.TempDir(), "out")
	_, out, _ := command(t, "run", "random-scenes", "--seed", "7", "--for", "0.1s", "--speed", "max", "--ros1", "off",
		"--out", dir)
	if !strings.HasPrefix(out, "random-scenes with seed 7: 0.10 s simulated") {
		t.Errorf("printed %s", out)
	}
	if truth, err := os.ReadFile(filepath.Join(dir, "truth.jsonl")); err != nil || !strings.HasPrefix(string(truth),
		`{"seed":7,`) {
		t.Errorf("%v: %.60s", err, truth)
	}
}

// TestCheckDrawsManySeeds checks that check tries random worlds with many seeds. If all are valid, its output must be
// the same as for other worlds.
func TestCheckDrawsManySeeds(t *testing.T) {
	progress := regexp.MustCompile(`(?m)^random-scenes: drawing it with seed .* so far\n`) // on a busy machine
	if code, out, errs := command(t, "check", "random-scenes"); code != 0 || out != "random-scenes: ok\n" ||
		progress.ReplaceAllString(errs, "") != "" {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	const head = "name = \"w\"\n[[robot]]\nname = \"a\"\nmodel = \"nubot\"\npose = { x_m = { uniform = [-8, 8] }, " +
		"y_m = { uniform = [-5, 5] } }\n"
	for name, c := range map[string]struct{ text, want string }{
		"a requirement that few draws keep": {"[[require]]\nnear = { name = \"a\", of = \"ball\", within_m = 0.45 }\n",
			`^w\.toml:6:1: require\[0\]: requires a within 0\.45 m of ball, but there is a \d+\.\d+ m from ball; seed (\d+) gives no valid draw in 1000, and this rule fails in \d+ of them
w\.toml: of seeds 1 to (\d+) these are not valid: (\d+)`},
		"a rule of several keys": {"body.com_height_m = { choice = [0.1, 0.9], weights = [9, 1] }\n",
			`^w\.toml:6:38: robot\[0\]\.body: com_height_m = 0\.9: must lie below height_m \(seed = (\d+)\)
w\.toml: of seeds 1 to (\d+) these are not valid: (\d+)`},
	} {
		t.Chdir(t.TempDir())
		must.Write(t, "w.toml", head+c.text)
		code, out, errs := command(t, "check", "w.toml")
		m := regexp.MustCompile(c.want).FindStringSubmatch(out)
		if code != 2 || m == nil || m[1] != m[3] {
			t.Errorf("%s: %d: %s%s", name, code, out, errs)
			continue
		}
		// That seed fails in a run, and the one before it does not.
		if code, _, errs := command(t, "run", "w.toml", "--seed", m[1], "--for", "0.1s", "--speed", "max", "--ros1",
			"off"); code != 2 || !strings.Contains(errs, strings.SplitN(out, "\n", 2)[0]) {
			t.Errorf("%s: run with seed %s: %d: %s", name, m[1], code, errs)
		}
	}
}

// fileTruth has the fields of a line of truth.jsonl that tests read.
type fileTruth struct {
	Step int64   `json:"step"`
	Time float64 `json:"time_s"`
	Ball struct {
		Position mgl64.Vec3 `json:"position_m"`
		Velocity mgl64.Vec3 `json:"velocity_m_s"`
		HeldBy   string     `json:"held_by"`
		InGoal   string     `json:"in_goal"`
	} `json:"ball"`
}

// TestTruthBeginsWithTimeZero checks that the files of a run begin with the state after the events of time 0, and have
// every step once.
func TestTruthBeginsWithTimeZero(t *testing.T) {
	world := must.File(t, "zero.toml", "name = \"zero\"\ninclude = [\"nubot-attack\"]\n[[event]]\nplace = { name = "+
		"\"ball\", x_m = -4, y_m = 1 }\n")
	dir := t.TempDir()
	prints(t, console.ExitDone, "", "run", world, "--ros1", "off", "--level", "*=objects", "--level", "*=truth",
		"--for", "100ms", "--speed", "max", "--out", dir)
	f := must.Get(os.Open(filepath.Join(dir, "truth.jsonl")))(t)
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := int64(0)
	for ; lines.Scan(); n++ {
		var now fileTruth
		must.Do(t, json.Unmarshal(lines.Bytes(), &now))
		if at := now.Ball.Position.Vec2(); now.Step != n || !(at.Sub([2]float64{-4, 1}).Len() < 0.01) {
			t.Errorf("line %d is step %d with the ball at %v, want %d at [-4 1]", n+1, now.Step, at, n)
		}
	}
	if err := lines.Err(); err != nil || n != 21 {
		t.Errorf("%d lines, want 21; %v", n, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cyan1.omni.truth.000000.json"))
	var seen struct {
		Stamp   float64 `json:"stamp_s"`
		Objects []struct {
			Kind     string     `json:"kind"`
			Position mgl64.Vec3 `json:"position_m"`
		} `json:"objects"`
	}
	if err == nil {
		err = json.Unmarshal(text, &seen)
	}
	if err != nil || seen.Stamp != 0 {
		t.Fatalf("the first objects: stamp %v, %v", seen.Stamp, err)
	}
	// Relative to the pose at which nubot-attack puts cyan1.
	ball := spatial.Planar(0.5, -0.5, 15*math.Pi/180).Inverse().Apply([3]float64{-4, 1, 0}).Vec2()
	if got := seen.Objects[0]; got.Kind != "ball" || !(got.Position.Vec2().Sub(ball).Len() < 0.01) {
		t.Errorf("the first objects begin with %+v, want the ball at %v", got, ball)
	}
}
