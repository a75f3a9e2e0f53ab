package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// No command prints the control characters of names in files: neither those of a recording whose every name has escape
// sequences, nor those of a path or of a world.
func TestNoEscapesOnTheTerminal(t *testing.T) {
	const name = "\x1b]0;pwned\x07\x1b[2J"
	recording := filepath.Join(t.TempDir(), name+".mcap")
	must.Do(t, os.WriteFile(recording, must.Get(os.ReadFile("testdata/escapes.mcap"))(t), 0o600))
	world := filepath.Join(t.TempDir(), "w.toml")
	must.Do(t, os.WriteFile(world, []byte(`name = "w"
[[robot]]
name = "r"
model = "\u001b[2J"
"\u001b[31m" = 1
`), 0o600))
	for _, args := range [][]string{
		{"info", recording}, {"info", "--json", recording}, {"info", "--attached", "none", recording},
		{"replay", "--check", recording}, {"export", recording, "--out", t.TempDir()}, {"diff", recording, recording},
		{"plot", recording}, {"check", world}, {"check", recording}, {"run", name}, {"run", "--" + name},
	} {
		_, stdout, stderr := command(t, args...)
		if i := strings.IndexFunc(stdout+stderr, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t'
		}); i >= 0 || stdout+stderr == "" {
			t.Errorf("%q prints %q", args, stdout+stderr)
		}
	}
	out := prints(t, 0, `lib\u001b]0;pwned\u0007`, "info", recording)
	if strings.Contains(out, "\nfake line") {
		t.Errorf("a value begins a line of its own:\n%s", out)
	}
}
