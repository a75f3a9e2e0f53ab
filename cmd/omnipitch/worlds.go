package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/omnipitch/omnipitch/worlds"
)

type worldsCmd struct {
	List worldsListCmd `cmd:"" default:"1" help:"List worlds, robot models and fields."`
	Show worldsShowCmd `cmd:"" help:"Print a world, robot model or field."`
}

type worldsListCmd struct{}

func (c *worldsListCmd) Run(con console) error {
	tw := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	for _, s := range worlds.Shipped() {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", s.Kind, s.Name, s.About)
	}
	return tw.Flush()
}

type worldsShowCmd struct {
	Name string `arg:"" help:"As omnipitch worlds lists it."`
}

func (c *worldsShowCmd) Run(con console) error {
	text, err := worlds.Source(c.Name)
	if err != nil {
		return badInput{err}
	}
	_, err = con.out.Write(text)
	return err
}
