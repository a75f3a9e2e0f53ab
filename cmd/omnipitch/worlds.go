package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/worlds"
)

type worldsCmd struct {
	List worldsListCmd `cmd:"" default:"1" help:"List worlds, robot models, fields and looks of robots."`
	Show worldsShowCmd `cmd:"" help:"Print a world, robot model, field or look."`
}

type worldsListCmd struct{}

func (c *worldsListCmd) Run(con console.Streams) error {
	tw := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	for _, s := range worlds.Shipped() {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", s.Kind, s.Name, s.About)
	}
	return tw.Flush()
}

type worldsShowCmd struct {
	Name      string  `arg:"" help:"A name from omnipitch worlds. With --effective, also the path of a world file."`
	Effective bool    `help:"Print the resulting world as one file: every key, with the origin of its value."`
	Seed      *uint64 `help:"With --effective: seed of all random numbers. Default: the world's seed."`
}

func (c *worldsShowCmd) Run(ctx context.Context, con console.Streams) error {
	if c.Effective {
		return c.effective(ctx, con)
	}
	if c.Seed != nil {
		return console.BadInputf("--seed: needs --effective")
	}
	text, err := worlds.Source(c.Name)
	if err != nil {
		return console.BadInput(err)
	}
	_, err = con.Data().Write(text)
	return err
}

func (c *worldsShowCmd) effective(ctx context.Context, con console.Streams) error {
	w, err := loadWorld(ctx, con, c.Name, c.Seed)
	if err != nil {
		return err
	}
	text, wrong := w.Effective()
	if _, err := con.Data().Write(text); err != nil {
		return err
	}
	if wrong != nil {
		return console.BadInput(fmt.Errorf("%s: %w", c.Name, wrong))
	}
	return nil
}
