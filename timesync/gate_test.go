package timesync

import (
	"context"
	"errors"
	"testing"
	"time"
)

// newGate returns a gate that, whenever it waits, does the next of what is to happen, or lets the time pass that it waits.
func newGate(events []func(*Gate), robots ...WaitFor) (*Gate, *fakeWall) {
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
	if err := g.Hold(t.Context(), nil, func([]string) {}); err != nil && !errors.As(err, &late) {
		t.Fatal(err)
	}
	return late
}

func TestGateWaitsForEveryRobotThatOwes(t *testing.T) {
	said := 0
	say := func(robot string) func(*Gate) { return func(g *Gate) { said++; g.Command(robot) } }
	g, _ := newGate([]func(*Gate){say("b"), say("c"), say("a"), say("a"), say("b")},
		WaitFor{Robot: "a"}, WaitFor{Robot: "b", Rate: 100}, WaitFor{Robot: "c", After: "omni"})
	g.Tick(0)
	if hold(t, g); said != 3 { // c says what nobody has asked for
		t.Errorf("%d answers at 0, want 3", said)
	}
	g.Tick(step)
	if hold(t, g); said != 4 {
		t.Errorf("%d answers at %v, want 4: b owes none", said, step)
	}
	g.Command("a") // nobody has asked for it
	if g.Tick(2 * step); g.robots[0].owed != 1 || g.robots[1].owed != 1 || g.robots[2].owed != 0 {
		t.Error("what was not asked for counts as an answer")
	}
	g.Command("a")
	if hold(t, g); said != 5 {
		t.Errorf("%d answers at %v, want 5", said, 2*step)
	}
	g.Owe("c", "front", 3*step)
	hold(t, g)
	g.Owe("c", "omni", 3*step)
	if late := hold(t, g); late == nil || late.Robot != "c" {
		t.Errorf("late is %v, want c", late)
	}
}

func TestGateTakesAnAckForAllUpToIt(t *testing.T) {
	g, _ := newGate([]func(*Gate){
		func(g *Gate) { g.Command("a") }, func(g *Gate) { g.Ack("a", step) }, func(g *Gate) { g.Ack("a", 2*step) },
	}, WaitFor{Robot: "a", Answer: "ack"})
	g.Tick(step)
	g.Tick(2 * step)
	if late := hold(t, g); late != nil {
		t.Error(late)
	}
}

func TestGateOnTimeout(t *testing.T) {
	for _, then := range []OnTimeout{Continue, Pause, Fail} {
		g, wall := newGate([]func(*Gate){func(g *Gate) { g.Command("a") }}, WaitFor{Robot: "a", Then: then})
		missing := 0
		g.Tick(0)
		if err := g.Hold(t.Context(), nil, func(robots []string) { missing += len(robots) }); err != nil || missing != 0 {
			t.Fatal(err, missing)
		}
		g.Tick(step)
		begun := wall.now
		late := hold(t, g)
		if late == nil || late.Then != then || wall.now-begun != time.Second {
			t.Fatalf("%s: late is %v after %v", then, late, wall.now-begun)
		}
		// Who is to be done without is waited for again once it answers.
		if then == Continue {
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
	g, wall := newGate(nil, WaitFor{Robot: "a"})
	g.listen = func(context.Context, time.Duration) error {
		wall.now += 10 * time.Millisecond
		if wall.now > time.Minute {
			g.Command("a")
		}
		return nil
	}
	told := 0
	g.Tick(0)
	if err := g.Hold(t.Context(), nil, func(robots []string) {
		if told++; len(robots) != 1 || robots[0] != "a" {
			t.Errorf("waits for %v", robots)
		}
	}); err != nil || told != 1 {
		t.Errorf("%v; told %d times, want once", err, told)
	}
}

// A robot that calls a service waits for a step, which must not wait for it.
func TestGateLetsStepsPassThatARobotWaitsFor(t *testing.T) {
	g, wall := newGate(nil, WaitFor{Robot: "a", Answer: "ack"})
	g.Tick(0)
	if err := g.Hold(t.Context(), func(robot string) bool { return robot == "a" }, nil); err != nil || wall.now != 0 {
		t.Error(err, wall.now)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Hold(ctx, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}
