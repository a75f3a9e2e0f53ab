package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/exit"
)

// What a bench prints is what docs/benchmarks.md promises.
func TestBenchRenderIsDocumented(t *testing.T) {
	code, stdout, stderr := command(t, "bench", "render", "--rounds", "1", "--json")
	if code != exit.CodeDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var report benchReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range report.Results {
		names[r.Name] = true
		if !(r.Value > 0) || r.N != 1 {
			t.Errorf("%+v: must be a positive median of 1", r)
		}
		if !strings.HasPrefix(r.Name, "floor_of_") && !strings.Contains(string(docs), "`"+r.Name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
	}
	for _, r := range report.Results {
		if r.RatioTo != "" && !names[r.RatioTo] {
			t.Errorf("%s is compared with %s, which is not in the report", r.Name, r.RatioTo)
		}
	}
	if len(names) < 9 {
		t.Errorf("only %d names", len(names))
	}
}

func TestBenchWantsARound(t *testing.T) {
	code, stdout, stderr := command(t, "bench", "render", "--rounds", "0")
	wantSentence(t, code, exit.CodeBadInput, stdout, stderr, `--rounds = 0: must be at least 1`)
}
