package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The first text is said at once. Those that wait meanwhile come by priority, each once. Of too many, the oldest are
// left out.
func TestSpeaker(t *testing.T) {
	dir := t.TempDir()
	said, gate := filepath.Join(dir, "said"), filepath.Join(dir, "gate")
	must.Do(t, os.WriteFile(filepath.Join(dir, "speaks"), fmt.Appendf(nil,
		"#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.01; done\ncat >> %s\n", gate, said), 0o755))
	s := must.Get(newSpeaker(filepath.Join(dir, "speaks")+" aloud", func(err error) { t.Error(err) }))(t)
	defer s.Close()
	say := func(priority int, text string) {
		s.say(action.Speak{Robot: "kid1", Text: text, Priority: priority})
	}
	say(0, "first")
	must.Until(t, "it to speak", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.running != nil
	})
	for i := range maxWaiting + 2 {
		say(0, fmt.Sprint("low ", i))
	}
	say(1, "middle\x1b[2J")
	say(2, "high")
	say(2, "high")
	want := []string{"first", "high", "middle [2J"}
	for i := range maxWaiting {
		want = append(want, fmt.Sprint("low ", i+2))
	}
	must.Do(t, os.WriteFile(gate, nil, 0o644))
	var got string
	must.Until(t, "all texts", func() bool {
		text, _ := os.ReadFile(said)
		got = string(text)
		return strings.Count(got, "\n") >= len(want)
	})
	must.Equal(t, got, "kid1 says: "+strings.Join(want, "\nkid1 says: ")+"\n", "said")
}

// A program that fails is reported once. One that does not exist, and none at all, are errors.
func TestSpeakerFails(t *testing.T) {
	failed := make(chan error, 10)
	s := must.Get(newSpeaker("false", func(err error) { failed <- err }))(t)
	for i := range 3 {
		s.say(action.Speak{Robot: "kid1", Text: fmt.Sprint(i)})
	}
	if err := <-failed; !strings.HasSuffix(err.Error(), "exit status 1") {
		t.Errorf("%v, want exit status 1", err)
	}
	s.Close()
	must.Equal(t, len(failed), 0, "further reports")
	must.Refuse(newSpeaker("no-such-program", nil))(t, "no-such-program", "a program that does not exist")
	must.Refuse(newSpeaker(" ", nil))(t, "must name a program", "no program")
}

// run prints what robots say, and has it said.
func TestRunSpeaks(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	world := aWorld(t, `
name = "talk"
[[robot]]
name = "r1"
model = "differential"
[[event]]
at_s = 0.1
speak = { robot = "r1", text = "I begin", priority = 2 }
`)
	sim := launch(t, "", "run", world, "--ros1", "off", "--for", "3s", "--speak", "tee "+said)
	must.Equal(t, sim.exitCode(), 0, "exit code")
	if text := sim.stderr(); !strings.Contains(text, "talk: r1 says: I begin\n") {
		t.Errorf("it prints %q", text)
	}
	must.Equal(t, string(must.Get(os.ReadFile(said))(t)), "r1 says: I begin\n", "said")
}
