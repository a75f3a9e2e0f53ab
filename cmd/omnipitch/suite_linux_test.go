package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// testedWorld is a world whose ball is at rest, with an expectation about that.
const testedWorld = programWorld + `
test = { for_s = 0.5 }
expect = [ { name = "still", always = { in_area = { name = "ball", area = "centre_circle" } } } ]
`

// failingWorld has an expectation that fails.
const failingWorld = programWorld + `
test = { for_s = 0.5 }
expect = [ { name = "goal", eventually = { in_area = { name = "ball", area = "magenta_goal" } } } ]
`

// TestTestExits checks the exit codes, output and errors of the command test.
func TestTestExits(t *testing.T) {
	passes, fails, silent := aWorld(t, testedWorld), aWorld(t, failingWorld), aWorld(t, programWorld)
	report, old := filepath.Join(t.TempDir(), "report.xml"), filepath.Join(t.TempDir(), "old.xml")
	must.Write(t, old, "\ufeff<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- \xe9 "+
		"-->\n<testsuite name=\"pytest\"/>\n")
	for _, c := range []struct {
		args string
		code int
		want []string
	}{
		{passes + " --seeds 1..3", console.ExitDone, []string{passes + ": 3 runs: 3 passed\n", "3 runs in "}},
		{passes + " " + fails + " --seeds 7,9 --for 100ms --junit " + report, console.ExitFailed,
			[]string{fails +
				": 2 runs: 0 passed, 2 failed\n  seed 7 failed\n    " + fails +
				":7: goal: undecided at 0.100 s: expected eventually ball in magenta_goal; was: ball at (", "    again: omnipitch test " + fails +
				" --seeds 9 --for 100ms\n", "4 runs in ", " s: 2 passed, 2 failed\n", "2 of 4 runs failed\n"}},
		{silent, console.ExitBadInput, []string{silent + ": has no [[expect]]"}},
		{silent + " --without-expect --for 50ms", console.ExitDone, []string{"1 run: 1 passed\n"}},
		{"no-such-world " + silent, console.ExitBadInput, []string{"no-such-world", "has no [[expect]]"}},
		{passes + " --seeds 3..1", console.ExitBadInput, []string{"--seeds", "smaller"}},
		{passes + " --jobs 0", console.ExitBadInput, []string{"--jobs = 0: must lie in [1, 1024]"}},
		{passes + " --jobs=-1", console.ExitBadInput, []string{"--jobs = -1: must lie in [1, 1024]"}},
		{passes + " --junit " + passes, console.ExitBadInput,
			[]string{`--junit = "` + passes + `": exists and is no JUnit report`}},
		{passes + " --junit " + silent, console.ExitBadInput, []string{"exists and is no JUnit report"}},
		{passes + " --junit " + old, console.ExitDone, nil},
		{passes + " --junit /no/such/folder/x.xml", console.ExitBadInput,
			[]string{"--junit: open /no/such/folder/x.xml"}},
		{aWorld(t, testedWorld+sh("exit 0")), console.ExitBadInput,
			[]string{"program bot is not started: --programs starts it"}},
	} {
		code, out, errs := command(t, append([]string{"test"}, strings.Fields(c.args)...)...)
		wantOutput(t, c.args, code, c.code, out+errs, c.want...)
	}
	if read(t, passes) != testedWorld || read(t, silent) != programWorld {
		t.Error("a world file has changed")
	}
	for path, want := range map[string]string{old: `<testsuites name="omnipitch test" tests="1"`,
		report: `<testsuites name="omnipitch test" tests="4" failures="2" errors="0" time="`} {
		wantLines(t, read(t, path), want)
	}
}

// suiteSummary is the output of test --json.
type suiteSummary struct {
	Runs, Passed, Failed int
	Worlds               []struct {
		World   string
		Results []struct {
			Seed         uint64
			Passed       bool
			StateHash    string `json:"state_hash"`
			Error        string
			Again        string
			Expectations []struct{ Name, Outcome string }
		}
	}
}

// TestTestStartsPrograms checks that each run has its own programs and its own master. A run whose program crashes must
// be one failure.
func TestTestStartsPrograms(t *testing.T) {
	world := aWorld(t,
		testedWorld+sh(`if test $OMNIPITCH_SEED = 2; then echo lost; exit 3; fi; echo playing; exec sleep 1000`,
			`wait_for = { prints = "playing" }`, "stop_within_s = 0.2"))
	p := launch(t, "", "test", world, "--programs", "--seeds", "1..3", "--json", "--for", "300ms")
	p.wantExit(console.ExitFailed)
	var sum suiteSummary
	if err := json.Unmarshal([]byte(p.stdout()), &sum); err != nil || sum.Runs != 3 {
		t.Fatalf("%v: %s", err, p.stdout())
	}
	for i, r := range sum.Worlds[0].Results {
		if r.Passed != (i != 1) || i == 1 && !(strings.Contains(r.Error, "program bot: ended with exit code 3") &&
			strings.Contains(r.Error, "lost") && strings.HasSuffix(r.Again, " --seeds 2 --for 300ms --programs")) {
			t.Errorf("%+v", r)
		}
	}
}

// TestRunEndsWhenNobodyCanResumeIt checks that a run ends when an event pauses it and nobody can resume it.
func TestRunEndsWhenNobodyCanResumeIt(t *testing.T) {
	for _, at := range []string{"0", "0.1"} {
		world := aWorld(t, strings.Replace(programWorld, "\n", "\nevent = [ { at_s = "+at+", pause = {} } ]\n", 1))
		code, out, errs := command(t, "run", world, "--ros1", "off", "--speed", "max", "--for", "1s")
		if want := "the world is paused, and nobody can resume it"; code != console.ExitFailed ||
			!strings.Contains(errs, want) || at != "0" && !strings.Contains(out, "w: 0.10 s simulated") {
			t.Errorf("paused at %s s: exit code %d\n%s%s", at, code, out, errs)
		}
	}
}

// TestTestIsInterrupted checks that Ctrl-C ends a suite with a summary of the finished runs and a report. The exit code
// must say that runs are missing.
func TestTestIsInterrupted(t *testing.T) {
	report := filepath.Join(t.TempDir(), "report.xml")
	p := launch(t, "", "test", aWorld(t, testedWorld), "--seeds", "1..100000", "--for", "20s", "--junit", report)
	p.await("the report, which is created after the worlds have been read", func() bool {
		_, err := os.Stat(report)
		return err == nil
	})
	p.signal(syscall.SIGINT)
	p.wantExit(console.ExitFailed, "not run to the end", "of 100000 runs have not ended")
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text),
		`message="the suite was interrupted"`) {
		t.Errorf("%v: %d bytes", err, len(text))
	}
}

// TestShippedWorldsStartTheirPrograms checks that a shipped world starts the refbot next to omnipitch, whatever PATH
// says. Steps must wait for it at max speed too, so that runs and suites end in one state. The same world in a file
// must start nothing.
func TestShippedWorldsStartTheirPrograms(t *testing.T) {
	here, elsewhere, folder := t.TempDir(), t.TempDir(), t.TempDir()
	omnipitch := filepath.Join(here, "omnipitch")
	must.Do(t, errors.Join(os.WriteFile(omnipitch, []byte(read(t, program(t))), 0o700),
		os.WriteFile(filepath.Join(elsewhere, "refbot"), []byte("#!/bin/sh\nexit 7\n"), 0o700)))
	do := func(path string, args ...string) *process {
		return start(t, "", append([]string{"env", "-C", folder, "PATH=" + path, omnipitch}, args...)...)
	}
	match := []string{"run", "msl-match", "--speed", "max", "--for", "500ms", "--ros1", "embedded:0", "--json"}
	do(here, match...).wantExit(console.ExitUnavailable, "refbot is neither next to omnipitch nor in PATH: make build")
	must.Do(t, os.Link(must.Get(buildRefbot())(t), filepath.Join(here, "refbot")))
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
	must.Write(t, filepath.Join(folder, "msl-match"), do(here, "worlds", "show", "msl-match").end())
	do(elsewhere, "test", "msl-match").wantExit(console.ExitBadInput,
		"program refbot is not started: --programs starts it")
}
