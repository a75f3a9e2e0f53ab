package track

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/internal/planar"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// game steps an engine as a Sim does. Events place bodies during steps, and external actions do so between steps.
type game struct {
	t        *testing.T
	engine   physics.Engine
	commands []physics.Command
	rng      *rand.Rand
	now      physics.Snapshot
	seen     []uint64 // hashes of the observed states
	all      []uint64 // hashes of all states
	outside  bool     // external actions are carried out
}

func newGame(t *testing.T, engine physics.Engine, outside bool) *game {
	g := &game{t: t, engine: engine, commands: make([]physics.Command, 2), rng: rand.New(rand.NewPCG(7, 8)),
		outside: outside}
	g.look()
	return g
}

func (g *game) look() {
	g.engine.Snapshot(&g.now)
	g.all = append(g.all, g.now.Hash())
}

func (g *game) place(x float64) {
	must.Do(g.t, g.engine.PlaceBall(mgl64.Vec3{x, 0, 0.11}, spatial.Twist{Lin: mgl64.Vec3{x, 1, 0}}))
	g.look()
}

// announce does what a Sim does after the events of a step.
func (g *game) announce() {
	random := g.rng.IntN(10)
	if g.outside && random == 0 {
		g.place(3) // before the state is observed
		g.place(4)
	}
	if s, ok := g.engine.(physics.Settler); ok && s.Settle() {
		g.engine.Snapshot(&g.now)
	}
	g.seen = append(g.seen, g.now.Hash())
	if g.outside && random == 1 {
		g.place(5) // after it was observed
	}
}

func (g *game) step() error {
	for i := range g.commands {
		g.commands[i] = physics.Command{TwistB: physics.PlanarTwist{VX: g.rng.Float64(), Omega: g.rng.Float64()}}
	}
	if err := g.engine.Step(g.commands); err != nil {
		return err
	}
	g.look()
	if g.now.Step%7 == 0 { // an event
		g.place(1)
		for i := range g.commands {
			must.Do(g.t, g.engine.PlaceRobot(i, spatial.Planar(float64(i), 2, 1), spatial.Twist{}))
		}
		g.look()
	}
	g.announce()
	return nil
}

func (g *game) run(steps int) {
	g.t.Helper()
	if g.now.Step == 0 {
		g.announce()
	}
	for range steps {
		must.Do(g.t, g.step())
	}
}

func newPlanar(t *testing.T, model *physics.Model) physics.Engine {
	t.Helper()
	return must.Get(planar.New(model))(t)
}

// logOf records two episodes of a game.
func logOf(t *testing.T, model *physics.Model, steps int) (*Blocks, [2]*game) {
	t.Helper()
	blocks := &Blocks{}
	log := NewLog(blocks.Add)
	var games [2]*game
	for i := range games {
		games[i] = newGame(t, NewRecorder(newPlanar(t, model), model, i, log), true)
		games[i].run(steps)
	}
	must.Do(t, log.Close())
	return blocks, games
}

func TestPlaybackGivesTheStatesThatWereRecorded(t *testing.T) {
	model := testModel()
	const steps = 450 // several blocks, some of which end within a step
	blocks, games := logOf(t, model, steps)
	within := 0
	for i := 1; i < len(blocks.headers); i++ {
		if a, b := &blocks.headers[i-1], &blocks.headers[i]; a.Episode == b.Episode && a.Last == b.First {
			within++
		}
	}
	if within == 0 {
		t.Error("no step lies in two blocks: this test must have one")
	}
	for episode, recorded := range games {
		for _, outside := range []bool{true, false} { // external actions are repeated, or not
			p := must.Get(NewPlayback(model, blocks, episode))(t)
			g := newGame(t, p, outside)
			g.run(steps)
			if !slices.Equal(g.seen, recorded.seen) {
				t.Errorf("episode %d, outside %v: observed states differ", episode, outside)
			}
			if outside && !slices.Equal(g.all, recorded.all) {
				t.Errorf("episode %d: the states in between differ", episode)
			}
			must.Fail(t, g.step(), "step 451: the log has no state of it in episode", "after the end")
			if p.Snapshot(&g.now); g.now.Hash() != recorded.seen[steps] && !outside {
				t.Error("the end is not the last observed state")
			}
			for _, step := range []int64{300, 0, 449, 1, 99, 100, 7, 450} {
				must.Do(t, p.GoTo(step))
				if p.Snapshot(&g.now); g.now.Step != step || g.now.Hash() != recorded.seen[step] {
					t.Errorf("at step %d: state of step %d, or another", step, g.now.Step)
				}
			}
			if err := p.GoTo(1000); err == nil {
				t.Error("went to a step that is not there")
			}
			if p.Snapshot(&g.now); g.now.Step != 450 {
				t.Errorf("a step that is not there led to step %d", g.now.Step)
			}
		}
	}
	must.Refuse(NewPlayback(model, blocks, 2))(t, "no episode 2", "an episode that is not there")
	must.Refuse(NewPlayback(enginetest.Model(), blocks, 0))(t, "2 robots", "another model")
}

// A step may have more states than a block: somebody drags the ball while the clock is paused.
func TestAStepHasMoreStatesThanABlock(t *testing.T) {
	model := testModel()
	blocks := &Blocks{}
	log := NewLog(blocks.Add)
	g := newGame(t, NewRecorder(newPlanar(t, model), model, 0, log), false)
	g.run(10)
	for i := range 3 * BlockStates {
		g.place(float64(i) / 100)
	}
	g.run(10)
	must.Do(t, log.Close())
	p := must.Get(NewPlayback(model, blocks, 0))(t)
	again := newGame(t, p, false)
	again.run(20)
	if !slices.Equal(again.seen, g.seen) {
		t.Error("observed states differ")
	}
	for _, step := range []int64{11, 10, 9, 20} {
		must.Do(t, p.GoTo(step))
		if p.Snapshot(&again.now); again.now.Hash() != g.seen[step] {
			t.Errorf("step %d has another state", step)
		}
	}
}

// A log may begin and end during a run.
func TestRecorderIsSwitchedOnAndOff(t *testing.T) {
	model := testModel()
	r := NewRecorder(newPlanar(t, model), model, 0, nil)
	g := newGame(t, r, false)
	g.run(20)
	blocks := &Blocks{}
	log := NewLog(blocks.Add)
	r.To(log)
	g.run(30)
	r.To(nil)
	g.run(10)
	must.Do(t, log.Close())
	p := must.Get(NewPlayback(model, blocks, 0))(t)
	var s physics.Snapshot
	if p.Snapshot(&s); s.Step != 21 {
		t.Errorf("the log begins at step %d, want 21", s.Step)
	}
	if err := p.GoTo(50); err != nil {
		t.Error(err)
	}
	if err := p.Step(nil); err == nil {
		t.Error("there is a state of step 51, when nothing was recorded")
	}
}

// A checker compares the steps that a log leaves out by their hashes, also in a later episode. It finds a difference in
// either part.
func TestCheckerOfALogWithGaps(t *testing.T) {
	model := testModel()
	blocks, hashes := &Blocks{}, map[int64]uint64{}
	states, rest := NewLog(blocks.Add), NewHashLog(func(h Header, all []uint64) {
		for i, hash := range all {
			hashes[h.First+int64(i)] = hash
		}
		if h.Episode != 3 || h.Last != h.First+int64(len(all))-1 {
			t.Errorf("%+v for %d hashes", h, len(all))
		}
	})
	r := NewRecorder(newPlanar(t, model), model, 3, rest)
	g := newGame(t, r, false)
	for i := range 5 {
		r.To([]*Log{rest, states}[i%2])
		g.run(30)
	}
	must.Do(t, errors.Join(states.Close(), rest.Close()))
	if len(hashes) != 91 { // 90 steps, and step 0
		t.Errorf("%d hashes, want 91", len(hashes))
	}
	for _, c := range []struct {
		hash        bool
		apart, want int64 // step from which the run differs; reported step
		steps       int64
	}{{true, 1000, 0, 151}, {false, 1000, 121, 60}, {true, 45, 45, 45}, {true, 75, 75, 75}, {true, 130, 130, 130},
		{false, 95, 95, 34}} {
		p := must.Get(NewPlayback(model, blocks, 3))(t)
		hash := func(step int64) (uint64, bool) { h, ok := hashes[step]; return h, ok }
		if !c.hash {
			hash = nil
		}
		checker := NewChecker(newPlanar(t, model), model, p, hash)
		again := newGame(t, checker, false)
		for again.now.Step < 150 {
			if again.now.Step == c.apart-1 {
				again.place(9)
			}
			again.run(1)
		}
		got := int64(0)
		if parting := checker.Parting(); parting != nil {
			got = parting.Step
		}
		if got != c.want || checker.Steps() != c.steps {
			t.Errorf("%+v: parts at step %d, %d steps are the log's", c, got, checker.Steps())
		}
	}
}

// A killed run leaves no state of an unfinished step, because a body may still have been placed in it.
func TestFlushHoldsBackAStepThatIsNotOver(t *testing.T) {
	model := testModel()
	came := make(chan Header, 1)
	log := NewHashLog(func(h Header, _ []uint64) { came <- h })
	g := newGame(t, NewRecorder(newPlanar(t, model), model, 0, log), false)
	for step := range int64(50) {
		must.Do(t, g.step())
		log.Flush()
		if h := <-came; h.Last != step {
			t.Fatalf("in step %d those up to step %d are given to the sink", step+1, h.Last)
		}
		g.place(2)
		g.announce()
	}
	go func() {
		for range came { // receive the last step
		}
	}()
	must.Do(t, log.Close())
	close(came)
}

// With a slow sink, the engine waits, and no state is lost. Flush passes on all states but those of the newest step,
// which may still change.
func TestLogWaitsForItsSinkAndFlushes(t *testing.T) {
	model := testModel()
	var mu sync.Mutex
	blocks, came := &Blocks{}, make(chan int64, 1000)
	mu.Lock()
	log := NewLog(func(h Header, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		blocks.Add(h, b)
		came <- h.Last
	})
	g := newGame(t, NewRecorder(newPlanar(t, model), model, 0, log), false)
	stepped := make(chan struct{})
	go func() {
		g.run(1000)
		close(stepped)
	}()
	mu.Unlock()
	<-stepped
	log.Flush()
	last := int64(0)
	for last < 999 {
		last = <-came
	}
	if last != 999 {
		t.Errorf("the newest step, %d, was passed to the sink before it was over", last)
	}
	must.Do(t, log.Close())
	logged := len(g.all)
	g.run(100) // after Close nothing is logged, and nothing blocks
	p := must.Get(NewPlayback(model, blocks, 0))(t)
	for step := range int64(1001) {
		must.Do(t, p.GoTo(step))
	}
	var states int
	for _, h := range blocks.headers {
		states += h.States
	}
	must.Equal(t, states, logged, "states")
}

func TestRecordingAllocatesNothingWhereItSteps(t *testing.T) {
	model := testModel()
	log := NewLog(func(Header, []byte) {})
	defer log.Close()
	r := enginetest.Start(t, func(m *physics.Model) (physics.Engine, error) {
		e, err := planar.New(m)
		return NewRecorder(e, m, 0, log), err
	}, model)
	r.Commands[0].TwistB.VX = 1
	r.Run(2)
	// This counts the encoder's goroutine, too.
	must.Equal(t, testing.AllocsPerRun(500, r.Step), 0, "allocations a step")
}

func TestDamagedLogsEndWithAnError(t *testing.T) {
	model := testModel()
	blocks, _ := logOf(t, model, 450)
	blocks.blocks[2][len(blocks.blocks[2])/2] ^= 1
	p, err := NewPlayback(model, blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := newGame(t, p, false)
	for range 449 {
		if err = g.step(); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "damaged block of states") || g.now.Step < 100 {
		t.Errorf("a damaged block: %v, after step %d", err, g.now.Step)
	}
	before := g.now.Hash()
	p.Settle()
	if p.Snapshot(&g.now); g.now.Hash() != before || p.Step(nil) == nil || p.GoTo(1) == nil {
		t.Error("it continues after a damaged block")
	}
}

func TestCheckerNamesTheFirstDifference(t *testing.T) {
	model := testModel()
	blocks, games := logOf(t, model, 150)
	play := func() *Playback {
		return must.Get(NewPlayback(model, blocks, 0))(t)
	}
	hashes := func(step int64) (uint64, bool) { return games[0].seen[step], step%10 == 0 }
	for _, outside := range []bool{true, false} {
		for name, c := range map[string]*Checker{
			"states": NewChecker(newPlanar(t, model), model, play(), nil), "hashes": NewChecker(newPlanar(t, model),
				model, nil, hashes),
		} {
			newGame(t, c, outside).run(150)
			parting, steps := c.Parting(), c.Steps()
			switch {
			case outside && (parting != nil || name == "states" && steps != 151 || name == "hashes" && steps != 16):
				t.Errorf("%s: the same run differs at %+v, after %d steps", name, parting, steps)
			case !outside && (parting == nil || parting.Step > 30 || steps > 30):
				t.Errorf("%s: without placed bodies: first difference %+v after %d steps", name, parting, steps)
			case !outside && name == "states" && parting.Quantity != "ball: pose x":
				t.Errorf("parts at %+v, want ball: pose x", parting)
			}
		}
	}
	c := NewChecker(newPlanar(t, model), model, play(), nil)
	g := newGame(t, c, true)
	g.run(151)
	if p := c.Parting(); p == nil || p.Step != 151 || p.Err == nil {
		t.Errorf("after the log's end: %+v", p)
	}
}

// Diff compares every field, found by reflection, and names it.
func TestDiffSeesEveryField(t *testing.T) {
	model := testModel()
	model.Robots[1].Name = "cyan1"
	rng := rand.New(rand.NewPCG(5, 6))
	a := randomState(t, model, rng)
	a.Touches, a.Events = make([]physics.Touch, 1), make([]physics.Event, 1)
	if d, differ := Diff(a, a.Clone(), model); differ {
		t.Errorf("the same state differs in %+v", d)
	}
	names := map[string]bool{}
	var each func(v reflect.Value, b *physics.Snapshot, path string)
	each = func(v reflect.Value, b *physics.Snapshot, path string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				each(v.Field(i), b, path+"."+v.Type().Field(i).Name)
			}
			return
		case reflect.Array, reflect.Slice:
			for i := range v.Len() {
				each(v.Index(i), b, path)
			}
			return
		case reflect.Float64:
			old := v.Float()
			defer v.SetFloat(old)
			v.SetFloat(12345)
		case reflect.Int, reflect.Int64:
			old := v.Int()
			defer v.SetInt(old)
			v.SetInt(1 - old&1)
		case reflect.Uint8:
			old := v.Uint()
			defer v.SetUint(old)
			v.SetUint(old ^ 1)
		case reflect.Bool:
			defer v.SetBool(v.Bool())
			v.SetBool(!v.Bool())
		}
		d, differ := Diff(a, b, model)
		if !differ || d.Quantity == "" || d.A == d.B {
			t.Errorf("%s: differ %v, %+v", path, differ, d)
		}
		names[d.Quantity] = true
	}
	b := a.Clone()
	each(reflect.ValueOf(b).Elem(), b, "")
	for _, want := range []string{"robot cyan1: pose x", "robot cyan1: wheel 3: rate", "ball: held by",
		"ball: velocity z", "step", "obstacle : orientation w"} {
		if !names[want] {
			t.Errorf("no quantity is called %q", want)
		}
	}
	short := a.Clone()
	short.Robots = short.Robots[:1]
	if d, differ := Diff(a, short, model); !differ || d.Quantity != "robots: count" {
		t.Errorf("a robot less: %+v", d)
	}
}
