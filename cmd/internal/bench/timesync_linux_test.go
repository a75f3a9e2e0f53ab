package bench

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/intervals"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
)

// TestBenchTimesync checks that the bench reports the error of every method for every interval, and the reaction to a
// stop, and writes the plots. It does not test the size of errors, which depends on the machine.
func TestBenchTimesync(t *testing.T) {
	plots := filepath.Join(t.TempDir(), "plots")
	_, got := measure(t, "timesync", "--for", "2s", "--loads", "collisions,stopped", "--speed", "realtime",
		"--plot", plots)
	for _, run := range []string{"collisions_realtime_", "stopped_realtime_"} {
		for _, interval := range []string{"10ms_", "100ms_", "500ms_"} {
			for _, result := range []string{"schedule_error", "last_step_error", "mean_of_50_error",
				"moving_average_error", "ratio_of_200_error", "error", "error_of_reported"} {
				if _, ok := got[run+interval+result]; !ok {
					t.Errorf("%s%s%s is missing", run, interval, result)
				}
			}
		}
		name := "timesync-" + strings.ReplaceAll(strings.TrimSuffix(run, "_"), "_", "-")
		for _, file := range []string{name + ".png", name + "-errors.png"} {
			if info, err := os.Stat(filepath.Join(plots, file)); err != nil || info.Size() < 5000 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if r, ok := got["stopped_realtime_timers_twice_or_back"]; !ok || r.Value != 0 {
		t.Errorf("timers fired twice or back: %+v", r)
	}
	if _, ok := got["clock_resolution"]; !ok {
		t.Error("the clock's resolution is missing")
	}
}

// TestBenchTimesyncMeasuresAnyWorld measures a world of the user over intervals of whole steps. It checks the output as
// a table with a verdict and as CSV.
func TestBenchTimesyncMeasuresAnyWorld(t *testing.T) {
	world := filepath.Join(t.TempDir(), "mine.toml")
	must.Do(t, os.WriteFile(world, []byte("name = \"mine\"\ninclude = [\"planar\"]\ntime.step_ms = 7\n"), 0o600))
	var out strings.Builder
	must.Do(t, command(t.Context(), &out, "timesync", "--for", "1s", "--world", world, "--speed", "max", "--csv"))
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	must.Do(t, err)
	whole := []string{"7", "21", "49", "98", "147", "252", "497"}
	if len(rows) != 1+len(whole)*len(intervals.Methods) ||
		strings.Join(rows[0], ",") != "load,speed,interval_ms,method,mean_error_percent,predictions" {
		t.Fatalf("%d rows: %q", len(rows), rows[:min(len(rows), 2)])
	}
	for i, row := range rows[1:] {
		if row[0] != "mine" || row[1] != "max" || row[2] != whole[i/len(intervals.Methods)] ||
			row[3] != intervals.Methods[i%len(intervals.Methods)].Does {
			t.Errorf("row %d: %q", i, row)
		}
		if e, err := strconv.ParseFloat(row[4], 64); !(e >= 0) || err != nil {
			t.Errorf("row %d: error %q", i, row[4])
		}
		if n, err := strconv.Atoi(row[5]); n < 1 || err != nil {
			t.Errorf("row %d: %q predictions", i, row[5])
		}
	}

	out.Reset()
	must.Do(t, command(t.Context(), &out, "timesync", "--for", "1s", "--world", "planar", "--speed", "20"))
	for _, want := range []string{"planar at 20: ", "omnipitch: from planned steps",
		"Beck et al. 2008, their simulator", "\nverdict: omnipitch's forecasts are ", "\n20: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
}

// TestVerdict checks over which intervals the verdict calls forecasts better than those of the best other method, and
// within the reported error.
func TestVerdict(t *testing.T) {
	run := &timing{load: "collisions", Run: &intervals.Run{Speed: timesync.RealTime,
		Spans: []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
			100 * time.Millisecond, 500 * time.Millisecond}}}
	for i := range intervals.Methods {
		of := [][]float64{{1, 1}, {1}, {1, 3}, {1.5}, {5}} // errors of our method
		switch i {
		case 1:
			of = [][]float64{{12}, {4}, {1.9}, {9}, {10}}
		case 2:
			of = [][]float64{{20}, {3}, {50}, {1}, {20}}
		default:
			if i > 0 {
				of = [][]float64{{99}, {99}, {99}, {99}, {99}}
			}
		}
		run.Errors = append(run.Errors, of)
	}
	v := judge(run)
	want := "verdict: omnipitch's forecasts are better than every other method over 10 to 20, 500 ms, like the best " +
		"other method over 50 ms, " +
		"worse than the best other method over 100 ms; the best other method is off by 0.667 to 12 times as much.\n" +
		"Within the 2 % (to 100 ms) and 4 % (to 500 ms) of Beck et al. 2008 over 10 to 20, 100 ms, and not over 50, " +
		"500 ms."
	if v.String() != want {
		t.Errorf("got\n%s\nwant\n%s", v, want)
	}
	var out strings.Builder
	verdicts{v, v}.print(&out)
	if want := "realtime: 6 of 10 better than every other method, 2 like the best, 2 worse; 6 of 10 within what Beck " +
		"et al. 2008 report\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	run.Errors = make([][][]float64, len(intervals.Methods))
	for i := range run.Errors {
		run.Errors[i] = make([][]float64, len(run.Spans))
	}
	if got := judge(run).String(); got != "verdict: none, the run was too short" {
		t.Errorf("of a run without errors: %q", got)
	}
}
