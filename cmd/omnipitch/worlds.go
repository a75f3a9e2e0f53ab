package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/worlds"
)

type worldsCmd struct {
	List worldsListCmd `cmd:"" default:"1" help:"List worlds, robot models and fields."`
	Show worldsShowCmd `cmd:"" help:"Print a world, robot model or field."`
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
	Name string `arg:"" help:"As omnipitch worlds lists it."`
}

func (c *worldsShowCmd) Run(con console.Streams) error {
	text, err := worlds.Source(c.Name)
	if err != nil {
		return exit.BadInput(err)
	}
	_, err = con.Out.Write(text)
	return err
}
