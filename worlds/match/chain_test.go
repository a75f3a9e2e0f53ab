package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// still is a simulation in which only actions move the ball.
type still struct {
	Simulation
	world *worlds.World
	truth *physics.Snapshot
	calls int
}

func (s *still) Truth() *physics.Snapshot { return s.truth }
func (s *still) World() *worlds.World     { return s.world }
func (s *still) Hidden() bool             { return false }
func (s *still) Unsubscribe()             {}
func (s *still) Do(a action.Action) error {
	place := a.(*action.Place)
	s.truth.Ball.PosW[0] = place.X
	s.calls++
	return nil
}

const stillWorld = "name = \"w\"\n[[robot]]\nname = \"r\"\nmodel = \"nubot\"\nsensor = []\n"

// directorOf returns the Director of a world that has the given events.
func directorOf(t testing.TB, events string) *Director {
	t.Helper()
	w, err := worlds.Parse("w.toml", []byte(stillWorld+events))
	if err != nil {
		t.Fatalf("%v in\n%s", err, events)
	}
	model := w.Model()
	d := New(&still{world: w, truth: model.Start()})
	must.Do(t, d.Begin(w, model))
	return d
}

// nextStep lets a step pass, and carries out events.
func (d *Director) nextStep(t testing.TB, doEvents func() error) {
	truth := d.sim.Truth()
	truth.Step++
	truth.Time += 5 * time.Millisecond
	must.Do(t, doEvents())
}

// doInRounds carries out events as doEvents does, but tests all of them again in every round.
func (d *Director) doInRounds() error {
	truth := d.sim.Truth()
	d.happened = d.happened[:0]
	for again := true; again; {
		again = false
		for i := range d.events {
			e := &d.events[i]
			if e.left == 0 || !e.happens(truth.Time, truth.Step) {
				continue
			}
			e.happen(truth.Time, truth.Step)
			d.happened = append(d.happened, i)
			again = true
			if e.action != nil {
				if err := d.sim.Do(e.action); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// randomEvents returns events that wait for each other and move the ball between areas.
func randomEvents(r *rand.Rand) string {
	n := 1 + r.IntN(12)
	var b strings.Builder
	for x := range 4 {
		fmt.Fprintf(&b, "[[area]]\nname = \"at%d\"\ncircle = { x_m = %d, radius_m = 0.4 }\n", x, x)
	}
	order := r.Perm(n) // an event waits only for events before it in this order, so none waits for itself
	for i := range n {
		fmt.Fprintf(&b, "[[event]]\nname = \"e%d\"\n", i)
		before := func() string { return fmt.Sprintf("e%d", slices.Index(order, r.IntN(order[i]))) }
		repeats := false
		if order[i] > 0 && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "after = %q\n", before())
			repeats = true
		}
		var condition func(depth int) string
		condition = func(depth int) string {
			text := ""
			switch k := r.IntN(5); {
			case k == 0 && order[i] > 0:
				text = fmt.Sprintf("happened = { event = %q, times = %d }", before(), r.IntN(3))
			case k == 1 && depth < 2:
				text = "not = " + condition(depth+1)
			case k == 2 && depth < 2:
				text = fmt.Sprintf("any = [%s, %s]", condition(depth+1), condition(depth+1))
			case k == 3 && depth < 2:
				text = fmt.Sprintf("all = [%s, %s]", condition(depth+1), condition(depth+1))
			default:
				text = fmt.Sprintf("in_area = { name = \"ball\", area = \"at%d\" }", r.IntN(4))
			}
			if r.IntN(4) == 0 {
				text += ", for_s = 0.01"
			}
			return "{ " + text + " }"
		}
		switch r.IntN(3) {
		case 0:
			fmt.Fprintf(&b, "when = %s\n", condition(0))
			repeats = true
		case 1:
			fmt.Fprintf(&b, "every_s = %v\n", []float64{0.005, 0.01, 0.015}[r.IntN(3)])
			repeats = false
		}
		if repeats && r.IntN(3) > 0 {
			b.WriteString("repeat = true\n")
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "place = { name = \"ball\", x_m = %d }\n", r.IntN(4))
		}
	}
	return b.String()
}

// Events that are tested only after what can affect them happen as if all were tested in every round.
func TestEventsHappenAsInRounds(t *testing.T) {
	const seed = 1
	happened := 0
	for n := range 300 {
		text := randomEvents(rand.New(rand.NewPCG(seed, uint64(n))))
		d, want := directorOf(t, text), directorOf(t, text)
		for step := range 12 {
			d.nextStep(t, d.doEvents)
			want.nextStep(t, want.doInRounds)
			happened += len(want.happened)
			x, wantX := d.sim.Truth().Ball.PosW[0], want.sim.Truth().Ball.PosW[0]
			if !slices.Equal(d.happened, want.happened) || x != wantX {
				t.Fatalf("world %d, step %d: events %v and the ball at %v, want %v and %v, in\n%s", n, step, d.happened, x,
					want.happened, wantX, text)
			}
		}
	}
	if happened < 3000 {
		t.Errorf("only %d events happened", happened)
	}
}

// chain returns events that happen in the same step, each because of another: forwards, each because of the one before
// it in the file, otherwise because of the one after it.
func chain(events int, forwards bool, link, more string) string {
	var b strings.Builder
	for i := range events {
		name, cause, first := i, i-1, i == 0
		if !forwards {
			cause, first = i+1, i == events-1
		}
		fmt.Fprintf(&b, "[[event]]\nname = \"e%d\"\n%s", name, more)
		if first {
			b.WriteString("every_s = 0.005\n")
			continue
		}
		fmt.Fprintf(&b, link, fmt.Sprintf("e%d", cause))
	}
	return b.String()
}

// In a chain of events each event is tested at most twice in a step, in either order and for either kind of link.
func TestChainsAreTestedOnce(t *testing.T) {
	const n = 200
	const after = "after = %q\nwhen = { not = { in_area = { name = \"ball\", area = \"magenta_goal\" } } }\n"
	for name, text := range map[string]string{
		"after, forwards":  chain(n, true, after, ""),
		"after, backwards": chain(n, false, after, ""),
		"happened":         chain(n, false, "when = { happened = { event = %q } }\n", ""),
		"happened, with actions": chain(n, false, "when = { happened = { event = %q } }\n",
			"place = { name = \"ball\", x_m = 1 }\n"),
	} {
		d := directorOf(t, text)
		tests := 0
		for i := range d.events {
			if holds := d.events[i].holds; holds != nil {
				d.events[i].holds = func() bool { tests++; return holds() }
			}
		}
		d.nextStep(t, d.doEvents)
		must.Equal(t, len(d.happened), n, "%s: events happened", name)
		if tests > 2*n {
			t.Errorf("%s: %d conditions were tested, want at most %d", name, tests, 2*n)
		}
	}
}

// BenchmarkChain measures a step in which all events of a chain happen, each because of the next one in the file.
func BenchmarkChain(b *testing.B) {
	for _, events := range []int{100, 1000} {
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			d := directorOf(b, chain(events, false, "after = %q\nrepeat = true\n", ""))
			b.ReportAllocs()
			for b.Loop() {
				d.nextStep(b, d.doEvents)
			}
			if len(d.happened) != events {
				b.Fatalf("%d events happened, want %d", len(d.happened), events)
			}
		})
		b.Run(fmt.Sprintf("%d-rounds", events), func(b *testing.B) {
			d := directorOf(b, chain(events, false, "after = %q\nrepeat = true\n", ""))
			for b.Loop() {
				d.nextStep(b, d.doInRounds)
			}
		})
	}
}
