package omnipitch

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
)

// twoHalves is a farm of two Sims in one process. The second one never steps, and draws a random half of the frames.
type twoHalves struct {
	t        testing.TB
	newOther func(*worlds.World) *Sim
	random   *rand.Rand

	sim, other *Sim
	orders     chan func()
	done       sync.WaitGroup
	there      int // number of frames that the second Sim has drawn
	mu         sync.Mutex
	sums       map[string][sha256.Size]byte
}

func (h *twoHalves) Begin(sim *Sim, world *worlds.World) {
	h.end()
	h.sim, h.other, h.orders = sim, h.newOther(world), make(chan func(), 1000)
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

func newHalves(t testing.TB, seed uint64, opts Options) *twoHalves {
	h := &twoHalves{t: t, random: rand.New(rand.NewPCG(seed, 3)), sums: map[string][sha256.Size]byte{}}
	h.newOther = func(w *worlds.World) *Sim {
		other, err := New(w, opts)
		if err != nil {
			t.Fatal(err)
		}
		return other
	}
	return h
}

// All output of a busy world is the same, bit for bit, when another Sim draws half of its frames.
func TestFarmShowsTheSame(t *testing.T) {
	for seed := range uint64(3) {
		w, steps := lively(t), 300
		do, cache := deeds(w, steps, seed), &Cache{}
		alone := newTrace(t, w, nil, cache)
		farm := newHalves(t, seed, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) {
			return telling{},
				nil
		}})
		shared := newTrace(t, w, nil, cache, func(o *Options) { o.Farm = farm })
		for n := range steps {
			for _, x := range []*trace{alone, shared} {
				for _, a := range do[n] {
					_ = x.sim.Do(a) // some fail, such as commands for heads at levels with images
				}
				x.advance(t)
			}
			if got, want := shared.steps[int64(n+1)], alone.steps[int64(n+1)]; !slices.Equal(got, want) {
				t.Fatalf("seed %d: step %d shows\n%s\nwant\n%s", seed, n+1, strings.Join(got, "\n"),
					strings.Join(want, "\n"))
			}
		}
		if farm.there < 20 {
			t.Errorf("seed %d: the other has drawn %d frames", seed, farm.there)
		}
		alone.sim.Close()
		shared.sim.Close()
		farm.end()
	}
}

// Images with all faults of cameras are also the same to the last byte. Their checksums differ from each other.
func TestFarmDrawsTheSamePictures(t *testing.T) {
	want := pictures(t, faulty(t))
	farm := newHalves(t, 1, Options{})
	defer farm.end()
	got := pictures(t, faulty(t), func(o *Options) { o.Farm = farm })
	if len(got) != len(want) || farm.there < 4 {
		t.Fatalf("%d frames, %d of them by the other, want %d", len(got), farm.there, len(want))
	}
	for frame, hash := range want {
		if got[frame] != hash {
			t.Errorf("%s has other bytes", frame)
		}
	}
	seen := map[[sha256.Size]byte]string{}
	for frame, sum := range farm.sums {
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s have one checksum", frame, other)
		}
		seen[sum] = frame
	}
}

// DrawOrder fails for orders of another world and for damaged orders, and has no other effect.
func TestOrdersAreRefused(t *testing.T) {
	opts := Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return telling{}, nil }}
	farm := newHalves(t, 1, opts)
	var data []byte
	keep := &keepingOrders{twoHalves: farm, data: &data}
	sim, err := New(lively(t), Options{NewRenderer: opts.NewRenderer, Farm: keep})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	defer farm.end()
	if _, err := sim.Listen("a", "front", Listener{Observe: func(*sensors.Observation) {}}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if len(data) == 0 {
		t.Fatal("no order")
	}
	w := lively(t)
	w.Seed++
	other := farm.newOther(w)
	defer other.Close()
	if _, err := other.Sensors().DrawOrder(data); err == nil || !strings.Contains(err.Error(),
		"another world or seed") {
		t.Errorf("of another seed: %v", err)
	}
	same := farm.newOther(lively(t))
	defer same.Close()
	for n := range data {
		if drawn, err := same.Sensors().DrawOrder(data[:n]); err == nil {
			drawn.Release()
			t.Errorf("an order of %d of %d bytes is taken", n, len(data))
		}
	}
	if _, err := same.Sensors().DrawOrder(append(slices.Clone(data), 0)); err == nil {
		t.Error("an order with a byte more is taken")
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		damaged := slices.Clone(data)
		for range 1 + random.IntN(4) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		drawn, err := same.Sensors().DrawOrder(damaged)
		if err != nil {
			continue
		}
		for i := range drawn.Len() {
			_ = drawn.Wait(i) // damaged poses are drawn too
		}
		drawn.Release()
	}
}

// keepingOrders is a farm that keeps the newest order.
type keepingOrders struct {
	*twoHalves
	data *[]byte
}

func (k *keepingOrders) Draw(o *pipeline.Order) {
	*k.data = o.Append((*k.data)[:0], o.Frames)
	k.twoHalves.Draw(o)
}
