package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
)

type checkCmd struct {
	Worlds []string `arg:"" name:"world" help:"Names of built-in worlds, or paths of world files or ROS 1 profiles. A world with random values is checked with 100 seeds, or fewer if that takes longer than about five seconds."`
}

func (c *checkCmd) Run(ctx context.Context, con console.Streams) error {
	wrong, what := 0, "world"
	for _, name := range c.Worlds {
		w, ok, err := checkWorld(ctx, con, name)
		if errors.Is(err, console.ErrInterrupted) {
			return fmt.Errorf("%s: interrupted before it was checked", name)
		}
		if errors.Is(err, errProfile) {
			ok = "ok, a profile; its names on ROS are checked with the worlds whose robots use it"
			err, what = mapping.CheckProfile(name), "file"
		}
		if err == nil {
			if w != nil { // not a profile
				printWarnings(con, w)
			}
			fmt.Fprintf(con.Out, "%s: %s\n", name, ok)
			if w != nil {
				for _, line := range w.DescribeProps() {
					fmt.Fprintf(con.Out, "  %s\n", line)
				}
			}
			continue
		}
		wrong++
		for _, e := range worlds.Errors(err) {
			fmt.Fprintln(con.Out, e)
		}
	}
	switch {
	case wrong == 0:
		return nil
	case len(c.Worlds) == 1:
		return console.BadInputf("1 %s is not valid", what)
	case wrong == 1:
		return console.BadInputf("1 of %d %ss is not valid", len(c.Worlds), what)
	}
	return console.BadInputf("%d of %d %ss are not valid", wrong, len(c.Worlds), what)
}

// checkWorld loads a world and draws it with many seeds. It returns at once when ctx ends. The text ok describes a
// valid world.
func checkWorld(ctx context.Context, con console.Streams, name string) (w *worlds.World, ok string, err error) {
	status := console.NewStatus(con, name)
	defer status.Close()
	status.Set("reading the world")
	w, err = console.Await(ctx, func() (*worlds.World, error) { return loadChecked(name, nil) },
		func(*worlds.World) {})
	if err != nil {
		return nil, "", err
	}
	ok = "ok"
	if w.Referee == worlds.RefereeRefbox {
		ok += "; run connects to the referee box at " + refboxAddr(w)
	}
	if w.Referee == worlds.RefereeGameController {
		ok += "; run follows the GameController at " + w.GameController.Address
	}
	if !w.Random() {
		return w, ok, nil
	}
	last, err := checkSeeds(ctx, name, w, status.Set)
	if last < seedsChecked {
		ok += fmt.Sprintf("; only seeds 1 to %d were tried, because drawing this world takes long", last)
	}
	return w, ok, err
}

// loadWorld loads a world for a command, and prints its warnings. If seed is not nil, it replaces the world's seed.
// Errors are marked as BadInput.
func loadWorld(ctx context.Context, con console.Streams, name string, seed *uint64) (*worlds.World, error) {
	w, err := console.Await(ctx, func() (*worlds.World, error) { return loadChecked(name, seed) },
		func(*worlds.World) {})
	if err == nil {
		printWarnings(con, w)
	}
	if err == nil || errors.Is(err, console.ErrInterrupted) {
		return w, err
	}
	if n := len(worlds.Errors(err)); n > 1 {
		return nil, console.BadInput(errors.Join(fmt.Errorf("world %s has %d errors:", name, n), err))
	}
	return nil, console.BadInput(err)
}

func printWarnings(con console.Streams, w *worlds.World) {
	for _, warning := range w.Warnings() {
		fmt.Fprintln(con.Err, warning)
	}
}

// loadChecked loads a world and also checks the profiles of the robots and the cost of rendering. If seed is not
// nil, it replaces the world's seed.
func loadChecked(name string, seed *uint64) (w *worlds.World, err error) {
	if seed == nil {
		w, err = worlds.Load(name, worldChecks...)
	} else {
		w, err = worlds.LoadWithSeed(name, *seed, worldChecks...)
	}
	if err != nil && mapping.IsProfile(name) {
		return nil, fmt.Errorf("%s: %w", name, errProfile)
	}
	return w, err
}

var errProfile = errors.New(`is a profile, not a world: name it in a robot's ros1.profiles`)

const (
	seedsChecked = 100 // seeds 1 to 100 are checked
	// workChecked limits the work of drawing a world with all seeds, see [worlds.World.Draw]. Measured: a seed of ten
	// robots takes 2000, and all take one core about five seconds.
	workChecked = 1_500_000
)

// checkSeeds makes a random world with each of the seeds from 1 to seedsChecked. The error contains the errors of the
// first invalid seed and a list of all invalid seeds. last is the last seed that was tried. It is less than
// seedsChecked if the seeds needed too many random draws. The function show is called with the progress.
func checkSeeds(ctx context.Context, name string, w *worlds.World, show func(string)) (last uint64, err error) {
	var failed []string
	for work := 0; last < seedsChecked && work < workChecked; {
		last++
		show(fmt.Sprintf("drawing it with seed %d of %d", last, seedsChecked))
		var seedWork int
		_, seedErr := console.Await(ctx, func() (drawn *worlds.World, err error) {
			drawn, seedWork, err = w.Draw(ctx, last)
			return drawn, err
		}, func(*worlds.World) {})
		if errors.Is(seedErr, console.ErrInterrupted) {
			return last, seedErr
		}
		work += seedWork
		if seedErr == nil {
			continue
		}
		failed = append(failed, strconv.FormatUint(last, 10))
		if err == nil {
			err = seedErr
		}
	}
	if err != nil {
		err = errors.Join(err, fmt.Errorf("%s: of seeds 1 to %d these are not valid: %s", name, last,
			strings.Join(failed, ", ")))
	}
	return last, err
}
