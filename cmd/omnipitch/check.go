package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

type checkCmd struct {
	Worlds []string `arg:"" name:"world" help:"Names of built-in worlds, or paths of world files or ROS 1 profiles. A world with random values is checked with 100 seeds."`
}

func (c *checkCmd) Run(con console.Streams) error {
	wrong, what := 0, "world"
	for _, name := range c.Worlds {
		ok := "ok"
		w, err := loadChecked(name, nil)
		if err == nil && w.Referee == worlds.RefereeRefbox {
			ok += "; run connects to the referee box at " + refboxAddr(w)
		}
		if err == nil && w.Random() {
			var last uint64
			if last, err = checkSeeds(name, w); last < seedsChecked {
				ok += fmt.Sprintf("; only seeds 1 to %d were tried, because too many draws violate the requirements",
					last)
			}
		}
		if errors.Is(err, errProfile) {
			ok = "ok, a profile; its names on ROS are checked with the worlds whose robots use it"
			err, what = checkProfile(name), "file"
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

// loadChecked loads a world and also checks the ROS 1 profiles of the robots and the cost of rendering. If seed is not
// nil, it replaces the world's seed.
func loadChecked(name string, seed *uint64) (w *worlds.World, err error) {
	checks := []func(*worlds.World) error{robotio.Check, refbox.Check, scenery.CheckCost}
	if seed == nil {
		w, err = worlds.Load(name, checks...)
	} else {
		w, err = worlds.LoadWithSeed(name, *seed, checks...)
	}
	if err != nil && mapping.IsProfile(name) {
		return nil, fmt.Errorf("%s: %w", name, errProfile)
	}
	return w, err
}

var errProfile = errors.New(`is a profile, not a world: name it in a robot's ros1.profiles`)

// checkProfile checks a ROS 1 profile without a world.
func checkProfile(path string) error {
	p, err := mapping.Load(path)
	if err == nil {
		_, err = mapping.Compile(p)
	}
	return err
}

const (
	seedsChecked = 100 // seeds 1 to 100 are checked
	// drawsChecked limits the total number of random draws. A random draw of ten robots takes a millisecond.
	drawsChecked = 5_000
)

// checkSeeds makes a random world with each of the seeds from 1 to seedsChecked. The error contains the errors of the
// first invalid seed and a list of all invalid seeds. last is the last seed that was tried. It is less than
// seedsChecked if the seeds needed too many random draws.
func checkSeeds(name string, w *worlds.World) (last uint64, err error) {
	var failed []string
	for draws := 0; last < seedsChecked && draws < drawsChecked; {
		last++
		drawn, seedErr := w.WithSeed(last)
		if seedErr == nil {
			draws += drawn.Draws()
			continue
		}
		draws += worlds.MaxDraws
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
