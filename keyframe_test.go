package omnipitch

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/player"
)

var (
	keyFramesFor  = flag.Duration("keyframes.for", 500*time.Millisecond, "sim time of each world of TestKeyFrames")
	keyFrameDraw  = flag.String("keyframes.renderer", "", "what draws the images of TestKeyFrames; if empty, a renderer whose images are hashes of what they depend on")
	keyFrameSeeds = flag.Int("keyframes.seeds", 1, "how often each world is run by TestKeyFrames, each time with other actions")
)

// stateLog is every state of an engine: after each step, and after each body that was placed then.
type stateLog struct{ steps [][]*physics.Snapshot }

// recorded is an engine whose states are logged.
type recorded struct {
	physics.Engine
	log *stateLog
}

func (e *recorded) record() {
	var now physics.Snapshot
	e.Engine.Snapshot(&now)
	last := len(e.log.steps) - 1
	e.log.steps[last] = append(e.log.steps[last], &now)
}

func (e *recorded) Step(commands []physics.Command) error {
	err := e.Engine.Step(commands)
	e.log.steps = append(e.log.steps, nil)
	e.record()
	return err
}

func (e *recorded) PlaceRobot(robot int, poseWB spatial.Pose, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceRobot(robot, poseWB, twist)
}

func (e *recorded) PlaceObstacle(obstacle int, poseWO spatial.Pose, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceObstacle(obstacle, poseWO, twist)
}

func (e *recorded) PlaceBall(posW mgl64.Vec3, twist spatial.Twist) error {
	defer e.record()
	return e.Engine.PlaceBall(posW, twist)
}

// playback is an engine that plays such a log: it computes nothing, and knows nothing but the log.
type playback struct {
	log          *stateLog
	step, placed int
}

func (e *playback) Step([]physics.Command) error {
	if e.step, e.placed = e.step+1, 0; e.step >= len(e.log.steps) {
		return errors.New("the log is over")
	}
	return nil
}

func (e *playback) place() error {
	if e.placed++; e.placed >= len(e.log.steps[e.step]) {
		return fmt.Errorf("step %d: nothing was placed here", e.step)
	}
	return nil
}

func (e *playback) Snapshot(s *physics.Snapshot)                         { e.log.steps[e.step][e.placed].CopyTo(s) }
func (e *playback) PlaceRobot(int, spatial.Pose, spatial.Twist) error    { return e.place() }
func (e *playback) PlaceObstacle(int, spatial.Pose, spatial.Twist) error { return e.place() }
func (e *playback) PlaceBall(mgl64.Vec3, spatial.Twist) error            { return e.place() }
func (e *playback) Close()                                               {}

// telling is a renderer whose images tell all that they depend on: their first bytes are a hash of the view and of the batch.
type telling struct{}

func (telling) Render(b *render.Batch) error {
	for i := range b.Views {
		v := &b.Views[i]
		c := keyframe.Append(nil)
		c.Value(&b.PosesWB)
		if b.Shading != nil {
			c.Value(&b.Shading.Light)
			c.Value(&b.Shading.Carpet)
			for k := range b.Shading.Materials {
				c.Value(&b.Shading.Materials[k].Color)
			}
		}
		c.Value(&v.PoseWC)
		if v.Before != nil && v.Truth != nil {
			c.Value(v.Before)
		}
		c.Uint(&v.NoiseKey)
		sum := fnv.New64a()
		sum.Write(c.Data())
		hash := sum.Sum(nil)
		if v.Color != nil {
			clear(v.Color.Pix)
			copy(v.Color.Pix, hash)
		}
		if v.Depth != nil {
			for k := range v.Depth.Z {
				v.Depth.Z[k] = 2
			}
			v.Depth.Z[0] = 1 + float32(hash[0])/256
		}
		if v.Truth != nil {
			v.Truth.Labels[0] = uint16(hash[0])
		}
	}
	return nil
}

func (telling) Close() {}

// run of a world for key frames: what it shows, step by step.
type trace struct {
	sim      *Sim
	engine   *playback // nil: the world's own
	log      *stateLog
	inputs   kept
	steps    map[int64][]string
	verdicts *[]expectation.Verdict
}

func (x *trace) note(args ...any) {
	x.steps[x.sim.truth.Step] = append(x.steps[x.sim.truth.Step], fmt.Sprint(args...))
}

// newTrace starts a world with its own engine, or to be playback from a log.
func newTrace(t testing.TB, w *worlds.World, play *stateLog, cache *Cache) *trace {
	t.Helper()
	x := &trace{steps: map[int64][]string{}, log: &stateLog{steps: make([][]*physics.Snapshot, 1)}}
	opts := Options{
		Renderer: *keyFrameDraw, Cache: cache,
		OnVerdict: func(v expectation.Verdict) { x.note(v) },
		NewEngine: func(m *physics.Model) (physics.Engine, error) {
			engine, err := NewEngine(m)
			e := &recorded{engine, x.log}
			e.record()
			return e, err
		},
	}
	if *keyFrameDraw == "" {
		opts.NewRenderer = func(*render.Scene) (render.Renderer, error) { return telling{}, nil }
	}
	if play == nil {
		opts.OnInput = x.inputs.add
	} else {
		opts.Inputs = &x.inputs
		x.engine = &playback{log: play}
		opts.NewEngine = func(*physics.Model) (physics.Engine, error) { return x.engine, nil }
	}
	sim, err := New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	x.sim = sim
	sim.OnStep(func(s *physics.Snapshot) {
		x.note("state ", s.Hash(), sim.Game(), sim.light.Lighting, sim.commands.taken)
	})
	sim.OnLevel(func(c LevelChange) { x.note("level ", c) })
	sim.OnClock(func(now time.Duration) { x.note("clock ", now) })
	for _, r := range w.Robots {
		for i, s := range r.Sensors {
			l := Listener{Observe: x.observe}
			if i%3 == 1 { // some are not always wanted
				l.Wants = func(abstraction.Level) bool { return sim.truth.Step/40%2 == 0 }
			}
			if _, err := sim.Listen(r.Name, s.Name, l); err != nil {
				t.Fatal(err)
			}
		}
	}
	return x
}

// observe notes an observation with all of its bits.
func (x *trace) observe(o *sensors.Observation) {
	c := keyframe.Append(nil)
	for _, part := range []any{o.Features, o.Objects, o.Color, o.Depth, o.Truth, o.Reading, &o.PoseBC} {
		switch p := part.(type) {
		case *abstraction.FeatureList:
			if p != nil {
				c.Value(p)
			}
		case *abstraction.ObjectList:
			if p != nil {
				c.Value(p)
			}
		case *render.Image:
			if p != nil {
				c.Bytes(&p.Pix)
			}
		case *render.Depth:
			if p != nil {
				c.Value(p)
			}
		case *render.Truth:
			if p != nil {
				c.Value(p)
			}
		case nil:
		default:
			c.Value(p)
		}
	}
	sum := fnv.New64a()
	sum.Write(c.Data())
	x.note(o.Robot, ".", o.Sensor, " ", o.Level, " ", o.Fault, " frame ", o.Frame, " of ", o.Stamp, ": ", sum.Sum64())
}

// moment is a key frame, and what goes with it.
type moment struct {
	data   []byte
	state  *physics.Snapshot
	placed int // bodies in the step
	inputs int // before
}

func (x *trace) moment() *moment {
	m := &moment{data: x.sim.AppendKeyFrame(nil), state: x.sim.Truth().Clone(), inputs: len(x.inputs.inputs)}
	if x.engine == nil {
		m.placed = len(x.log.steps[m.state.Step]) - 1
	}
	return m
}

// advance takes a step, and notes what events have done by then.
func (x *trace) advance(t testing.TB) {
	t.Helper()
	if err := x.sim.Step(); err != nil {
		t.Fatal(err)
	}
	for i := range x.sim.events {
		e := &x.sim.events[i]
		x.note("event ", i, ": ", e.done, e.left)
	}
}

// deeds returns what is done before each step: commands, and now and then what leaves traces.
func deeds(w *worlds.World, steps int, seed uint64) [][]action.Action {
	all, random := make([][]action.Action, steps), rand.New(rand.NewPCG(seed, 1))
	any := func() (*worlds.Robot, *sensors.Config) {
		r := &w.Robots[random.IntN(len(w.Robots))]
		if len(r.Sensors) == 0 {
			return r, &sensors.Config{}
		}
		return r, &r.Sensors[random.IntN(len(r.Sensors))]
	}
	number := func(x float64) *float64 { return &x }
	for n := range all {
		if len(w.Robots) == 0 {
			continue
		}
		r, s := any()
		if r.Player == nil {
			all[n] = append(all[n], &action.Drive{Robot: r.Name, VX: 1.5 * random.Float64(), Omega: 2*random.Float64() - 1}, &action.Dribble{Robot: r.Name, Enable: n%2 == 0})
		}
		if random.IntN(8) != 0 {
			continue
		}
		var a action.Action
		switch random.IntN(16) {
		case 0:
			levels := s.Kind.Levels()
			if len(levels) == 0 {
				continue
			}
			a = &action.SetLevel{Robot: r.Name, Sensor: s.Name, Level: levels[random.IntN(len(levels))]}
		case 1, 2:
			faults := s.Kind.Faults()
			a = &action.BreakSensor{Robot: r.Name, Sensor: s.Name, Fault: faults[random.IntN(len(faults))]}
		case 3:
			a = &action.HealSensor{Robot: r.Name, Sensor: s.Name}
		case 4:
			a = &action.SetLight{Lamp: number(2 * random.Float64()), LampAzimuth: number(random.Float64()), Over: time.Duration(random.IntN(5)) * 100 * time.Millisecond}
		case 5:
			a = &action.SetBallColor{Color: "#0000ff"}
		case 6:
			a = &action.Place{Name: "ball", X: random.Float64(), Y: random.Float64(), VX: 1}
		case 7:
			a = &action.GameCommand{Command: "goal", Team: physics.Cyan}
		case 8:
			a = &action.SetBallHandling{Robot: r.Name, Enable: random.IntN(2) == 0}
		case 9:
			a = &action.CutWires{Robot: r.Name}
		case 10:
			a = &action.SetHeadMode{Robot: r.Name, Sensor: s.Name, Mode: "search"}
		case 11:
			a = &action.AimHead{Robot: r.Name, Sensor: s.Name, Pan: random.Float64()}
		case 12:
			way := player.Way{Points: []player.Point{{X: random.Float64()}, {Y: random.Float64()}}}
			way.SetDefaults()
			a = &action.Follow{Robot: r.Name, Way: way}
		case 13:
			p := &action.Play{Robot: r.Name}
			switch random.IntN(4) {
			case 0:
				p.Hold = &player.Hold{}
				p.Hold.SetDefaults()
			case 1:
				p.ChaseBall = &player.ChaseBall{}
				p.ChaseBall.SetDefaults()
			case 2:
				p.Keeper = &player.Keeper{}
				p.Keeper.SetDefaults()
			default:
				p.Patrol = &player.Patrol{Way: player.Way{Points: []player.Point{{X: 1}, {Y: 1}, {X: -1}}}, BackAndForth: true}
				p.Patrol.SetDefaults()
			}
			a = p
		case 14:
			a = &action.Kick{Robot: r.Name, Speed: 3}
		default:
			if len(w.Boards) > 0 {
				a = &action.Hang{Name: w.Boards[0].Name, PoseInAir: action.PoseInAir{X: random.Float64(), Z: 1}}
			}
		}
		if a != nil {
			all[n] = append(all[n], a)
		}
	}
	return all
}

// compareKeyFrames runs a world, restores key frames of some of its steps in others that play its states, and compares all that they show from there on.
func compareKeyFrames(t *testing.T, w *worlds.World, steps int, seed uint64) {
	t.Helper()
	cache := &Cache{}
	live := newTrace(t, w, nil, cache)
	defer live.sim.Close()
	random, do := rand.New(rand.NewPCG(seed, 2)), deeds(w, steps, seed)
	moments := map[int]*moment{}
	at := []int{random.IntN(steps), random.IntN(steps), random.IntN(steps)}
	for n := range steps {
		early := n%2 == 0 // what has its effect at once is in the key frame, or not
		if slices.Contains(at, n) && !early {
			moments[n] = live.moment()
		}
		for _, a := range do[n] {
			_ = live.sim.Do(a) // some are refused, as heads are at levels with images
		}
		if slices.Contains(at, n) && early {
			moments[n] = live.moment()
		}
		live.advance(t)
	}
	end := live.moment()
	replay := newTrace(t, w, live.log, cache)
	defer func() { replay.sim.Close() }()
	for i, from := range at {
		if i == 1 {
			replay.sim.Close()
			replay = newTrace(t, w, live.log, cache) // the others have gone on before
		}
		m := moments[from]
		replay.steps = map[int64][]string{}
		replay.engine.step, replay.engine.placed = from, m.placed
		replay.inputs.inputs, replay.inputs.next = live.inputs.inputs, m.inputs
		if err := replay.sim.RestoreKeyFrame(m.data, m.state); err != nil {
			t.Fatalf("seed %d: step %d: %v", seed, from, err)
		}
		if again := replay.sim.AppendKeyFrame(nil); !bytes.Equal(again, m.data) {
			t.Errorf("seed %d: step %d: another key frame after it is restored: %s", seed, from, differ(m.data, again))
		}
		for n := from; n < steps; n++ {
			replay.advance(t)
			got, want := replay.steps[int64(n+1)], live.steps[int64(n+1)]
			if !slices.Equal(got, want) {
				k := 0
				for k < min(len(got), len(want)) && got[k] == want[k] {
					k++
				}
				t.Fatalf("seed %d: from a key frame of step %d: step %d shows\n%s\nwant\n%s", seed, from, n+1, strings.Join(got[k:], "\n"), strings.Join(want[k:], "\n"))
			}
		}
		if last := replay.moment(); !bytes.Equal(last.data, end.data) {
			t.Errorf("seed %d: from a key frame of step %d: another state at the end: %s", seed, from, differ(end.data, last.data))
		}
	}
}

func differ(want, got []byte) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	return fmt.Sprintf("%d bytes, want %d; from byte %d on", len(got), len(want), n)
}

// What follows a key frame, with the bodies' states playback, is what followed it in the run: in every world that ships, bit by bit.
func TestKeyFrames(t *testing.T) {
	for _, f := range worlds.Shipped() {
		if f.Kind != "world" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			w, err := worlds.Load(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(*keyFrameSeeds) {
				compareKeyFrames(t, w, int(*keyFramesFor/w.Time.Step), seed)
			}
		})
	}
}

// lively is a small world with much that has a state.
func lively(t testing.TB) *worlds.World {
	t.Helper()
	w, err := worlds.Parse("lively.toml", []byte(`
name = "lively"
physics = { engine = "planar" }
[[robot]]
name = "a"
model = "nubot"
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "raw", image = { width_px = 16, height_px = 16 }, ground_truth = true },
  { name = "head", kind = "camera", level = "features", image = { width_px = 24, height_px = 24 }, head = { pan_limit_deg = 90 } },
  { name = "slow", kind = "camera", level = "raw", image = { width_px = 16, height_px = 16 }, shutter = { exposure_ms = 20 } },
]
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], back_and_forth = true } }
[[robot]]
name = "b"
model = "nubot"
pose = { x_m = 2 }
player = { pass_between = { with = ["a"] } }
[[board]]
name = "board"
columns = 5
rows = 4
square_m = 0.1
hang = { x_m = 3, z_m = 0.5 }
[[light.spot]]
name = "lamp"
[[event]]
name = "often"
repeat = true
when = { detects = { robot = "a", sensor = "omni", name = "ball" }, for_s = 0.03 }
set_lamp = { name = "lamp", amount = 2, over_s = 0.1 }
[[event]]
at_s = 0.1
break_sensor = { robot = "a", sensor = "front", fault = "freeze" }
[[event]]
at_s = 0.1
set_head_mode = { robot = "a", sensor = "head", mode = "search" }
[[event]]
at_s = 0.15
set_ball_color = { color = "#0000ff" }
[[event]]
at_s = 0.2
follow = { robot = "b", way_points = [{ x_m = 1 }] }
[[expect]]
name = "bright"
always = { image_brightness = { robot = "a", sensor = "slow", over = 0.1 } }
[[expect]]
name = "rate"
eventually = { sensor_rate = { robot = "a", sensor = "front", over_hz = 5, window_s = 0.2 } }
`))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLivelyKeyFrames is TestKeyFrames of a world with heads, frozen images, images that are made of several, and the flow of images.
func TestLivelyKeyFrames(t *testing.T) {
	for seed := range uint64(4) {
		compareKeyFrames(t, lively(t), 80, seed)
	}
}

// Whatever is in a key frame, a Sim that restores it fails in one sentence, or goes on.
func FuzzRestoreKeyFrame(f *testing.F) {
	w, cache := lively(f), &Cache{}
	live := newTrace(f, w, nil, cache)
	f.Cleanup(live.sim.Close)
	for range 70 {
		live.advance(f)
		if m := live.moment(); m.state.Step%10 == 9 {
			f.Add(uint8(m.state.Step), m.data)
		}
	}
	head := func(state *physics.Snapshot) []byte { // which everything but what follows it is guarded by
		c := keyframe.Append(nil)
		h := keyFrameHead{live.sim.fingerprint(), state.Step, state.Time}
		h.Exchange(c)
		return c.Data()
	}
	var replay *trace
	f.Fuzz(func(t *testing.T, step uint8, data []byte) {
		at := int(step) % 60
		state := live.log.steps[at][len(live.log.steps[at])-1]
		if own := head(state); len(data) > len(own) {
			copy(data, own)
		}
		if replay == nil {
			replay = newTrace(t, w, live.log, cache)
			replay.sim.opts.OnVerdict = nil
		}
		replay.engine.step, replay.engine.placed, replay.steps = at, len(live.log.steps[at])-1, map[int64][]string{}
		err := replay.sim.RestoreKeyFrame(data, state)
		if err == nil {
			for range 5 {
				if err = replay.sim.Step(); err != nil {
					break
				}
			}
			err = errors.Join(err, nil)
		}
		if err != nil {
			if text := err.Error(); len(text) > 1000 || strings.Contains(text, "\n") {
				t.Errorf("%q", text)
			}
			replay.sim.Close()
			replay = nil
		}
	})
}

// BenchmarkKeyFrames measures key frames of ten robots whose sensors are all listened to: append and restore, and how large they are.
func BenchmarkKeyFrames(b *testing.B) {
	for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Features, abstraction.Raw} {
		w, err := worlds.Load("ten-robots")
		if err != nil {
			b.Fatal(err)
		}
		for i := range w.Robots {
			for k := range w.Robots[i].Sensors {
				if s := &w.Robots[i].Sensors[k]; s.Kind.TakesImages() {
					s.Level, s.Image.Width, s.Image.Height = level, 64, 64
				}
			}
		}
		live := newTrace(b, w, nil, &Cache{})
		for range 200 {
			live.advance(b)
		}
		m := live.moment()
		b.Run("append "+string(level), func(b *testing.B) {
			b.ReportAllocs()
			data := m.data
			for b.Loop() {
				data = live.sim.AppendKeyFrame(data[:0])
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
		b.Run("restore "+string(level), func(b *testing.B) {
			b.ReportAllocs()
			data := slices.Clone(m.data)
			for b.Loop() {
				if err := live.sim.RestoreKeyFrame(data, m.state); err != nil {
					b.Fatal(err)
				}
			}
		})
		live.sim.Close()
	}
}

// Key frames of another world, seed or step change nothing; damaged ones leave a Sim that can be closed.
func TestKeyFramesAreRefused(t *testing.T) {
	w, cache := lively(t), &Cache{}
	x, untouched := newTrace(t, w, nil, cache), newTrace(t, w, nil, cache)
	defer x.sim.Close()
	defer untouched.sim.Close()
	for range 30 {
		x.advance(t)
		untouched.advance(t)
	}
	m := x.moment()
	later, fewer := m.state.Clone(), m.state.Clone()
	later.Step++
	fewer.Robots = fewer.Robots[:1]
	of := func(change func(*worlds.World)) []byte {
		other := lively(t)
		change(other)
		x := newTrace(t, other, nil, cache)
		defer x.sim.Close()
		for range 30 {
			x.advance(t)
		}
		return x.sim.AppendKeyFrame(nil)
	}
	const another = "key frame: is of another world or seed, or of another version of Omnipitch"
	for want, c := range map[string]struct {
		data  []byte
		state *physics.Snapshot
	}{
		another:         {of(func(w *worlds.World) { w.Seed++ }), m.state},
		another + " ":   {of(func(w *worlds.World) { w.Robots[1].Sensors[0].Name = "other" }), m.state},
		another + "  ":  {of(func(w *worlds.World) { w.Events[1].Name = "named" }), m.state},
		another + "   ": {[]byte("no key frame at all"), m.state},
		"key frame: is of step 30 at 150ms, but the state of step 31 at 150ms": {m.data, later},
		"key frame: the state has 1 robots and 0 obstacles, the world 2 and 0": {m.data, fewer},
		"key frame: ends too early, or has an integer that is too large":       {nil, m.state},
	} {
		if err := x.sim.RestoreKeyFrame(c.data, c.state); err == nil || err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for range 20 { // as if nothing had been
		x.advance(t)
		untouched.advance(t)
	}
	if got, want := x.sim.AppendKeyFrame(nil), untouched.sim.AppendKeyFrame(nil); !bytes.Equal(got, want) {
		t.Errorf("another state after what was refused: %s", differ(want, got))
	}
	if err := x.sim.RestoreKeyFrame(m.data[:len(m.data)-1], m.state); err == nil || !strings.HasPrefix(err.Error(), "key frame: ") {
		t.Errorf("%v of a damaged one", err)
	}
	x.sim.Close()
	if err := x.sim.RestoreKeyFrame(m.data, m.state); !errors.Is(err, ErrClosed) {
		t.Errorf("%v after Close", err)
	}
}

// A key frame may be of a world that has begun again with another seed. None is of one that is about to.
func TestKeyFramesAfterRestart(t *testing.T) {
	w, cache := lively(t), &Cache{}
	other, err := w.WithSeed(w.Seed + 1)
	if err != nil {
		t.Fatal(err)
	}
	fresh, again := newTrace(t, other, nil, cache), newTrace(t, w, nil, cache)
	defer fresh.sim.Close()
	defer again.sim.Close()
	for range 15 {
		again.advance(t)
	}
	if err := again.sim.Restart(other); err != nil {
		t.Fatal(err)
	}
	if data := again.sim.AppendKeyFrame(nil); len(data) > 0 {
		t.Error("there is a key frame of a world that is about to begin again")
	}
	for range 25 {
		again.advance(t)
		fresh.advance(t)
	}
	got, want := again.sim.AppendKeyFrame(nil), fresh.sim.AppendKeyFrame(nil)
	if !bytes.Equal(got, want) {
		t.Errorf("after a restart: %s", differ(want, got))
	}
	if err := fresh.sim.RestoreKeyFrame(got, again.sim.Truth()); err != nil {
		t.Error(err)
	}
}
