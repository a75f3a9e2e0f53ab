package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bench prints every method's error for every interval, and what happens after a stop, and writes the plots. How large errors are
// depends on the machine, and is not tested.
func TestBenchTimesync(t *testing.T) {
	plots := filepath.Join(t.TempDir(), "plots")
	_, got := measure(t, "timesync", "--for", "2s", "--loads", "collisions,stopped", "--speed", "realtime,max", "--plot", plots)
	for _, run := range []string{"collisions_realtime_", "collisions_max_", "stopped_realtime_", "stopped_max_"} {
		for _, method := range []string{ours, "last_step", "mean_of_50", "moving_average", "ratio_of_200"} {
			for _, interval := range []string{"10ms_", "100ms_", "500ms_"} {
				if _, ok := got[run+interval+method+"_error"]; !ok {
					t.Errorf("%s%s%s_error is missing", run, interval, method)
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
