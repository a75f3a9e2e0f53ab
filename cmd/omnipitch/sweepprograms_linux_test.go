package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

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
	noError(t, os.WriteFile("sweep.toml", []byte(text), 0o644))
	call := func(want int, args ...string) string {
		cmd := exec.CommandContext(t.Context(), program(t), args...)
		cmd.Env = environment()
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%v: exit code %d, want %d\n%s", args, code, want, out)
		}
		return string(out)
	}
	if out := call(console.ExitBadInput, "sweep", "sweep.toml", "--out", "none"); !strings.Contains(out,
		"program bot is not started: --programs starts it") {
		t.Errorf("without --programs:\n%s", out)
	}
	sweep := exec.CommandContext(t.Context(), program(t), "sweep", "sweep.toml", "--out", "out", "--programs", "--jobs",
		"0", "--listen", "0")
	sweep.Env = environment()
	var out lockedBuffer
	sweep.Stdout, sweep.Stderr = &out, &out
	noError(t, sweep.Start())
	for begun := time.Now(); !strings.Contains(out.String(), "workers: "); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("it has not begun:\n%s", out.String())
		}
	}
	for refused := false; !refused; { // it may start before the sweep exists
		cmd := exec.CommandContext(t.Context(), program(t), "worker", "--join", "out/join")
		said, _ := cmd.CombinedOutput()
		refused = cmd.ProcessState.ExitCode() == console.ExitBadInput && strings.Contains(string(said),
			"worlds of sweep programs start programs, which needs a worker with --programs")
		if !refused && !strings.Contains(string(said), "0 runs done") {
			t.Fatalf("a worker without --programs: %s", said)
		}
	}
	if _, err := os.Stat(trace); err == nil {
		t.Fatal("a program was started without --programs")
	}
	if said := call(console.ExitDone, "worker", "--join", "out/join", "--programs", "--jobs",
		"2"); !strings.Contains(said,
		"4 runs done") {
		t.Errorf("worker: %s", said)
	}
	if err := sweep.Wait(); err == nil || sweep.ProcessState.ExitCode() != console.ExitFailed ||
		!strings.Contains(out.String(), "4 runs: 2 passed, 2 failed") {
		t.Errorf("%v\n%s", err, out.String())
	}
	started := must(os.ReadFile(trace))(t)
	if got := strings.Split(strings.TrimSpace(string(started)), "\n"); !slices.Equal(sorted(got),
		[]string{"1 0", "1 3", "2 0", "2 3"}) {
		t.Errorf("programs were started with %q", got)
	}
	file := must(os.Open("out/results.csv"))(t)
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
