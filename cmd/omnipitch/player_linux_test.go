package main

import (
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestPlayerClient runs the client of docs/player.md, which needs only Python, with the world of that page. Its output
// has the numbers that the page shows, except those that depend on wall time.
func TestPlayerClient(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	p := launch(t, "http://127.0.0.1:9/", "run", "player", "--ros1", "off", "--web", "off", "--player", "0", "--speed",
		"max")
	address := regexp.MustCompile(`Player server of cyan1 at (\S+)`)
	p.await("address of cyan1's server", func() bool { return address.MatchString(p.stderr()) })
	host, port, err := net.SplitHostPort(address.FindStringSubmatch(p.stderr())[1])
	must.Do(t, err)
	out, err := exec.Command(python, "../../docs/player/drive.py", host, port).CombinedOutput()
	if err != nil {
		t.Fatalf("the client: %v\n%s", err, out)
	}
	number := regexp.MustCompile(`-?[0-9]+\.[0-9]+ (m|rad)|mean [0-9]+`)
	page := read(t, "../../docs/player.md")
	_, shown, _ := strings.Cut(page, "    $ python3 docs/player/drive.py\n")
	for line := range strings.Lines(string(out)) {
		want, rest, _ := strings.Cut(shown, "\n")
		shown = rest
		plain := func(s string) string { return number.ReplaceAllString(strings.TrimSpace(s), "N") }
		must.Equal(t, plain(line), plain(want), "line of the client")
	}
	turned := regexp.MustCompile(`m, (\S+) rad`).FindStringSubmatch(string(out))
	if turned == nil || turned[1] < "0.30" {
		t.Errorf("the client says\n%s, want a robot that has turned left by 0.6 rad", out)
	}
	p.signal(2)
	p.end()
	launch(t, "http://127.0.0.1:9/", "replay", "x.mcap", "--player", "on", "--check").refuses(console.ExitBadInput,
		"--player and --rcsssmj: programs watch a replay: not with --check or --out")
}
