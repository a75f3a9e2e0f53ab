package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	put(t, "sweep.toml", text)
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
