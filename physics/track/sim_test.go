//go:build cgo

package track_test

import (
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/track"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// tenPlayers returns the world ten-robots with players: five chase the ball, and five patrol.
func tenPlayers(t testing.TB, engine string) *worlds.World {
	t.Helper()
	w := simtest.World(t, "ten-robots", simtest.AtLevel(abstraction.Objects))
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
	}
	return w
}

// A run with external commands, events and a restart can be played back from its recorded states alone: without the
// commands, the states are the same. The limits of the size are 5 % above the measured values, so that the test detects
// predictions that no longer fit an engine.
func TestStatesArePlayedBack(t *testing.T) {
	for name, most := range map[string]int{"ode": 720, "planar": 380} {
		blocks, size := &track.Blocks{}, 0
		log := track.NewLog(func(h track.Header, block []byte) {
			blocks.Add(h, block)
			size += len(block)
		})
		w := tenPlayers(t, name)
		var hashes []uint64
		start := func(opts omnipitch.Options) simtest.Sim {
			sim := simtest.New(t, w, opts)
			sim.OnStep(func(s *physics.Snapshot) { hashes = append(hashes, s.Hash()) })
			return sim
		}
		episodes := 0
		sim := start(omnipitch.Options{NewEngine: func(m *physics.Model) (physics.Engine, error) {
			e, err := engine.New(m)
			if err != nil {
				return nil, err
			}
			episodes++
			return track.NewRecorder(e, m, episodes-1, log), nil
		}})
		sim.Steps(100)
		sim.Must(&action.Drive{Robot: "cyan1", VX: 1, Omega: 2})
		sim.Steps(200)
		must.Do(t, sim.Restart(nil))
		sim.Steps(500)
		sim.Close()
		must.Do(t, log.Close())
		if got := size / 800; got > most {
			t.Errorf("%s: %d bytes a step, want at most %d", name, got, most)
		}
		recorded := hashes
		hashes = nil
		for episode, seconds := range []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond} {
			start(omnipitch.Options{NewEngine: func(m *physics.Model) (physics.Engine, error) {
				return track.NewPlayback(m, blocks, episode)
			}}).Until(seconds)
		}
		if !slices.Equal(hashes, recorded) {
			t.Errorf("%s: the states that are played back are not those that were recorded", name)
		}
	}
}
