package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// pollFilesEvery is the period at which --watch polls the world's files. 200 ms is a guess: short for a user who has
// just saved a file, and only a few system calls per second.
const pollFilesEvery = 200 * time.Millisecond

// worldWatch restarts a simulation when a file of its world changes. If the new files are invalid, it prints the error,
// and the simulation continues with the old world.
type worldWatch struct {
	sim      *omnipitch.Sim
	load     func() (*worlds.World, error)
	con      console.Streams
	files    map[string]fileState
	pending  atomic.Bool // a restart was requested and has not happened yet
	onReload func(error) // called with the result of each reload
}

// fileState identifies one version of a file.
type fileState struct {
	time time.Time
	size int64
}

// newWorldWatch returns a watch that knows the current versions of the world's files. The function load reads the world
// again.
func newWorldWatch(world *worlds.World, load func() (*worlds.World, error),
	con console.Streams) (*worldWatch, error) {
	files := world.Files()
	if len(files) == 0 {
		return nil, errors.New("--watch: the world is built in and has no file that could change: write it to a file " +
			"with worlds show NAME > FILE")
	}
	w := &worldWatch{load: load, con: con, onReload: func(error) {}}
	w.noteFiles(files)
	return w, nil
}

// noteFiles replaces the list of watched files, and stores the current version of each file.
func (w *worldWatch) noteFiles(files []string) {
	w.files = map[string]fileState{}
	for _, name := range files {
		w.files[name], _ = statFile(name)
	}
}

// statFile returns the state of a file. It returns an error if the file is missing, for instance while an editor
// replaces it.
func statFile(name string) (fileState, error) {
	info, err := os.Stat(name)
	if err != nil {
		return fileState{}, err
	}
	return fileState{info.ModTime(), info.Size()}, nil
}

// start starts to watch the files, until ctx ends or the function stop is called. The simulation must not have made a
// step yet.
func (w *worldWatch) start(ctx context.Context, sim *omnipitch.Sim) (stop func()) {
	w.sim = sim
	sim.OnStep(func(s *physics.Snapshot) {
		if s.Step == 0 && w.pending.Swap(false) {
			fmt.Fprintf(w.con.Notes(), "%s: file changed, restarted\n", sim.World().Name)
		}
	})
	fmt.Fprintf(w.con.Notes(), "%s: restarts whenever %s changes\n", sim.World().Name,
		strings.Join(sim.World().Files(), " or "))
	ctx, cancel := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() { w.poll(ctx) })
	return func() {
		cancel()
		polling.Wait()
	}
}

// poll checks the files periodically until ctx ends.
func (w *worldWatch) poll(ctx context.Context) {
	ticks := time.NewTicker(pollFilesEvery)
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

// changed reports whether a file has changed since the previous call. It stores the new version of each file.
func (w *worldWatch) changed() bool {
	changed := false
	for name, was := range w.files {
		if now, err := statFile(name); err == nil && now != was {
			w.files[name], changed = now, true
		}
	}
	return changed
}

// reload reads the world again and requests a restart of the simulation.
func (w *worldWatch) reload() {
	world, err := w.load()
	if err == nil {
		w.pending.Store(true)
		err = w.sim.Restart(world)
	}
	w.onReload(err)
	if err != nil {
		w.pending.Store(false)
		w.noteFilesOf(err)
		fmt.Fprintf(w.con.Err, "%s: not reloaded, the run continues unchanged: %v\n", w.sim.World().Name, err)
		return
	}
	w.noteFiles(world.Files())
}

// noteFilesOf also watches the files in which an error lies. Such a file may be included for the first time, and the
// user may correct the error there.
func (w *worldWatch) noteFilesOf(err error) {
	for _, e := range worlds.Errors(err) {
		var placed *schema.Error
		if !errors.As(e, &placed) {
			continue
		}
		if _, known := w.files[placed.File]; known {
			continue
		}
		if now, err := statFile(placed.File); err == nil { // built-in worlds have no file
			w.files[placed.File] = now
		}
	}
}
