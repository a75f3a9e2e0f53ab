package replay

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// variant is a run that differs from others in one respect.
type variant struct {
	steps   int
	world   func(*worlds.World)
	command func(step int) *action.Drive // of robot a before a step
	restart int                          // step before which the world restarts; 0: never
	seed    uint64                       // seed of the restarted world
	crooked bool                         // the engine is a crooked one
}

// crooked is an engine that moves the ball a little from step 30 on.
type crooked struct{ physics.Engine }

func (c crooked) Snapshot(s *physics.Snapshot) {
	if c.Engine.Snapshot(s); s.Step >= 30 {
		s.Ball.PosW[1] += 1e-9
	}
}

var sims omnipitch.Cache

// states runs and records a variant, and returns the observed states of all episodes.
func (v *variant) states(t *testing.T, path string, exact bool) (all []*physics.Snapshot, model *physics.Model) {
	t.Helper()
	w := busy(t, "planar")
	if v.world != nil {
		v.world(w)
	}
	opts := omnipitch.Options{Cache: &sims}
	if v.crooked {
		opts.NewEngine = func(m *physics.Model) (physics.Engine, error) {
			e, err := engine.New(m)
			return crooked{e}, err
		}
	}
	rec := must.Get(recorder.New(path, w, recorder.Config{Program: "test", Exact: exact}))(t)
	rec.Hook(&opts)
	sim := must.Get(omnipitch.New(w, opts))(t)
	defer sim.Close()
	rec.Follow(sim)
	sim.OnStep(func(s *physics.Snapshot) { all = append(all, s.Clone()) })
	steps(t, sim, v.steps, func(i int) {
		if v.command != nil {
			if c := v.command(i + 1); c != nil {
				must.Do(t, sim.Do(c))
			}
		}
		if i+1 == v.restart {
			another, err := w.WithSeed(v.seed)
			if err == nil {
				err = sim.Restart(another)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	must.Do(t, rec.Close())
	return all, w.Model()
}

// Compare finds exactly what was changed, at its step, for all kinds of recorded states. The first differing state and
// quantity are those that a loop over both runs finds.
func TestCompare(t *testing.T) {
	drive := func(from, to int, vx float64) func(int) *action.Drive {
		return func(step int) *action.Drive {
			if step < from || step > to {
				return nil
			}
			return &action.Drive{Robot: "a", VX: vx}
		}
	}
	plain := variant{steps: 200, command: drive(50, 60, 1), restart: 150, seed: 9}
	with := func(change func(*variant)) variant {
		v := plain
		change(&v)
		return v
	}
	dir := t.TempDir()
	paths := map[bool]string{true: filepath.Join(dir, "exact"), false: filepath.Join(dir, "plain")}
	was, model := plain.states(t, paths[true], true)
	plain.states(t, paths[false], false)
	for name, c := range map[string]struct {
		other variant
		want  []string // without states
	}{
		"the same": {plain, nil},
		"command": {with(func(v *variant) { v.command = drive(50, 60, 0.9) }),
			[]string{"input 0.50: command of a: vx: 1, 0.9"}},
		"earlier": {with(func(v *variant) { v.command = drive(40, 60, 1) }),
			[]string{"input 0.40: nothing, command of a: vx 1"}},
		"no more": {with(func(v *variant) { v.command = drive(50, 55, 1) }),
			[]string{"input 0.56: command of a: vx 1, nothing"}},
		"shorter": {with(func(v *variant) { v.steps = 180 }), []string{"length 1.31: 1s, 900ms"}},
		"no second": {with(func(v *variant) { v.restart = 0 }),
			[]string{"input 0.150: the world restarts: busy with seed 9, nothing", "episodes 1.0: 2, 1"}},
		"seed": {with(func(v *variant) { v.seed = 8 }), []string{"input 0.150: the world restarts: busy " +
			"with seed 9, busy with seed 8", "seed 1.0: 9, 8"}},
		"ball": {with(func(v *variant) { v.world = func(w *worlds.World) { w.Ball.Mass = 0.4 } }),
			[]string{"world: world.toml:LINE, [ball]: mass_kg = 0.43, mass_kg = 0.4"}},
	} {
		t.Run(name, func(t *testing.T) {
			other := map[bool]string{true: filepath.Join(dir, name+" exact"), false: filepath.Join(dir, name)}
			is, _ := c.other.states(t, other[true], true)
			c.other.states(t, other[false], false)
			want, same := append([]string(nil), c.want...), int64(0)
			for i := range want {
				want[i] = strings.Replace(want[i], "LINE", strconv.Itoa(worldLine(t, paths[true], "mass_kg = 0.43")), 1)
			}
			for i := range min(len(was), len(is)) {
				if was[i].Step != is[i].Step {
					break // one has restarted
				}
				if d, differ := track.Diff(was[i], is[i], model); differ {
					want = append(want, fmt.Sprintf("state: %s: %v, %v", d.Quantity, d.A, d.B))
					break
				}
				same++
			}
			for _, exact := range [][2]bool{{true, true}, {false, false}, {true, false}, {false, true}} {
				if exact[0] != exact[1] && name != "command" {
					continue // to save time
				}
				found := compared(t, paths[exact[0]], other[exact[1]])
				var got []string
				for _, d := range found.Differences {
					place := ""
					if d.At != nil {
						place = fmt.Sprintf(" %d.%d", d.At.Episode, d.At.Step)
						must.Equal(t, d.At.Time,
							time.Duration(d.At.Step+int64(149*d.At.Episode))*5*time.Millisecond, "%s: at", d.Of)
					}
					if d.Of == "state" { // checked above
						must.Equal(t, place, fmt.Sprintf(" %d.%d", d.At.Episode, same-int64(150*d.At.Episode)),
							"state at")
						place = ""
					}
					got = append(got, strings.Replace(fmt.Sprintf("%s%s: %s: %s, %s", d.Of, place, d.What, d.A, d.B),
						": : ", ": ", 1))
				}
				if diff := cmp.Diff(want, got); diff != "" || found.Steps != same || found.Unnamed != nil ||
					len(found.Made) > 0 {
					t.Errorf("exact %v: %d steps are the same, want %d; %v, %v; (-want +got)\n%s", exact, found.Steps,
						same, found.Unnamed, found.Made, diff)
				}
			}
		})
	}
}

func compared(t *testing.T, a, b string) *Comparison {
	t.Helper()
	var recs [2]*Recording
	for i, path := range []string{a, b} {
		recs[i] = must.Get(Open(path))(t)
		defer recs[i].Close()
	}
	return must.Get(Compare(t.Context(), recs[0], recs[1], func(string) {}))(t)
}

// If a run cannot be run again, the step of the difference is known, and the quantity only from exact states.
func TestCompareWhatCannotBeMadeAgain(t *testing.T) {
	plain, other := variant{steps: 40}, variant{steps: 40, crooked: true}
	for _, exact := range []bool{true, false} {
		a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
		plain.states(t, a, exact)
		other.states(t, b, exact)
		found := compared(t, a, b)
		if len(found.Differences) != 1 || found.Steps != 30 {
			t.Fatalf("exact %v: %+v", exact, found)
		}
		d := found.Differences[0]
		if what := map[bool]string{true: "ball: pose y", false: "hash"}[exact]; d.Of != "state" || d.At.Step != 30 ||
			d.What != what || (found.Unnamed == nil) != exact {
			t.Errorf("exact %v: %+v; %v", exact, d, found.Unnamed)
		}
		if err := found.Unnamed; err != nil && !strings.Contains(err.Error(),
			"B, run again here, has another state at step 30 than its recording") {
			t.Error(err)
		}
	}
}

// The first differing line of two worlds is found with its table.
func TestDifferingLines(t *testing.T) {
	const text = "seed = 1\n\n[[robot]]\nname = \"cyan1\"\n\n[[robot.sensor]]\nname = \"omni\"\nlevel = " +
		"\"raw\"\n\n[ball]\nmass_kg = 1"
	for _, c := range []struct{ old, new, where, was, is string }{
		{"seed = 1", "seed = 2", "", "", ""},
		{"raw", "ideal", ":8, [[robot.sensor]] omni of cyan1", `level = "raw"`, `level = "ideal"`},
		{"cyan1", "cyan2", ":4, [[robot]]", `name = "cyan1"`, `name = "cyan2"`},
		{"kg = 1", "kg = 2", ":11, [ball]", "mass_kg = 1", "mass_kg = 2"},
		{"\nmass_kg = 1", "", ":11, [ball]", "mass_kg = 1", "nothing"},
	} {
		where, was, is := differingLine(text, strings.Replace(text, c.old, c.new, 1))
		if where != c.where || was != c.was || is != c.is {
			t.Errorf("%s: %q, %q, %q, want %q, %q, %q", c.new, where, was, is, c.where, c.was, c.is)
		}
	}
}

// States that do not fit the recording's world are refused.
func TestStatesOfAnotherWorld(t *testing.T) {
	dir := t.TempDir()
	path, mixed := filepath.Join(dir, "a"), filepath.Join(dir, "mixed")
	(&variant{steps: 20}).states(t, path, true)
	other := must.Get(worlds.Parse("w.toml", []byte("name = \"w\"\n[[robot]]\nname = \"a\"\nmodel = \"nubot\"\n")))(t)
	bundle := must.Get(other.Bundle(nil))(t)
	var header recording.Header
	for name, data := range bundle {
		header.Attachments = append(header.Attachments, recording.Attachment{Name: name, Data: data})
	}
	w := must.Get(recording.Create(mixed, header, recording.Options{}))(t)
	r := must.Get(recording.Open(path))(t)
	defer r.Close()
	for messages := r.Messages(0, nil); ; {
		m, err := messages.Next()
		if err == io.EOF {
			break
		}
		var c *recording.Channel
		if err == nil {
			c, err = w.Channel(m.Channel.Topic, m.Channel.Schema, m.Channel.Metadata)
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Write(m.LogTime, m.PublishTime, m.Data)
	}
	must.Do(t, w.Close())
	rec := must.Get(Open(mixed))(t)
	defer rec.Close()
	const want = "state of step 0: has 3 robots and 0 obstacles: its world has 1 and 0"
	must.Fail(t, rec.EachState(0, func(time.Duration, *physics.Snapshot) error { return nil }), want)
	must.Refuse(Compare(t.Context(), rec, rec, func(string) {}))(t, want)
}

// worldLine returns the number of the line in a recording's world that has a text.
func worldLine(t *testing.T, path, text string) int {
	t.Helper()
	r := must.Get(recording.Open(path))(t)
	defer r.Close()
	world := must.Get(r.Attachment("world.toml"))(t)
	before, _, found := strings.Cut(string(world.Data), text)
	if !found {
		t.Fatalf("%s: its world has no %s", path, text)
	}
	return strings.Count(before, "\n") + 1
}
