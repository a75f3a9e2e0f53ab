package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/exit"
)

// Every level of every world is timed, and objects and truth allocate nothing in a step: what is left is a goroutine's stack.
func TestBenchLevels(t *testing.T) {
	code, stdout, stderr := command(t, "bench", "levels", "--rounds", "1", "--round", "30ms", "--robots", "1,2", "--json")
	if code != exit.CodeDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var report benchReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	names := map[string]benchResult{}
	for _, r := range report.Results {
		names[r.Name] = r
		if strings.HasSuffix(r.Name, "_real_time_factor") && !(r.Value > 0) {
			t.Errorf("%s = %v", r.Name, r.Value)
		}
		if strings.HasSuffix(r.Name, "_objects_allocations") && !(r.Value < 1) {
			t.Errorf("%s = %v a step", r.Name, r.Value)
		}
	}
	for _, name := range []string{"ode_1_robot_raw_real_time_factor", "planar_2_robots_objects_ros1_real_time_factor", "ode_2_robots_features_allocations"} {
		if _, ok := names[name]; !ok {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestBenchLevelsRefusesWhatItCannotDo(t *testing.T) {
	for want, args := range map[string][]string{
		"--rounds = 0: must be at least 1":   {"--rounds", "0"},
		"--robots = 11: must lie in [1, 10]": {"--robots", "11"},
		"--round = -1s: must be positive":    {"--round=-1s"},
	} {
		code, stdout, stderr := command(t, append([]string{"bench", "levels"}, args...)...)
		if code != exit.CodeBadInput || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, code, stderr, want)
		}
	}
}
