package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRandomWorldsRepeat checks that the same seed gives the same run, and another seed another run. The output and the
// files must name the seed.
func TestRandomWorldsRepeat(t *testing.T) {
	type summary struct {
		Seed uint64 `json:"seed"`
		Hash string `json:"state_hash"`
	}
	runs := map[string]summary{}
	for _, seed := range []string{"7", "7", "8"} {
		code, out, errs := command(t, "run", "random-scenes", "--seed", seed, "--for", "0.5s", "--speed", "max",
			"--ros1", "off", "--json")
		var s summary
		if err := json.Unmarshal([]byte(out), &s); code != 0 || err != nil {
			t.Fatalf("%d, %v: %s", code, err, errs)
		}
		if was, ok := runs[seed]; ok && was != s {
			t.Errorf("seed %s: %+v, then %+v", seed, was, s)
		}
		runs[seed] = s
	}
	if runs["7"].Hash == runs["8"].Hash || runs["7"].Seed != 7 || runs["8"].Seed != 8 {
		t.Errorf("got %+v", runs)
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
	if code, out, errs := command(t, "check", "random-scenes"); code != 0 || out != "random-scenes: ok\n" ||
		errs != "" {
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
		put(t, "w.toml", head+c.text)
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
