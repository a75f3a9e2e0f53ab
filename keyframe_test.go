package omnipitch

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var (
	keyFramesFor = flag.Duration("keyframes.for", 300*time.Millisecond, "sim time of each world of TestKeyFrames")
	keyFrameDraw = flag.String("keyframes.renderer", "", "what draws the images of TestKeyFrames; if empty, a "+
		"renderer whose images are hashes of what they depend on")
	keyFrameCount = flag.Int("keyframes.count", 2, "how many key frames of each run TestKeyFrames restores")
	keyFrameSeeds = flag.Int("keyframes.seeds", 1, "how often each world is run by TestKeyFrames, each time with "+
		"other actions")
)

// compareKeyFrames runs a world, and restores key frames of some of its steps in other Sims, which play back its
// states. It compares all later output.
func compareKeyFrames(t *testing.T, w *worlds.World, cache *Cache, steps int, seed uint64) {
	t.Helper()
	live := newTrace(t, w, nil, cache)
	defer live.sim.Close()
	random, do := rand.New(rand.NewPCG(seed, 2)), deeds(w, steps, seed)
	moments := map[int]*moment{}
	at := make([]int, *keyFrameCount)
	for i := range at {
		at[i] = random.IntN(steps)
	}
	for n := range steps {
		early := n%2 == 0 // do the actions before the key frame, or after it
		if slices.Contains(at, n) && !early {
			moments[n] = live.moment()
		}
		for _, a := range do[n] {
			_ = live.sim.Do(a) // some fail, such as commands for heads at levels with images
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
		if i > 1 && i%2 == 0 { // restore every second one in a Sim that has already run
			replay.sim.Close()
			replay = newTrace(t, w, live.log, cache)
		}
		m := moments[from]
		replay.steps = map[int64][]string{}
		replay.engine.step, replay.engine.placed = from, m.placed
		replay.inputs.inputs, replay.inputs.next = live.inputs.inputs, m.inputs
		if err := replay.sim.Replay().RestoreKeyFrame(m.data, m.state); err != nil {
			t.Fatalf("seed %d: step %d: %v", seed, from, err)
		}
		if again := replay.sim.Replay().AppendKeyFrame(nil); !bytes.Equal(again, m.data) {
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
				t.Fatalf("seed %d: from a key frame of step %d: step %d shows\n%s\nwant\n%s", seed, from, n+1,
					strings.Join(got[k:], "\n"), strings.Join(want[k:], "\n"))
			}
		}
		if last := replay.moment(); !bytes.Equal(last.data, end.data) {
			t.Errorf("seed %d: from a key frame of step %d: another state at the end: %s", seed, from,
				differ(end.data, last.data))
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

// A Sim that restores a key frame and plays back the states of bodies gives the same output as the recorded run, bit
// for bit, in every shipped world.
func TestKeyFrames(t *testing.T) {
	cache := &Cache{} // of all worlds, many of which have the same robots in the same hall
	for _, f := range worlds.Shipped() {
		if f.Kind != "world" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			w := must.Get(worlds.Load(f.Name))(t)
			for seed := range uint64(*keyFrameSeeds) {
				compareKeyFrames(t, w, cache, int(*keyFramesFor/w.Time.Step), seed)
			}
		})
	}
}

// lively is a small world with many kinds of state.
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
  { name = "ear", kind = "microphone" },
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
at_s = 0.05
whistle = { x_m = 1, for_s = 0.2 }
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

// TestLivelyKeyFrames is TestKeyFrames for a world with heads, frozen images, exposure samples and optical flow.
func TestLivelyKeyFrames(t *testing.T) {
	cache := &Cache{}
	for seed := range uint64(4) {
		compareKeyFrames(t, lively(t), cache, 80, seed)
	}
}

// For any bytes, RestoreKeyFrame either fails with an error of one line, or the Sim can continue.
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
	head := func(state *physics.Snapshot) []byte { // a valid head, so that fuzzing reaches what follows
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
		err := replay.sim.Replay().RestoreKeyFrame(data, state)
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

// BenchmarkKeyFrames measures the time to append and to restore key frames, and their size, for ten robots with a
// listener to each sensor.
func BenchmarkKeyFrames(b *testing.B) {
	for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Features, abstraction.Raw} {
		w := must.Get(worlds.Load("ten-robots"))(b)
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
				data = live.sim.Replay().AppendKeyFrame(data[:0])
			}
			b.ReportMetric(float64(len(data)), "bytes")
		})
		b.Run("restore "+string(level), func(b *testing.B) {
			b.ReportAllocs()
			data := slices.Clone(m.data)
			for b.Loop() {
				must.Do(b, live.sim.Replay().RestoreKeyFrame(data, m.state))
			}
		})
		live.sim.Close()
	}
}

// RestoreKeyFrame changes nothing for key frames of another world, seed or step. After a damaged one the Sim can be
// closed.
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
		return x.sim.Replay().AppendKeyFrame(nil)
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
		"key frame: is of step 30 at 150ms, but the state of step 31 at 150ms":              {m.data, later},
		"key frame: the state has 1 robots, 0 obstacles and 0 joints, the world 2, 0 and 0": {m.data, fewer},
		"key frame: ends too early, or has an integer that is too large":                    {nil, m.state},
	} {
		if err := x.sim.Replay().RestoreKeyFrame(c.data, c.state); err == nil ||
			err.Error() != strings.TrimSpace(want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for range 20 { // the failed calls have no effect
		x.advance(t)
		untouched.advance(t)
	}
	if got, want := x.sim.Replay().AppendKeyFrame(nil), untouched.sim.Replay().AppendKeyFrame(nil); !bytes.Equal(got,
		want) {
		t.Errorf("another state after what was refused: %s", differ(want, got))
	}
	if err := x.sim.Replay().RestoreKeyFrame(m.data[:len(m.data)-1], m.state); err == nil ||
		!strings.HasPrefix(err.Error(),
			"key frame: ") {
		t.Errorf("%v of a damaged one", err)
	}
	x.sim.Close()
	if err := x.sim.Replay().RestoreKeyFrame(m.data, m.state); !errors.Is(err, ErrClosed) {
		t.Errorf("%v after Close", err)
	}
}

// Key frames work after a restart with another seed. AppendKeyFrame appends nothing while a restart is pending.
func TestKeyFramesAfterRestart(t *testing.T) {
	w, cache := lively(t), &Cache{}
	other := must.Get(w.WithSeed(w.Seed + 1))(t)
	fresh, again := newTrace(t, other, nil, cache), newTrace(t, w, nil, cache)
	defer fresh.sim.Close()
	defer again.sim.Close()
	for range 15 {
		again.advance(t)
	}
	must.Do(t, again.sim.Restart(other))
	if data := again.sim.Replay().AppendKeyFrame(nil); len(data) > 0 {
		t.Error("there is a key frame of a world that is about to restart")
	}
	for range 25 {
		again.advance(t)
		fresh.advance(t)
	}
	got, want := again.sim.Replay().AppendKeyFrame(nil), fresh.sim.Replay().AppendKeyFrame(nil)
	if !bytes.Equal(got, want) {
		t.Errorf("after a restart: %s", differ(want, got))
	}
	if err := fresh.sim.Replay().RestoreKeyFrame(got, again.sim.Truth()); err != nil {
		t.Error(err)
	}
}
