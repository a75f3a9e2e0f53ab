package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestSimulationLeague runs the agent of docs/rcsssmj.md, which needs only Python, in the world of that page, twice: at
// speed lockstep both runs end in the same state. The agent's output has the form that the page shows.
func TestSimulationLeague(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	address := regexp.MustCompile(`rcsssmj server for agents of 4 robots at (\S+):(\S+)`)
	number := regexp.MustCompile(`-?[0-9]+\.[0-9]+`)
	_, shown, _ := strings.Cut(read(t, "../../docs/rcsssmj.md"), "    $ python3 docs/rcsssmj/agent.py\n")
	plain := func(s string) string { return number.ReplaceAllString(strings.TrimSpace(s), "N") }
	var states []string
	for range 2 {
		p := launch(t, "http://127.0.0.1:9/", "run", "simulation-league", "--ros1", "off", "--web", "off", "--rcsssmj",
			"0", "--speed", "lockstep", "--for", "4s")
		p.await("address of the server", func() bool { return address.MatchString(p.stderr()) })
		at := address.FindStringSubmatch(p.stderr())
		out, err := exec.Command(python, "../../docs/rcsssmj/agent.py", at[1], at[2]).CombinedOutput()
		if err != nil {
			t.Fatalf("the agent: %v\n%s", err, out)
		}
		rest := shown
		for line := range strings.Lines(string(out)) {
			want, after, _ := strings.Cut(rest, "\n")
			rest = after
			must.Equal(t, plain(line), plain(want), "line of the agent")
		}
		p.end()
		states = append(states, regexp.MustCompile(`state [0-9a-f]+`).FindString(p.stdout()+p.stderr()))
	}
	must.Equal(t, states[0], states[1], "states at the end")
	must.Equal(t, len(states[0]) > len("state "), true, "a state in the summary")
}
