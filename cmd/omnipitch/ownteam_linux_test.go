package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ownTeamSeeds holds more seeds when `make verify-own-team` sets it.
var ownTeamSeeds = flag.String("ownteam.seeds", "", "seeds with which TestOwnTeam plays each game, such as 1..20, "+
	"beside a busy loop a core; empty: the page's commands alone")

// TestOwnTeam follows docs/own-team.md. It makes the messages, builds the programs, and lets each score against
// scripted players. Only the output goes to other folders.
func TestOwnTeam(t *testing.T) {
	if *ownTeamSeeds == "" {
		needLong(t, "verify-long")
	}
	needROS(t)
	program(t)
	out := t.TempDir()
	elsewhere := strings.NewReplacer("$PWD/out/", out+"/", "out/", out+"/", "bin/", built+"/")
	if *ownTeamSeeds != "" {
		load(t)
	}
	games := 0
	for _, c := range commandsOf(t, "../../docs/own-team.md") {
		test := strings.Contains(c.text, "omnipitch test ")
		if c.lines == nil && (test || strings.Contains(c.text, "omnipitch run ")) {
			continue // the same game, repeated or in a window
		}
		line := elsewhere.Replace(c.text)
		if test {
			games++
			if *ownTeamSeeds != "" {
				line, c.lines = line+" --seeds "+*ownTeamSeeds, nil
			}
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = "../..", environment("GOFLAGS=-buildvcs=false")
		printed, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %s: %v\n%s", c.place, c.text, err, printed)
		}
		if line, ok := missing(c.lines, strings.Split(string(printed), "\n")); !ok {
			t.Errorf("%s: %s: the page shows\n%s\nwhich is not in\n%s", c.place, c.text, line, printed)
		}
	}
	if games != 3 {
		t.Errorf("%d games, want one in each language", games)
	}
}

// TestOwnTeamIsShort checks that the first programs of docs/own-team.md are shorter than 150 lines each, as the page
// says.
func TestOwnTeamIsShort(t *testing.T) {
	for _, name := range []string{"go/main.go", "python/team.py", "cpp/team.cpp"} {
		text := must(os.ReadFile(filepath.Join("../../docs/own-team", name)))(t)
		if n := strings.Count(string(text), "\n"); n >= 150 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}
