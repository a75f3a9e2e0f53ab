package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// TestFullOutput checks that every command reports a write error of stdout. A command whose reader has closed the pipe
// must report none.
func TestFullOutput(t *testing.T) {
	bad := writeFile(t, "bad.toml", "name = \"x\"\nsede = 3\n")
	full := must(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
	defer full.Close()
	read, gone, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	read.Close()
	const said = "omnipitch: stdout: write /dev/full: no space left on device\n"
	for _, c := range []struct {
		args   []string
		stderr string
		gone   int // exit code after the reader has closed
	}{
		{[]string{"--help"}, said, console.ExitDone},
		{[]string{"--version"}, said, console.ExitDone},
		{[]string{"check", "planar"}, said, console.ExitDone},
		{[]string{"check", bad}, "omnipitch: 1 world is not valid\n" + said, console.ExitBadInput},
		{[]string{"worlds"}, said, console.ExitDone},
		{[]string{"worlds", "show", "planar"}, said, console.ExitDone},
		{[]string{"ros", "profiles"}, said, console.ExitDone},
		{[]string{"ros", "profiles", "nubot"}, said, console.ExitDone},
		{[]string{"calibration", "nubot-attack", "cyan1.front"}, said, console.ExitDone},
		{[]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms"}, said, console.ExitDone},
		{[]string{"run", "planar", "--ros1", "off", "--speed", "max", "--for", "50ms", "--json"}, said,
			console.ExitDone},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), c.args, console.Streams{Out: full,
			Err: &stderr}); code != console.ExitUnavailable ||
			withoutProgress(stderr.String()) != c.stderr {
			t.Errorf("%v: exit code %d, stderr %q, want %d, %q", c.args, code, stderr.String(), console.ExitUnavailable,
				c.stderr)
		}
		if code := run(t.Context(), c.args, console.Streams{Out: gone, Err: io.Discard}); code != c.gone {
			t.Errorf("%v without a reader: exit code %d, want %d", c.args, code, c.gone)
		}
	}
}
