package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestWatch checks that a run restarts when its files change. It must report errors in files that cannot be read, until
// they can.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	file, below := filepath.Join(dir, "w.toml"), filepath.Join(dir, "below.toml")
	write := func(path, text string) {
		t.Helper()
		put(t, path+".new", text)
		if err := os.Rename(path+".new", path); err != nil { // as editors do
			t.Fatal(err)
		}
	}
	const head = "name = \"watched\"\nfield = \"msl-18x12\"\n"
	const robot = "[[robot]]\nname = \"r\"\nmodel = \"three-wheels\"\n"
	write(file, head+robot)
	p := launch(t, "", "run", file, "--ros1", "off", "--watch", "--json", "--web", "0")
	said := func(what string) {
		t.Helper()
		until(t, what, func() bool {
			if p.ended() {
				t.Fatalf("the run has ended:\n%s", p.end())
			}
			return strings.Contains(p.stderr(), what)
		})
	}
	said("watched: restarts whenever " + file + " changes")
	write(file, head+robot+"pose = { x_m = 1 }\n")
	said("watched: file changed, restarted")
	write(file, head+robot+"pose = { x = 1 }\n")
	said("watched: not reloaded, the run continues unchanged: ")
	said("w.toml:6:10: robot[0].pose: x = 1: unknown key; did you mean x_m?")
	at := dashboardLine.FindStringSubmatch(p.stderr())
	if at == nil {
		t.Fatal("it has not said where its dashboard is")
	}
	if _, log := get(t, at[1]+"/api/log?kind=world"); !strings.Contains(log, "watched restarts") ||
		!strings.Contains(log, "w.toml:6:10: robot[0].pose: x = 1: unknown key") {
		t.Errorf("the dashboard's log: %s", log)
	}
	write(file, head+robot+"[[robot]]\nname = \"s\"\nmodel = \"three-wheels\"\npose = { x_m = 3 }\n")
	said("2 robots: there were 1: a simulation that runs cannot change that")
	write(below, "[ball]\nx = 1\n")
	write(file, "include = [\"below.toml\"]\n"+strings.Replace(head, "watched", "mended", 1)+robot)
	said("below.toml:2:1: ball: x = 1: unknown key")
	write(below, "[ball]\nx_m = 1\n") // a file that no started world was read from
	said("mended: file changed, restarted")
	s := p.interrupt()
	if s.World != "mended" {
		t.Errorf("the summary is of world %q", s.World)
	}
}

// TestWatchNeedsFiles checks that --watch of a built-in world is bad input.
func TestWatchNeedsFiles(t *testing.T) {
	code, _, stderr := command(t, "run", "planar", "--watch", "--ros1", "off", "--for", "10ms")
	if code != console.ExitBadInput || !strings.Contains(stderr, "--watch: the world is built in") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
