//go:build cgo

package pipeline_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// twoHalves is a farm of two Sims in one process. The second one never steps, and draws a random half of the frames.
type twoHalves struct {
	t      testing.TB
	opts   omnipitch.Options // of the second Sim
	random *rand.Rand

	sim, other *omnipitch.Sim
	orders     chan func()
	done       sync.WaitGroup
	there      int // number of frames that the second Sim has drawn
	mu         sync.Mutex
	sums       map[string][sha256.Size]byte
	newest     []byte // order of all frames of the newest call of Draw
}

func newHalves(t testing.TB, seed uint64, opts omnipitch.Options) *twoHalves {
	h := &twoHalves{t: t, opts: opts, random: rand.New(rand.NewPCG(seed, 3)), sums: map[string][sha256.Size]byte{}}
	t.Cleanup(h.end)
	return h
}

func (h *twoHalves) Begin(sim *omnipitch.Sim, world *worlds.World) {
	h.end()
	other := must.Get(omnipitch.New(world, h.opts))(h.t)
	h.sim, h.other, h.orders = sim, other, make(chan func(), 1000)
	h.done.Go(func() {
		for order := range h.orders {
			order()
		}
	})
}

func (h *twoHalves) end() {
	if h.other != nil {
		close(h.orders)
		h.done.Wait()
		h.other.Close()
		h.other = nil
	}
}

func (h *twoHalves) Draw(o *pipeline.Order) {
	h.newest = o.Append(h.newest[:0], o.Frames)
	var here, there []pipeline.Frame
	for _, f := range o.Frames {
		f.Watch(func(f pipeline.Frame, err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.sums[f.String()] = f.Sum()
		})
		if h.random.IntN(2) == 0 {
			here = append(here, f)
		} else {
			there = append(there, f)
		}
	}
	if len(here) > 0 {
		h.sim.Sensors().DrawHere(here)
	}
	if len(there) == 0 {
		return
	}
	h.there += len(there)
	data := o.Append(nil, there)
	h.orders <- func() {
		drawn, err := h.other.Sensors().DrawOrder(data)
		if err != nil {
			h.t.Error(err)
			h.sim.Sensors().DrawHere(there)
			return
		}
		defer drawn.Release()
		for i, f := range there {
			if err := drawn.Wait(i); err != nil {
				h.t.Error(err)
			}
			images := drawn.Append(nil, i)
			if len(images) != f.Size() {
				h.t.Errorf("%s has %d bytes, want %d", f, len(images), f.Size())
			}
			f.Fill(images)
		}
	}
}

// busy returns a world whose frames depend on everything that an order contains: heads, exposure samples, ground truth,
// light, colours, boards and the levels of other sensors.
func busy(t testing.TB) *worlds.World {
	t.Helper()
	return simtest.Parse(t, `
name = "busy"
look = "plain"
physics = { engine = "planar" }
[[robot]]
name = "a"
model = "nubot"
sensor = [
  { name = "omni", level = "objects", image = { width_px = 24, height_px = 24 } },
  { name = "front", level = "raw", image = { width_px = 16, height_px = 16 }, ground_truth = true },
  { name = "head", kind = "camera", level = "raw", image = { width_px = 24, height_px = 24 }, head = { pan_limit_deg = 90 } },
  { name = "slow", kind = "camera", level = "raw", image = { width_px = 16, height_px = 16 }, shutter = { exposure_ms = 20 } },
  { name = "pair", kind = "stereo", level = "raw", image = { width_px = 24, height_px = 16 }, ground_truth = true },
  { name = "slow_pair", kind = "stereo", level = "raw", image = { width_px = 24, height_px = 16 }, shutter = { exposure_ms = 20 } },
]
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], back_and_forth = true } }
[[board]]
name = "board"
hang = { x_m = 3, z_m = 0.5 }
[[light.spot]]
name = "lamp"
[[event]]
repeat = true
when = { detects = { robot = "a", sensor = "omni", name = "ball" }, for_s = 0.03 }
set_lamp = { name = "lamp", amount = 2, over_s = 0.1 }
[[event]]
at_s = 0.15
set_ball_color = { color = "#0000ff" }
`)
}

// busyActions returns random actions that change what frames show, for each step.
func busyActions(steps int, seed uint64) [][]action.Action {
	all, random := make([][]action.Action, steps), rand.New(rand.NewPCG(seed, 1))
	for n := range all {
		sensor := []string{"omni", "front", "head", "slow", "pair", "slow_pair"}[random.IntN(6)]
		levels, faults := sensors.CameraKind.Levels(), sensors.CameraKind.Faults()
		choice := []action.Action{
			&action.SetLevel{Robot: "a", Sensor: sensor, Level: levels[random.IntN(len(levels))]},
			&action.BreakSensor{Robot: "a", Sensor: sensor, Fault: faults[random.IntN(len(faults))]},
			&action.HealSensor{Robot: "a", Sensor: sensor},
			&action.SetLight{Lamp: new(2 * random.Float64()), Over: 50 * time.Millisecond},
			&action.Place{Name: "ball", X: random.Float64(), Y: random.Float64(), VX: 1},
			&action.AimHead{Robot: "a", Sensor: "head", Pan: random.Float64()},
			&action.Hang{Name: "board", PoseInAir: action.PoseInAir{X: random.Float64(), Z: 1}},
		}
		if n%5 == 0 {
			all[n] = choice[random.IntN(len(choice)):][:1]
		}
	}
	return all
}

// All output of a busy world is the same, bit for bit, when another Sim draws half of its frames.
func TestFarmShowsTheSame(t *testing.T) {
	seeds := uint64(1)
	if *long {
		seeds = 10
	}
	for seed := range seeds {
		const steps = 300
		cache := &omnipitch.Cache{}
		opts := omnipitch.Options{NewRenderer: backend.RayCaster, Cache: cache}
		farm := newHalves(t, seed, opts)
		run := func(opts omnipitch.Options) (output []string) {
			sim := simtest.New(t, busy(t), opts)
			sim.OnAll(func(o *sensors.Observation) {
				output = append(output, fmt.Sprint(sim.Truth().Time, simtest.Describe(o)))
			})
			for n, actions := range busyActions(steps, seed) {
				if n == steps/2 {
					sim.Must(&action.Reset{})
				}
				_ = sim.Do(actions...) // some fail, such as commands for heads
				sim.Steps(1)
			}
			return append(output, fmt.Sprint(sim.Truth().Hash()))
		}
		want := run(opts)
		opts.Farm = farm
		got := run(opts)
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("seed %d: output %d of %d is\n%s\nwant\n%s", seed, i, len(got), got[min(i, len(got)-1)],
					want[i])
			}
		}
		if farm.there < 20 {
			t.Errorf("seed %d: the other has drawn %d frames", seed, farm.there)
		}
	}
}

// Images with all faults of cameras are also the same to the last byte. Their checksums differ from each other.
func TestFarmDrawsTheSameImages(t *testing.T) {
	farm := newHalves(t, 1, omnipitch.Options{})
	want, got := images(t, faulty(t), omnipitch.Options{}), images(t, faulty(t), omnipitch.Options{Farm: farm})
	if !maps.Equal(got, want) || farm.there < 4 {
		t.Errorf("%d frames of the other: %v, want %v", farm.there, got, want)
	}
	frames := map[[sha256.Size]byte]string{}
	for frame, sum := range farm.sums {
		if other, ok := frames[sum]; ok {
			t.Errorf("%s and %s have one checksum", frame, other)
		}
		frames[sum] = frame
	}
}

// DrawOrder fails for orders of another world and for damaged orders, and has no other effect.
func TestOrdersAreRefused(t *testing.T) {
	opts := omnipitch.Options{NewRenderer: simtest.Grey}
	farm := newHalves(t, 1, opts)
	sim := simtest.New(t, busy(t), omnipitch.Options{NewRenderer: simtest.Grey, Farm: farm})
	sim.On("a", "front", func(*sensors.Observation) {})
	sim.Steps(40)
	data := farm.newest
	if len(data) == 0 {
		t.Fatal("no order")
	}
	otherSeed := busy(t)
	otherSeed.Seed++
	must.Refuse(simtest.New(t, otherSeed, opts).Sensors().DrawOrder(data))(t, "another world or seed",
		"of another seed")
	same := simtest.New(t, busy(t), opts).Sensors()
	for n := range data {
		if drawn, err := same.DrawOrder(data[:n]); err == nil {
			drawn.Release()
			t.Errorf("an order of %d of %d bytes is taken", n, len(data))
		}
	}
	if _, err := same.DrawOrder(append(slices.Clone(data), 0)); err == nil {
		t.Error("an order with a byte more is taken")
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		damaged := slices.Clone(data)
		for range 1 + random.IntN(4) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		drawn, err := same.DrawOrder(damaged)
		if err != nil {
			continue
		}
		for i := range drawn.Len() {
			_ = drawn.Wait(i) // damaged poses are drawn too
		}
		drawn.Release()
	}
}
