package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// watchEvery is how often a watch looks at files. A guess: soon enough for who has just saved one, and a few system
// calls a second.
const watchEvery = 200 * time.Millisecond

// watched has a simulation begin again with its world's files whenever one of them has changed, or says what is wrong
// with them and lets it go on.
type watched struct {
	sim   *omnipitch.Sim // that begins again
	load  func() (*worlds.World, error)
	con   console.Streams
	files map[string]fileState
	asked atomic.Bool // to begin again, and has not yet
	told  func(error) // is told what has become of files that have changed
}

// fileState tells one state of a file from another.
type fileState struct {
	time time.Time
	size int64
}

// newWatched watches the files of a world as they are now; load reads it anew.
func newWatched(world *worlds.World, load func() (*worlds.World, error), con console.Streams) (*watched, error) {
	files := world.Files()
	if len(files) == 0 {
		return nil, errors.New("--watch: the world ships with omnipitch, and no file of it can change: write it to " +
			"one with worlds show NAME > FILE")
	}
	w := &watched{load: load, con: con, told: func(error) {}}
	w.follow(files)
	return w, nil
}

// follow watches files as they are now.
func (w *watched) follow(files []string) {
	w.files = map[string]fileState{}
	for _, name := range files {
		w.files[name], _ = stateOf(name)
	}
}

// stateOf fails for a file that is not there, as while an editor puts another one in its place.
func stateOf(name string) (fileState, error) {
	info, err := os.Stat(name)
	if err != nil {
		return fileState{}, err
	}
	return fileState{info.ModTime(), info.Size()}, nil
}

// watch has a simulation begin again whose files they are; it is called before its first step.
func (w *watched) watch(sim *omnipitch.Sim) {
	w.sim = sim
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 && w.asked.Swap(false) {
			fmt.Fprintf(w.con.Notes(), "%s: its file has changed: begins again\n", sim.World().Name)
		}
	})
	fmt.Fprintf(w.con.Notes(), "%s: begins again whenever %s changes\n", sim.World().Name,
		strings.Join(sim.World().Files(), " or "))
}

// run watches until ctx ends.
func (w *watched) run(ctx context.Context) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if w.changed() {
				w.reload()
			}
		}
	}
}

// changed tells whether a file differs from what it was, and notes how it is now.
func (w *watched) changed() bool {
	changed := false
	for name, was := range w.files {
		if now, err := stateOf(name); err == nil && now != was {
			w.files[name], changed = now, true
		}
	}
	return changed
}

// reload has the simulation begin again with the files as they are.
func (w *watched) reload() {
	world, err := w.load()
	if err == nil {
		w.asked.Store(true)
		err = w.sim.Restart(world)
	}
	w.told(err)
	if err != nil {
		w.asked.Store(false)
		for _, e := range worlds.Errors(err) { // what is to be mended may stand in a file that is new
			var placed *schema.Error
			if !errors.As(e, &placed) {
				continue
			}
			if _, known := w.files[placed.File]; known {
				continue
			}
			if now, err := stateOf(placed.File); err == nil { // else it ships with the program
				w.files[placed.File] = now
			}
		}
		fmt.Fprintf(w.con.Err, "%s: not read again, and goes on as it was: %v\n", w.sim.World().Name, err)
		return
	}
	w.follow(world.Files())
}
