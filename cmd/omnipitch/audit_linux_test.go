package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// docs/match.md shows what is printed of a match whose decisions are right.
func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.mcap")
	if code, _, stderr := command(t, "run", "scripted-match", "--ros1", "off", "--speed", "max", "--for", "60s",
		"--record", path, "--record-exact"); code != console.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	code, stdout, stderr := command(t, "audit", path)
	if code != console.ExitDone {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	page, err := os.ReadFile("../../docs/match.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(stdout) {
		if !strings.Contains(string(page), "    "+line) {
			t.Errorf("docs/match.md does not show %q", line)
		}
	}
	var told struct {
		Decisions int
		Findings  []any
	}
	if code, stdout, stderr = command(t, "audit", path, "--json"); code != console.ExitDone ||
		json.Unmarshal([]byte(stdout), &told) != nil || told.Decisions != 1 || told.Findings == nil ||
		len(told.Findings) > 0 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = command(t, "audit", filepath.Join(filepath.Dir(path),
		"none.mcap")); code != console.ExitBadInput {
		t.Errorf("no file: exit code %d: %s", code, stderr)
	}
}

// A game that was judged by other rules than its recording says is found out.
func TestAuditOfOtherRules(t *testing.T) {
	w, err := worlds.Load("../../testdata/referee/ball_out-throw-in.toml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "match.mcap")
	rec, err := recorder.New(path, w, recorder.Config{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	other := *w
	other.Rules.Off = []string{"ball_out"}
	var opts omnipitch.Options
	rec.Hook(&opts)
	sim, err := omnipitch.New(&other, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	rec.Follow(sim)
	if _, err := sim.Run(t.Context(), omnipitch.Pace{Speed: timesync.Max,
		For: max(w.Test.For, time.Second)}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := command(t, "audit", path)
	if code != console.ExitFailed || !strings.Contains(stdout, "ball_out: missed: by the states ball_out") ||
		!strings.Contains(stdout, "missed: 1") || !strings.Contains(stderr, "disagree once") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}
