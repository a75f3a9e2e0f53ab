package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestShippedWorldsStartTheirPrograms checks that a shipped world starts the refbot next to omnipitch, whatever PATH
// says. Steps must wait for it at max speed too, so that runs and suites end in one state. The same world in a file
// must start nothing.
func TestShippedWorldsStartTheirPrograms(t *testing.T) {
	here, elsewhere, folder := t.TempDir(), t.TempDir(), t.TempDir()
	omnipitch := filepath.Join(here, "omnipitch")
	noError(t, os.WriteFile(omnipitch, []byte(read(t, program(t))), 0o700),
		os.WriteFile(filepath.Join(elsewhere, "refbot"), []byte("#!/bin/sh\nexit 7\n"), 0o700))
	do := func(path string, args ...string) *process {
		return start(t, "", append([]string{"env", "-C", folder, "PATH=" + path, omnipitch}, args...)...)
	}
	match := []string{"run", "msl-match", "--speed", "max", "--for", "500ms", "--ros1", "embedded:0", "--json"}
	do(here, match...).wantExit(console.ExitUnavailable, "refbot is neither next to omnipitch nor in PATH: make build")
	noError(t, os.Link(must(buildRefbot())(t), filepath.Join(here, "refbot")))
	hashes := map[string]bool{}
	for range 2 {
		hashes[do(elsewhere, match...).summary().StateHash] = true
	}
	var outcome suiteSummary
	text := do(elsewhere, "test", "msl-match", "--for", "500ms", "--json")
	text.exitCode() // fails, as expectations are undecided
	if err := json.Unmarshal([]byte(text.stdout()), &outcome); err != nil || len(outcome.Worlds) != 1 ||
		len(outcome.Worlds[0].Results) != 1 {
		t.Fatalf("%v\n%s%s", err, text.stdout(), text.stderr())
	}
	hashes[outcome.Worlds[0].Results[0].StateHash] = true
	if len(hashes) != 1 || hashes[""] {
		t.Errorf("runs, and one of a suite, end in states %v", hashes)
	}
	do(elsewhere, "test", "msl-match", "--no-programs").wantExit(console.ExitBadInput,
		"program refbot is not started: not with")
	put(t, filepath.Join(folder, "msl-match"), do(here, "worlds", "show", "msl-match").end())
	do(elsewhere, "test", "msl-match").wantExit(console.ExitBadInput,
		"program refbot is not started: --programs starts it")
}
