package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/scenery"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/worlds"
)

type checkCmd struct {
	Worlds []string `arg:"" name:"world" help:"Names of shipped worlds or paths."`
}

func (c *checkCmd) Run(con console.Streams) error {
	wrong := 0
	for _, name := range c.Worlds {
		_, err := loadChecked(name)
		if err == nil {
			fmt.Fprintf(con.Out, "%s: ok\n", name)
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
		return exit.BadInputf("1 world is not valid")
	case wrong == 1:
		return exit.BadInputf("1 of %d worlds is not valid", len(c.Worlds))
	}
	return exit.BadInputf("%d of %d worlds are not valid", wrong, len(c.Worlds))
}

// loadWorld loads a world for a command, with another seed unless that is nil; what is wrong is the user's to mend.
func loadWorld(ctx context.Context, name string, seed *uint64) (*worlds.World, error) {
	w, err := exit.Await(ctx, func() (*worlds.World, error) { return loadChecked(name) }, func(*worlds.World) {})
	if err == nil && seed != nil {
		w.Seed = *seed
	}
	if err == nil || errors.Is(err, exit.ErrNotBegun) {
		return w, err
	}
	if n := len(worlds.Errors(err)); n > 1 {
		return nil, exit.BadInput(errors.Join(fmt.Errorf("world %s has %d errors:", name, n), err))
	}
	return nil, exit.BadInput(err)
}

// loadChecked loads a world, and checks the profiles that its robots speak and what its scene costs.
func loadChecked(name string) (*worlds.World, error) {
	return worlds.Load(name, robotio.Check, scenery.CheckCost)
}
