package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const sweptWorld = `name = "swept"
[test]
for_s = 0.2
[physics]
engine = "planar"
[vars]
speed = 3
[[robot]]
name = "cyan1"
body = { radius_m = 0.25, height_m = 0.7, mass_kg = 20, inertia_zz_kg_m2 = 1, com_height_m = 0.2 }
drive = { level = "kinematic", wheel_angles_deg = [60, 180, 300], wheel_distance_m = 0.2, wheel_radius_m = 0.05, max_wheel_speed_m_s = 4, max_speed_m_s = 3, max_omega_deg_s = 500, max_accel_m_s2 = 4, max_alpha_deg_s2 = 2000 }
pose = { x_m = -3 }
[[event]]
at_s = 0
place = { name = "ball", x_m = 1, y_m = { uniform = [-0.5, 0.5] }, vx_m_s = "{speed}" }
[[area]]
name = "there"
circle = { x_m = 1.5, radius_m = 0.3 }
[[expect]]
name = "there"
eventually = { in_area = { name = "ball", area = "there" } }
`

const sweptFile = `name = "sweep"
worlds = ["swept.toml"]
seeds = "1..10"
[[axis]]
key = "vars.speed"
values = [1, 6]
`

// lockedBuffer is a buffer that can be read while a command writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestSweep compares a sweep whose runs were done by remote workers with one that ran everything itself. The tables
// must be equal. A worker without the token must get no table.
func TestSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"swept.toml": sweptWorld, "sweep.toml": sweptFile,
		"other.toml": strings.Replace(sweptFile, "6]", "5]", 1)} {
		must.Write(t, name, text)
	}
	call := func(ctx context.Context, args ...string) (int, string, string) {
		var out, errs lockedBuffer
		code := run(ctx, args, console.Streams{Out: &out, Err: &errs})
		return code, out.String(), errs.String()
	}
	code, alone, errs := call(t.Context(), "sweep", "sweep.toml", "--out", "alone", "--record")
	if code != console.ExitFailed || !strings.Contains(alone, "20 runs: ") || !strings.Contains(errs, "omnipitch: ") {
		t.Fatalf("exit code %d\n%s%s", code, alone, errs)
	}
	var out, notes lockedBuffer
	ended := make(chan int, 1)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() {
		ended <- run(ctx, []string{"sweep", "sweep.toml", "--out", "shared", "--jobs", "0", "--listen", "0.0.0.0:0",
			"--record"}, console.Streams{Out: &out, Err: &notes})
	}()
	var hint []string
	for hint == nil {
		select {
		case code := <-ended:
			t.Fatalf("exit code %d\n%s%s", code, out.String(), notes.String())
		case <-time.After(5 * time.Millisecond):
			hint = regexp.MustCompile(`workers: omnipitch (worker --join (\S+))\n`).FindStringSubmatch(notes.String())
		}
	}
	worker := strings.Fields(hint[1])
	join, err := os.ReadFile(hint[2])
	if err == nil { // with another token
		err = os.WriteFile("stranger", regexp.MustCompile(`(?m)^token = .*$`).ReplaceAll(join,
			[]byte(`token = "0123456789abcdef"`)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(ctx, "worker", "--join", "stranger"); code != console.ExitUnavailable ||
		!strings.Contains(errs, "Authorization Violation") {
		t.Errorf("without the token: exit code %d\n%s", code, errs)
	}
	did := 0
	for did < 20 { // a worker may start before the sweep exists
		code, text, errs := call(ctx, append(worker, "--jobs", "2", "--name", "w")...)
		m := regexp.MustCompile(`^(\d+) runs done, 0 images drawn\n$`).FindStringSubmatch(text)
		if code != console.ExitDone || m == nil {
			t.Fatalf("worker: exit code %d\n%s%s", code, text, errs)
		}
		if m[1] == "20" {
			did = 20
		}
	}
	if code := <-ended; code != console.ExitFailed || out.String() != alone {
		t.Errorf("exit code %d\n%s%swant\n%s", code, out.String(), notes.String(), alone)
	}
	var tables [2][]byte
	for i, folder := range []string{"alone", "shared"} {
		tables[i] = must.Get(os.ReadFile(filepath.Join(folder, "results.csv")))(t)
	}
	if !bytes.Equal(tables[0], tables[1]) || bytes.Count(tables[0], []byte("\n")) != 21 {
		t.Errorf("alone\n%s\nshared\n%s", tables[0], tables[1])
	}
	recordings, _ := filepath.Glob("shared/recordings/*.mcap")
	if len(recordings) == 0 {
		t.Fatal("no recordings")
	}
	if code, text, errs := call(ctx, "replay", recordings[0], "--check"); code != console.ExitDone {
		t.Errorf("%s: exit code %d\n%s%s", recordings[0], code, text, errs)
	}
	again(t, "alone", func(args ...string) (int, string, string) { return call(ctx, args...) })
	for _, c := range []struct {
		args, want string
	}{
		{"sweep sweep.toml --out alone", alone},
		{"sweep other.toml --out alone", "holds sweep sweep with another sweep file"},
		{"sweep sweep.toml --out .", "must be empty or the folder of this sweep"},
		{"sweep missing.toml --out x", `sweep "missing.toml": cannot be read`},
		{"sweep sweep.toml --out x --jobs 0", "so that workers can do the runs"},
		{"worker", "give --join FILE, which sweep --listen writes, or --nats URL"},
		{"worker --join stranger --nats nats://127.0.0.1:1", "not with --nats, --creds, --token or --tls-..."},
		{"worker --join stranger --tls-ca none", "not with --nats"},
		{"worker --join none", `--join = "none": there is no such file`},
		{"worker --join sweep.toml", "--join: sweep.toml:1:1: name = \"sweep\": unknown key"},
		{"worker --nats nats://127.0.0.1:1 --creds none", `--creds = "none": must name a file`},
		{"sweep sweep.toml --out x --lease 1ms", "must lie in [1s, 1h]"},
		{"worker --nats nats://127.0.0.1:1", "NATS at nats://127.0.0.1:1"},
	} {
		code, text, errs := call(ctx, strings.Fields(c.args)...)
		if code == console.ExitDone || !strings.Contains(text+errs, c.want) {
			t.Errorf("%s: exit code %d\n%s%swant %s", c.args, code, text, errs, c.want)
		}
	}
}

// again repeats the last failed run of a sweep's folder with the commands in its files. They must end in the state of
// the sweep.
func again(t *testing.T, folder string, call func(args ...string) (int, string, string)) {
	t.Helper()
	type result struct {
		Job, Again string
		Sim        float64 `json:"sim_s"`
		StateHash  string  `json:"state_hash"`
	}
	var all struct{ Results []result }
	text, err := os.ReadFile(filepath.Join(folder, "results.json"))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	page, pageErr := os.ReadFile(filepath.Join(folder, "report.html"))
	must.Do(t, errors.Join(err, pageErr))
	var failed result
	for _, r := range all.Results {
		if r.Again != "" {
			failed = r
		}
	}
	shown := strings.Replace(strings.Replace(failed.Again, "omnipitch test ", "omnipitch run ", 1), "--seeds", "--seed",
		1)
	if failed.Again == "" || failed.StateHash == "" || !strings.Contains(string(page),
		`<code class="line">`+failed.Again+"</code>") || !strings.Contains(string(page),
		`<code class="line">`+shown+"</code>") {
		t.Fatalf("%+v is not in the report", failed)
	}
	var tested struct {
		Worlds []struct{ Results []result }
	}
	code, out, errs := call(append(strings.Fields(failed.Again)[1:], "--json")...)
	if err := json.Unmarshal([]byte(out), &tested); err != nil || code != console.ExitFailed ||
		tested.Worlds[0].Results[0].StateHash != failed.StateHash {
		t.Errorf("%s: %v, exit code %d, want state %s\n%s%s", failed.Again, err, code, failed.StateHash, out, errs)
	}
	var watched result
	sim := time.Duration(failed.Sim * float64(time.Second)).Round(time.Millisecond)
	code, out, errs = call(append(strings.Fields(shown)[1:], "--for", sim.String(), "--speed", "max", "--ros1", "off",
		"--web", "off", "--json")...)
	if err := json.Unmarshal([]byte(out), &watched); err != nil || code != console.ExitDone ||
		watched.StateHash != failed.StateHash {
		t.Errorf("%s: %v, exit code %d, want state %s\n%s%s", shown, err, code, failed.StateHash, out, errs)
	}
}

// TestSweepWithPrograms checks that a sweep starts each run's own program with the values of its point. It must do so
// locally and in workers that permit programs, and in no others.
func TestSweepWithPrograms(t *testing.T) {
	program(t) // builds it here
	world := strings.Replace(programWorld, `name = "w"`, "name = \"w\"\nvars = { code = \"\", trace = \"\" }\ntest = "+
		"{ for_s = 0.1 }", 1) +
		sh(`echo "$OMNIPITCH_SEED $CODE" >> "$TRACE"; test $CODE = 0 || exit $CODE; echo began; exec sleep 1000`,
			`env = { CODE = "{code}", TRACE = "{trace}" }`, `wait_for = { prints = "began" }`) +
		"\n[[expect]]\nname = \"stands\"\nalways = { near = { name = \"cyan1\", of = \"ball\", within_m = 50 } }\n"
	path := aWorld(t, world)
	t.Chdir(filepath.Dir(path))
	trace := filepath.Join(t.TempDir(), "trace")
	text := "name = \"programs\"\nworlds = [" + `"` + filepath.Base(path) + `"` +
		"]\nseeds = \"1..2\"\n[[axis]]\nkey = \"vars.code\"\nvalues = [\"0\", \"3\"]\n[[axis]]\nkey = " +
		"\"vars.trace\"\nvalues = ['" + trace + "']\n"
	must.Write(t, "sweep.toml", text)
	launch(t, "", "sweep", "sweep.toml", "--out", "none").wantExit(console.ExitBadInput,
		"program bot is not started: --programs starts it")
	sweep := launch(t, "", "sweep", "sweep.toml", "--out", "out", "--programs", "--jobs", "0", "--listen", "0")
	sweep.says("workers: ")
	for refused := false; !refused; { // it may start before the sweep exists
		worker := launch(t, "", "worker", "--join", "out/join")
		refused = worker.exitCode() == console.ExitBadInput
		want := "0 runs done"
		if refused {
			want = "worlds of sweep programs start programs, which needs a worker with --programs"
		}
		worker.wantExit(worker.exitCode(), want)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Fatal("a program was started without --programs")
	}
	launch(t, "", "worker", "--join", "out/join", "--programs", "--jobs", "2").wantExit(console.ExitDone, "4 runs done")
	sweep.wantExit(console.ExitFailed, "4 runs: 2 passed, 2 failed")
	started := read(t, trace)
	if got := strings.Split(strings.TrimSpace(started), "\n"); !slices.Equal(sorted(got),
		[]string{"1 0", "1 3", "2 0", "2 3"}) {
		t.Errorf("programs were started with %q", got)
	}
	file := must.Get(os.Open("out/results.csv"))(t)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%v: %q", err, rows)
	}
	passed, why := slices.Index(rows[0], "passed"), slices.Index(rows[0], "error")
	for _, row := range rows[1:] {
		want := map[string]string{"0": "", "3": "program bot: ended with exit code 3"}[row[3]]
		if row[passed] != map[string]string{"0": "true", "3": "false"}[row[3]] || !strings.HasPrefix(row[why], want) {
			t.Errorf("%q", row)
		}
	}
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }
