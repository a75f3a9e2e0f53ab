package omnipitch

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// tenPlayers returns the world ten-robots with players: five chase the ball, and five patrol.
func tenPlayers(t testing.TB, engine string) *worlds.World {
	t.Helper()
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	w.Physics.Engine = engine
	for i := range w.Robots {
		chase := &player.ChaseBall{ShootGoal: true}
		chase.SetDefaults()
		patrol := &player.Patrol{Way: player.Way{Points: []player.Point{{X: -6, Y: float64(i) - 5},
			{X: 6, Y: float64(i) - 4}, {X: 1, Y: 1}}}}
		patrol.Limits.SetDefaults()
		w.Robots[i].Player = &worlds.Player{Choice: player.Choice{ChaseBall: chase}}
		if i%2 == 1 {
			w.Robots[i].Player = &worlds.Player{Choice: player.Choice{Patrol: patrol}}
		}
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; abstraction.Objects.In(c.Kind.Levels()) {
				c.Level = abstraction.Objects
			}
		}
	}
	return w
}

// recordStates makes a Sim with these options record the states of its engines.
func recordStates(opts *Options, log *track.Log) (recorder func() *track.Recorder) {
	var r *track.Recorder
	episode := 0
	opts.NewEngine = func(m *physics.Model) (physics.Engine, error) {
		e, err := engine.New(m)
		if err != nil {
			return nil, err
		}
		r = track.NewRecorder(e, m, episode, log)
		episode++
		return r, nil
	}
	return func() *track.Recorder { return r }
}

// A run with external commands, events and a restart can be played back from its recorded states alone: without the
// commands, the states are the same. The limits of the size are 5 % above the measured values, so that the test detects
// predictions that no longer fit an engine.
func TestStatesArePlayedAgain(t *testing.T) {
	for engine, most := range map[string]int{"ode": 720, "planar": 380} {
		t.Run(engine, func(t *testing.T) {
			w := tenPlayers(t, engine)
			blocks, size := &track.Blocks{}, 0
			log := track.NewLog(func(h track.Header, block []byte) {
				blocks.Add(h, block)
				size += len(block)
			})
			run := func(opts Options, seconds time.Duration, outside bool) (hashes []uint64) {
				sim, err := New(w, opts)
				if err != nil {
					t.Fatal(err)
				}
				defer sim.Close()
				sim.OnStep(func(s *physics.Snapshot) { hashes = append(hashes, s.Hash()) })
				for n := range int(seconds / w.Time.Step) {
					if outside && n == 100 {
						if err := sim.Do(&action.Drive{Robot: "cyan1", VX: 1, Omega: 2}); err != nil {
							t.Fatal(err)
						}
					}
					if outside && n == 300 {
						if err := sim.Restart(nil); err != nil {
							t.Fatal(err)
						}
					}
					if err := sim.Step(); err != nil {
						t.Fatal(err)
					}
				}
				return hashes
			}
			var opts Options
			recordStates(&opts, log)
			recorded := run(opts, 4*time.Second, true)
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			if got := size / 800; got > most {
				t.Errorf("%d bytes a step, want at most %d", got, most)
			}
			var played []uint64
			for episode, seconds := range []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond} {
				played = append(played, run(Options{NewEngine: func(m *physics.Model) (physics.Engine, error) {
					return track.NewPlayback(m, blocks, episode)
				}}, seconds, false)...)
			}
			if !slices.Equal(played, recorded) {
				t.Error("the run that was played is another")
			}
		})
	}
}

// BenchmarkStates measures steps of ten robots with players and sensors at level objects, with and without recording of
// states. It also reports the size of the states: encoded, compressed with zstd as in recordings, and not encoded.
func BenchmarkStates(b *testing.B) {
	for _, engine := range []string{"ode", "planar"} {
		for _, on := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/recorded=%v", engine, on), func(b *testing.B) { benchStates(b, engine, on) })
		}
	}
}

func benchStates(b *testing.B, engine string, on bool) {
	const chunk = 1 << 20
	var size, packed, states int
	var pending []byte
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		b.Fatal(err)
	}
	log := track.NewLog(func(h track.Header, block []byte) {
		size, states = size+len(block), states+h.States
		if pending = append(pending, block...); len(pending) > chunk {
			packed, pending = packed+len(pack.EncodeAll(pending, nil)), pending[:0]
		}
	})
	var opts Options
	recorder := recordStates(&opts, nil)
	w := tenPlayers(b, engine)
	sim, err := New(w, opts)
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	for _, r := range w.Robots {
		for _, c := range r.Sensors {
			if _, err := sim.Listen(r.Name, c.Name, Listener{Observe: func(*sensors.Observation) {}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	for range 400 { // until the robots drive
		if err := sim.Step(); err != nil {
			b.Fatal(err)
		}
	}
	if on {
		recorder().To(log)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := sim.Step(); err != nil {
			b.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	if packed += len(pack.EncodeAll(pending, nil)); states > 0 {
		b.ReportMetric(float64(size)/float64(states), "bytes/state")
		b.ReportMetric(float64(packed)/float64(states), "zstd_bytes/state")
	}
}
