//go:build cgo

package match_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// arena is a small world with the ball at x = 1 m. Tests add events and expectations.
const arena = `
name = "arena"
physics = { engine = "planar" }
time = { step_ms = 10 }
ball = { x_m = 1 }
[[robot]]
name = "cyan1"
model = "differential"
pose = { x_m = -3 }
drive = { level = "kinematic" }
`

// runArena runs the arena. story has the ball's x in whole metres at time 0 and after each step, one digit each.
func runArena(t *testing.T, more string, steps int) (story string, report *omnipitch.Report) {
	t.Helper()
	world := must.Get(worlds.Parse("arena.toml", []byte(arena+more)))(t)
	sim := simtest.New(t, world, omnipitch.Options{})
	var b strings.Builder
	sim.OnStep(func(s *physics.Snapshot) { fmt.Fprintf(&b, "%.0f", s.Ball.PosW[0]) })
	report = must.Get(sim.Run(context.Background(), omnipitch.Pace{For: time.Duration(steps) * 10 * time.Millisecond,
		Speed: timesync.Max}))(t)
	return b.String(), report
}

// The ball's position after each step of 10 ms, from time 0 on, shows which events have happened.
func TestEvents(t *testing.T) {
	to := func(x int) string { return fmt.Sprintf("place = { name = \"ball\", x_m = %d }\n", x) }
	const at = "[[area]]\nname = \"at%d\"\ncircle = { x_m = %d, radius_m = 0.4 }\n"
	areas := ""
	for x := range 10 {
		areas += fmt.Sprintf(at, x, x)
	}
	in := func(x int) string { return fmt.Sprintf(`{ in_area = { name = "ball", area = "at%d" } }`, x) }
	// back puts the ball outside of at1, so that it enters at1 again in the next step.
	const back = "place = { name = \"ball\", x_m = 0.55, vx_m_s = 10 }\n"
	for name, c := range map[string]struct{ events, want string }{
		"at a time": {"[[event]]\nat_s = 0.02\n" + to(2), "112222"},
		"again and again": {"[[event]]\nat_s = 0.01\nevery_s = 0.03\n" + to(2) +
			"[[event]]\nevery_s = 0.02\n" + to(3), "323333"},
		"again so often": {"[[event]]\nat_s = 0.01\nevery_s = 0.02\ntimes = 2\n" + to(2) +
			"[[event]]\nevery_s = 0.02\n" + to(3), "323233"},
		"holds at time 0": {"[[event]]\nwhen = " + in(1) + "\n" + to(2), "222222"},
		"when, later":     {"[[event]]\nat_s = 0.02\nwhen = " + in(1) + "\n" + to(2), "112222"},
		"when, for how long": {"[[event]]\nwhen = { in_area = { name = \"ball\", area = \"at1\" }, for_s = " +
			"0.03 }\n" + to(2), "111222"},
		"once": {"[[event]]\nwhen = " + in(1) + "\n" + to(2) +
			"[[event]]\nevery_s = 0.02\nat_s = 0.02\n" + to(1), "221111"},
		"each time": {"[[event]]\nwhen = " + in(1) + "\nrepeat = true\n" + to(2) +
			"[[event]]\nevery_s = 0.02\nat_s = 0.02\n" + to(1), "222222"},
		"each time, so often": {"[[event]]\nwhen = " + in(1) + "\nrepeat = true\ntimes = 2\n" + to(2) +
			"[[event]]\nevery_s = 0.02\nat_s = 0.02\n" + to(1), "222211"},
		"ended by its own action": {"[[event]]\nname = \"a\"\nwhen = " + in(1) + "\nrepeat = true\n" + back +
			"[[event]]\nwhen = { happened = { event = \"a\", times = 3 } }\n" + to(4), "114444"},
		"ended by what comes after": {"[[event]]\nname = \"a\"\nwhen = " + in(1) +
			"\nrepeat = true\n[[event]]\nafter = \"a\"\nrepeat = true\n" + back +
			"[[event]]\nwhen = { happened = { event = \"a\", times = 3 } }\n" + to(4), "114444"},
		"not without a break": {"[[event]]\nname = \"a\"\nwhen = " + in(1) + "\nrepeat = true\n" + to(1) +
			"[[event]]\nwhen = { happened = { event = \"a\", times = 2 } }\n" + to(2), "111111"},
		"after": {"[[event]]\nname = \"a\"\nat_s = 0.01\n" + to(2) +
			"[[event]]\nafter = \"a\"\nat_s = 0.02\n" + to(3), "122333"},
		"after, once": {"[[event]]\nname = \"a\"\nevery_s = 0.02\n" + to(2) +
			"[[event]]\nafter = \"a\"\nat_s = 0.01\n" + to(3), "232222"},
		"after, each time": {"[[event]]\nname = \"a\"\nevery_s = 0.02\n" + to(2) +
			"[[event]]\nafter = \"a\"\nat_s = 0.01\nrepeat = true\n" + to(3), "232323"},
		"after, while it waits": {"[[event]]\nname = \"a\"\nevery_s = 0.01\ntimes = 2\n" + to(2) +
			"[[event]]\nname = \"b\"\nafter = \"a\"\nat_s = 0.02\nrepeat = true\n" + to(3) +
			"[[event]]\nwhen = { happened = { event = \"b\", times = 2 } }\n" + to(4), "223333"},
		"after, when": {"[[event]]\nname = \"a\"\nat_s = 0.02\n" + to(1) +
			"[[event]]\nafter = \"a\"\nwhen = " + in(1) + "\n" + to(3), "113333"},
		"after, not before that": {"[[event]]\nwhen = " + in(1) + "\nafter = \"a\"\n" + to(5) +
			"[[event]]\nname = \"a\"\nat_s = 0.02\n" + to(3), "113333"},
		"after a later one": {"[[event]]\nafter = \"a\"\n" + to(3) + "[[event]]\nname = \"a\"\nat_s = 0.02\n" +
			to(2), "113333"},
		"a chain in one step": {"[[event]]\nwhen = " + in(1) + "\n" + to(2) + "[[event]]\nwhen = " + in(2) +
			"\n" + to(3) + "[[event]]\nwhen = " + in(3) + "\n" + to(4), "444444"},
		"a chain that goes back": {"[[event]]\nwhen = " + in(3) + "\n" + to(4) + "[[event]]\nwhen = " + in(1) +
			"\n" + to(3), "444444"},
		"a circle, once in a step": {"[[event]]\nwhen = " + in(1) + "\nrepeat = true\n" + to(2) +
			"[[event]]\nwhen = " + in(2) + "\nrepeat = true\n" + to(1), "111111"},
		"happened": {"[[event]]\nname = \"a\"\nat_s = 0.02\n" + to(2) +
			"[[event]]\nwhen = { happened = { event = \"a\" }, for_s = 0.02 }\n" + to(3), "112233"},
	} {
		if got, _ := runArena(t, areas+c.events, 5); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// An expectation sees the effect of the events of the same time, including time 0.
func TestRunJudges(t *testing.T) {
	_, report := runArena(t, `
[[event]]
at_s = 0.02
name = "shot"
place = { name = "ball", x_m = 9.3, z_m = 0.11 }

[[expect]]
name = "goal"
eventually = { in_area = { name = "ball", area = "magenta_goal" } }
within_s = 0.03

[[expect]]
name = "no-goal"
never = { in_area = { name = "ball", area = "magenta_goal" } }

[[expect]]
name = "begins-outside"
always = { not = { in_area = { name = "ball", area = "magenta_goal" } } }
before = "shot"
`, 5)
	for i, want := range []string{
		"goal: passed at 0.020 s: expected eventually ball in magenta_goal, within 0.03 s",
		"arena.toml:23: no-goal: failed at 0.020 s: expected never ball in magenta_goal; was: ball at (9.30, 0.00, 0.11) m",
		"begins-outside: passed at 0.020 s: expected always not (ball in magenta_goal), before event shot",
	} {
		if got := report.Verdicts[i].String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A failed expectation has its file and line, also after for_each. One that passed, and one of a world without files,
// have none.
func TestFailedExpectationsHavePlaces(t *testing.T) {
	_, report := runArena(t, `
[[expect]]
name = "passes"
never = { in_area = { name = "ball", area = "magenta_goal" } }

[[expect]]
for_each = { side = ["cyan", "magenta"] }
name = "in-{side}-goal"
eventually = { in_area = { name = "ball", area = "{side}_goal" } }
within_s = 0.01
`, 5)
	var places []string
	for _, v := range report.Verdicts {
		places = append(places, v.Place)
	}
	if len(places) != 3 || places[0] != "" || !strings.HasPrefix(places[1], "arena.toml:") || places[2] != places[1] {
		t.Errorf("got places %q, want none for the first, and the same line of arena.toml for the others", places)
	}
}
