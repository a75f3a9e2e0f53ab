package main

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestWorldsShowEffective checks that the output of worlds show --effective is a world that equals the file with that
// seed.
func TestWorldsShowEffective(t *testing.T) {
	world := writeFile(t, "random.toml", "name = \"random\"\ninclude = [\"nubot-attack\"]\n[ball]\nx_m = { uniform = "+
		"[-3, 3] }\n")
	code, text, stderr := command(t, "worlds", "show", world, "--effective", "--seed", "5")
	if code != console.ExitDone || stderr != "" ||
		!strings.Contains(text, "# "+world+":4, drawn from { uniform = [-3, 3] } at seed 5\n") {
		t.Fatalf("exit code %d, %s\n%s", code, stderr, text)
	}
	state := func(args ...string) string {
		code, out, stderr := command(t, append([]string{"run", "--for", "0.5s", "--speed", "max", "--ros1", "off",
			"--level", "*=truth", "--json"}, args...)...)
		_, hash, ok := strings.Cut(out, `"state_hash": "`)
		if code != console.ExitDone || !ok {
			t.Fatalf("exit code %d, %s\n%s", code, stderr, out)
		}
		return hash[:16]
	}
	drawn, again, other := state(world, "--seed", "5"), state(writeFile(t, "effective.toml", text)), state(world)
	if drawn != again || drawn == other {
		t.Errorf("states %s, effective %s, with another seed %s", drawn, again, other)
	}
	for args, want := range map[string]string{
		"worlds show planar --seed 5":           "--seed: needs --effective",
		"worlds show plannar --effective":       `world "plannar": is no world that ships with omnipitch and no file, did you mean "planar"?`,
		"worlds show /no/such.toml --effective": "no such file: /no/such.toml",
	} {
		code, stdout, stderr := command(t, strings.Fields(args)...)
		if code != console.ExitBadInput || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
