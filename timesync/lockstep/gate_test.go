package lockstep

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
)

const step = 5 * time.Millisecond

// fakeWall moves only when a test moves it.
type fakeWall struct{ now time.Duration }

func (w *fakeWall) Now() time.Duration                  { return w.now }
func (w *fakeWall) Wait(context.Context, time.Duration) {}

// newGate returns a gate that does not block: whenever it should wait, it runs the next event. If there is no event, it
// advances the wall clock by the time that it should wait.
func newGate(events []func(*Gate), robots ...timesync.WaitFor) (*Gate, *fakeWall) {
	wall := &fakeWall{}
	for i := range robots {
		w := robots[i]
		robots[i].SetDefaults()
		if w.Answer != "" {
			robots[i].Answer = w.Answer
		}
		if w.Then != "" {
			robots[i].Then = w.Then
		}
		if w.Order != "" {
			robots[i].Order = w.Order
		}
	}
	g := NewGate(wall, robots)
	g.listen = func(ctx context.Context, left time.Duration) error {
		if len(events) > 0 {
			events[0](g)
			events = events[1:]
		} else {
			wall.now += left
		}
		return ctx.Err()
	}
	return g, wall
}

func hold(t *testing.T, g *Gate) *Late {
	t.Helper()
	var late *Late
	if err := g.AwaitAnswers(t.Context(), nil, func(string) {}); err != nil && !errors.As(err, &late) {
		t.Fatal(err)
	}
	return late
}

func TestGateWaitsForEveryRobotThatOwes(t *testing.T) {
	said := 0
	say := func(robot string) func(*Gate) { return func(g *Gate) { said++; g.Command(robot) } }
	g, _ := newGate([]func(*Gate){say("b"), say("c"), say("a"), say("a"), say("b")},
		timesync.WaitFor{Robot: "a"}, timesync.WaitFor{Robot: "b", Rate: 100}, timesync.WaitFor{Robot: "c",
			After: "omni"})
	g.Tick(0)
	if hold(t, g); said != 3 { // c sends an answer that it does not owe
		t.Errorf("%d answers at 0, want 3", said)
	}
	g.Tick(step)
	if hold(t, g); said != 4 {
		t.Errorf("%d answers at %v, want 4: b owes none", said, step)
	}
	g.Command("a") // it owes no answer
	if g.Tick(2 * step); g.robots[0].owed != 1 || g.robots[1].owed != 1 || g.robots[2].owed != 0 {
		t.Error("what was not asked for counts as an answer")
	}
	g.Command("a")
	if hold(t, g); said != 5 {
		t.Errorf("%d answers at %v, want 5", said, 2*step)
	}
	g.Expect("c", "front", 3*step)
	hold(t, g)
	g.Expect("c", "omni", 3*step)
	g.Command("c")
	hold(t, g)
	g.Expect("c", "omni", 4*step)
	if late := hold(t, g); late == nil || late.Robot != "c" {
		t.Errorf("late is %v, want c", late)
	}
}

func TestGateTakesAnAckForAllUpToIt(t *testing.T) {
	g, _ := newGate([]func(*Gate){
		func(g *Gate) { g.Command("a") }, func(g *Gate) { g.Ack("a", step) }, func(g *Gate) { g.Ack("a", 2*step) },
	}, timesync.WaitFor{Robot: "a", Answer: "ack"})
	g.Tick(step)
	g.Tick(2 * step)
	if late := hold(t, g); late != nil {
		t.Error(late)
	}
}

func TestGateOnTimeout(t *testing.T) {
	for _, then := range []timesync.OnTimeout{timesync.Continue, timesync.Pause, timesync.Fail} {
		g, wall := newGate([]func(*Gate){func(g *Gate) { g.Command("a") }}, timesync.WaitFor{Robot: "a", Then: then})
		missing := ""
		g.Tick(0)
		if err := g.AwaitAnswers(t.Context(), nil, func(robots string) { missing += robots }); err != nil ||
			missing != "" {
			t.Fatal(err, missing)
		}
		g.Tick(step)
		begun := wall.now
		late := hold(t, g)
		if late == nil || late.Then != then || wall.now-begun != time.Second {
			t.Fatalf("%s: late is %v after %v", then, late, wall.now-begun)
		}
		if text := late.Error(); !strings.Contains(text, fmt.Sprintf("for 1s (timeout_ms = 1000, on_timeout = %q)",
			then)) {
			t.Errorf("%q does not say by which keys", text)
		}
		// A robot that timed out is waited for again once it answers.
		if then == timesync.Continue {
			if late := hold(t, g); late != nil {
				t.Error("it is waited for a second time")
			}
			g.Tick(2 * step)
			hold(t, g)
			g.Command("a")
			g.Tick(3 * step)
			if late := hold(t, g); late == nil {
				t.Error("it is not waited for although it is back")
			}
		}
	}
}

func TestGateWaitsForRobotsToJoin(t *testing.T) {
	g, wall := newGate(nil, timesync.WaitFor{Robot: "a"}, timesync.WaitFor{Robot: "b"})
	g.listen = func(context.Context, time.Duration) error {
		wall.now += 10 * time.Millisecond
		switch wall.now {
		case 8 * time.Second:
			g.Command("b")
		case 20 * time.Second:
			g.Command("a")
		}
		return nil
	}
	g.Tick(0)
	var told []string
	if err := g.AwaitAnswers(t.Context(), nil, func(robots string) {
		told = append(told, fmt.Sprintf("%.0f: %s", wall.now.Seconds(), robots))
	}); err != nil {
		t.Error(err)
	}
	must.Equal(t, told, []string{"1: robot a, robot b", "6: robot a, robot b", "8: robot a", "13: robot a",
		"18: robot a"}, "told")
}

// A robot that calls a service waits for the next step. This step must not wait for the robot.
func TestGateLetsStepsPassThatARobotWaitsFor(t *testing.T) {
	g, wall := newGate(nil, timesync.WaitFor{Robot: "a", Answer: "ack"})
	g.Tick(0)
	if err := g.AwaitAnswers(t.Context(), func(robot string) bool { return robot == "a" }, nil); err != nil ||
		wall.now != 0 {
		t.Error(err, wall.now)
	}
	both, _ := newGate([]func(*Gate){func(g *Gate) { g.Command("b") }}, timesync.WaitFor{Robot: "a", Answer: "ack"},
		timesync.WaitFor{Robot: "b"})
	both.Tick(0)
	if err := both.AwaitAnswers(t.Context(), func(robot string) bool { return robot == "a" }, nil); err != nil ||
		both.robots[1].owed != 0 {
		t.Errorf("%v; the step does not wait for b while a waits for the step", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.AwaitAnswers(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}

// cable is a connection that tests connect and disconnect.
type cable struct {
	missing []string
	session int64
	pending string
}

func (c *cable) Missing() ([]string, int64) { return c.missing, c.session }
func (c *cable) Pending() string            { return c.pending }

func TestGateAwaitsConnections(t *testing.T) {
	cables := []*cable{{missing: []string{"a subscriber of /clock", "a publisher of /a/cmd_vel"}},
		{missing: []string{"a publisher of /b/cmd_vel"}}}
	g, wall := newGate(nil, timesync.WaitFor{Robot: "a"}, timesync.WaitFor{Robot: "b", After: "omni"})
	for i, c := range cables {
		g.Connect(i, c)
	}
	var told []string
	g.listen = func(ctx context.Context, left time.Duration) error {
		switch wall.now += left; {
		case wall.now > 15*time.Second:
			cables[0].missing = nil
		case wall.now > 8*time.Second:
			cables[1].missing = nil
		}
		return ctx.Err()
	}
	if err := g.AwaitConnections(t.Context(), nil,
		func(text string) { told = append(told, fmt.Sprintf("%.0f: %s", wall.now.Seconds(), text)) }); err != nil ||
		wall.now <= 15*time.Second {
		t.Fatal(err, wall.now)
	}
	const a = "robot a, which lacks a subscriber of /clock and a publisher of /a/cmd_vel"
	const both = a + "; robot b, which lacks a publisher of /b/cmd_vel"
	want := []string{"1: " + both, "6: " + both, "8: " + a, "13: " + a}
	must.Equal(t, told, want, "reports of what is missing")
	cables[0].missing = []string{"a publisher"}
	if err := g.AwaitConnections(t.Context(), func(robot string) bool { return robot == "a" }, nil); err != nil {
		t.Errorf("%v; a waits for a step itself", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.AwaitConnections(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}

// A command before the run answers time 0: at once for a robot in this process, and after the timeout for a connected
// robot that stays silent.
func TestGateCountsWhatWasCommandedBefore(t *testing.T) {
	for _, c := range []Connection{direct{}, &cable{}} {
		g, wall := newGate(nil, timesync.WaitFor{Robot: "a"})
		g.Connect(0, c)
		g.Command("a")
		g.Tick(0)
		if late := hold(t, g); late != nil {
			t.Fatal(late)
		}
		if _, here := c.(direct); here == (wall.now >= time.Second) {
			t.Errorf("%T: the step began after %v", c, wall.now)
		}
		g.Tick(step)
		g.Command("a")
		g.Tick(2 * step)
		if late := hold(t, g); late == nil {
			t.Error("later commands count before they are asked for")
		}
	}
}

// A command before the run answers only time 0: a robot that sends nothing more is late.
func TestGateMissesWhoCommandedOnlyBefore(t *testing.T) {
	for _, c := range []Connection{direct{}, &cable{}} {
		g, _ := newGate(nil, timesync.WaitFor{Robot: "a"})
		g.Connect(0, c)
		g.Command("a")
		g.Tick(0)
		if late := hold(t, g); late != nil {
			t.Fatal(late)
		}
		g.Tick(step)
		if late := hold(t, g); late == nil {
			t.Errorf("%T: a robot that never answers is not late", c)
		}
	}
}

// A robot that reconnects does not owe answers to lost messages.
func TestGateForgivesWhatARobotLost(t *testing.T) {
	c := &cable{}
	gone := func(*Gate) { c.missing = []string{"a publisher"} }
	back := func(*Gate) { c.missing, c.session = nil, c.session+1 }
	g, wall := newGate([]func(*Gate){func(g *Gate) { g.Command("a") }}, timesync.WaitFor{Robot: "a", After: "omni"})
	g.Connect(0, c)
	g.Expect("a", "omni", 0)
	if late := hold(t, g); late != nil {
		t.Fatal(late)
	}
	later := func(f func(*Gate)) { // after a moment
		g.listen = func(ctx context.Context, left time.Duration) error {
			if wall.now += min(left, poll); f != nil && wall.now > slow {
				f(g)
				f = nil
			}
			return ctx.Err()
		}
	}
	g.Expect("a", "omni", step)
	later(gone)
	if late := hold(t, g); late == nil || late.Missing != "a publisher" {
		t.Errorf("late is %v, want one that says what is missing", late)
	}
	begun := wall.now
	later(back)
	if late := hold(t, g); late != nil || wall.now-begun >= time.Second {
		t.Errorf("%v after %v; it is back, and what it owed is lost", late, wall.now-begun)
	}
}

// A connected robot that never answers a sensor is late, after the observations that may have been lost.
func TestGateMissesWhoNeverAnswersASensor(t *testing.T) {
	g, _ := newGate(nil, timesync.WaitFor{Robot: "a", After: "omni"})
	g.Connect(0, &cable{})
	for n := range 10 {
		g.Expect("a", "omni", time.Duration(n)*step)
		if late := hold(t, g); late != nil {
			must.Equal(t, n, mostLost, "late at observation")
			return
		}
	}
	t.Error("a robot that never answers is not late")
}

func TestGateWaitsForAllMessages(t *testing.T) {
	c := &cable{pending: "/a/odom"}
	g, _ := newGate([]func(*Gate){func(g *Gate) { g.Command("a") }, func(g *Gate) { g.Ack("a", time.Hour) }},
		timesync.WaitFor{Robot: "a", Order: timesync.OrderAll})
	g.Connect(0, c)
	g.Tick(0)
	if late := hold(t, g); late == nil || late.Message != "/a/odom" {
		t.Errorf("late is %v, want one for /a/odom", late)
	}
	c.pending = ""
	if late := hold(t, g); late != nil {
		t.Error(late)
	}
	c.missing = []string{"a subscriber"}
	if late := hold(t, g); late == nil || late.Missing != "a subscriber" {
		t.Errorf("late is %v although nobody is there to acknowledge", late)
	}
}
