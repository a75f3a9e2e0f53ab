package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestRadioInLockstep runs two rospy programs, of which the blind one finds the ball from its teammate's radio
// messages. Runs with one seed must end in one state. Runs with another seed lose other messages and must end in
// another state.
func TestRadioInLockstep(t *testing.T) {
	needROS(t)
	programs := newRobots(t)
	world := aWorld(t, `
name = "told"
include = ["team-radio"]
[[expect]]
name = "told-of-the-ball"
eventually = { near = { name = "cyan2", of = "ball", within_m = 0.6 } }
within_s = 5
[[expect]]
name = "nothing-is-told"
never = { near = { name = "cyan2", of = "ball", within_m = 1.5 } }
from_s = 6.1
within_s = 7
[[expect]]
name = "told-again"
eventually = { near = { name = "cyan2", of = "ball", within_m = 0.6 } }
from_s = 7
within_s = 9
`)
	run := func(seed int, d time.Duration, flags ...string) runSummary {
		uri, _ := freeMaster(t)
		sim := launch(t, uri, append([]string{"run", world, "--json", "--for", d.String(), "--seed",
			fmt.Sprint(seed)}, flags...)...)
		for _, robot := range []string{"cyan1", "cyan2"} {
			programs.start(uri, rand.N(400*time.Millisecond), "radio", robot)
		}
		sum := sim.summary()
		programs.end()
		return sum
	}
	recording := filepath.Join(t.TempDir(), "told.mcap")
	whole := run(1, 9*time.Second, "--record", recording)
	for _, v := range whole.Expect {
		if v.Outcome != "passed" {
			t.Errorf("%s: %s, %s", v.Name, v.Outcome, v.Was)
		}
	}
	if len(whole.Radios) != 2 || whole.Radios[1].Dropped == 0 || whole.Radios[0].Lost == 0 {
		t.Errorf("radios: %+v", whole.Radios)
	}
	page := must.Get(os.ReadFile("../../docs/radio.md"))(t)
	for _, r := range whole.Radios {
		line := fmt.Sprintf(" %s %d %d %d %d %d ", r.Robot, r.Sent, r.Bytes, r.Dropped, r.Received, r.Lost)
		if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), line) {
			t.Errorf("docs/radio.md does not show%s", line)
		}
	}
	prints(t, console.ExitDone, "equal those of the recording", "replay", recording, "--check")
	first, second, other := run(1, time.Second), run(1, time.Second), run(2, time.Second)
	if first.StateHash != second.StateHash || first.StateHash == other.StateHash ||
		fmt.Sprint(first.Radios) != fmt.Sprint(second.Radios) {
		t.Errorf("states %s and %s, of another seed %s; radios %+v and %+v", first.StateHash, second.StateHash,
			other.StateHash, first.Radios, second.Radios)
	}
}

// TestRadioByUDP checks that two programs that use UDP multicast hear each other by radio, and do not where the radio
// loses everything. A second run with the same ports must report the conflict. A recording must have the messages.
func TestRadioByUDP(t *testing.T) {
	base := 10_000 + 10*rand.N(2000)
	for n := 1; n <= 2; n++ {
		start(t, "", "/usr/bin/python3", "../../testdata/multicast/mate.py", fmt.Sprintf("cyan%d", n), "224.16.32.32",
			fmt.Sprint(base+n))
	}
	run := func(loss int, flags ...string) runSummary {
		world := aWorld(t, fmt.Sprintf("name = \"mates\"\ninclude = [\"team-multicast\"]\n[team.cyan.radio]\nloss = "+
			"%d\nudp = { base_port = %d }\n", loss, base))
		sim := launch(t, "", append([]string{"run", world, "--ros1", "off", "--json", "--level", "*=truth",
			"--for", "2500ms"}, flags...)...)
		if loss == 0 {
			sim.says(fmt.Sprintf("mates: radios over UDP, on loopback: cyan1 224.16.32.32:%d, cyan2", base+1))
			refuses(t, console.ExitUnavailable,
				fmt.Sprintf("radio of cyan1: port %d: another simulation on this machine uses it", base+1), "run",
				world, "--ros1", "off", "--for", "1s")
			prints(t, console.ExitDone, world+": test does not connect UDP radios", "test", world, "--without-expect",
				"--for", "10ms", "--level", "*=truth")
		}
		return sim.summary()
	}
	recording := filepath.Join(t.TempDir(), "mates.mcap")
	for _, r := range run(0, "--record", recording).Radios {
		if r.Sent < 5 || r.Received < 5 || r.Lost != 0 {
			t.Errorf("without losses: %+v", r)
		}
	}
	for _, r := range run(1).Radios {
		if r.Sent < 5 || r.Received != 0 || r.Lost < 5 {
			t.Errorf("where all is lost: %+v", r)
		}
	}
	prints(t, console.ExitDone, "equal those of the recording", "replay", recording, "--check")
}
