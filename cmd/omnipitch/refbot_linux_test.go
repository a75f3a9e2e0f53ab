package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestShippedWorldsStartTheirPrograms checks that a shipped world starts the refbot next to omnipitch, whatever PATH
// says. Steps must wait for it at max speed too, so that runs and suites end in one state. The same world in a file
// must start nothing.
func TestShippedWorldsStartTheirPrograms(t *testing.T) {
	here, elsewhere, folder := t.TempDir(), t.TempDir(), t.TempDir()
	omnipitch := filepath.Join(here, "omnipitch")
	text, err := os.ReadFile(program(t))
	if err == nil {
		err = os.WriteFile(omnipitch, text, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(elsewhere, "refbot"), []byte("#!/bin/sh\nexit 7\n"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	do := func(path string, args ...string) (code int, stdout, stderr string) {
		var out, errs strings.Builder
		cmd := exec.Command(omnipitch, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = folder, &out, &errs, environment("PATH="+path)
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), out.String(), errs.String()
	}
	match := []string{"run", "msl-match", "--speed", "max", "--for", "500ms", "--ros1", "embedded:0", "--json"}
	if code, _, stderr := do(here, match...); code != console.ExitUnavailable || !strings.Contains(stderr,
		"refbot is neither next to omnipitch nor in PATH: make build") {
		t.Errorf("without refbot: exit code %d\n%s", code, stderr)
	}
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", here,
		"../refbot").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	hashes := map[string]bool{}
	for range 2 {
		code, stdout, stderr := do(elsewhere, match...)
		var report struct {
			Hash string `json:"state_hash"`
		}
		if err := json.Unmarshal([]byte(stdout), &report); code != console.ExitDone || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		hashes[report.Hash] = true
	}
	code, stdout, stderr := do(elsewhere, "test", "msl-match", "--for", "500ms", "--json")
	var outcome struct {
		Worlds []struct {
			Results []struct {
				Hash string `json:"state_hash"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &outcome); err != nil || len(outcome.Worlds) != 1 ||
		len(outcome.Worlds[0].Results) != 1 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	hashes[outcome.Worlds[0].Results[0].Hash] = true
	if len(hashes) != 1 || hashes[""] {
		t.Errorf("runs, and one of a suite, end in states %v", hashes)
	}
	if code, _, stderr := do(elsewhere, "test", "msl-match", "--no-programs"); code != console.ExitBadInput ||
		!strings.Contains(stderr, "program refbot is not started: not with") {
		t.Errorf("--no-programs: exit code %d\n%s", code, stderr)
	}
	file := filepath.Join(folder, "msl-match")
	_, shown, _ := do(here, "worlds", "show", "msl-match")
	noError(t, os.WriteFile(file, []byte(shown), 0o600))
	if code, _, stderr := do(elsewhere, "test", "msl-match"); code != console.ExitBadInput || !strings.Contains(stderr,
		"program refbot is not started: --programs starts it") {
		t.Errorf("a file of that name: exit code %d\n%s", code, stderr)
	}
}
