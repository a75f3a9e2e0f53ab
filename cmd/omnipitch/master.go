package main

import (
	"context"
	"fmt"
	"strconv"
)

type masterCmd struct {
	accessFlags
	Port   int    `default:"11311" help:"Port to listen at; 0 takes a free one. Default: ${default}."`
	Listen string `placeholder:"ADDR" help:"Address to listen at, 0.0.0.0 for all; without it this machine alone."`
}

// Run runs a master until the context ends.
func (c *masterCmd) Run(ctx context.Context, con console) error {
	if c.Port < 0 || c.Port > 65535 {
		return badInput{fmt.Errorf("--port = %d: must lie in [0, 65535]", c.Port)}
	}
	at, err := newListening(c.Listen)
	if err != nil {
		return err
	}
	if at.access, err = c.rule(true, func(err error) { fmt.Fprintf(con.err, "omnipitch: %v\n", err) }); err != nil {
		return err
	}
	m, err := at.master(strconv.Itoa(c.Port))
	if err != nil {
		return lacking{err}
	}
	defer m.Close()
	if at.open() {
		fmt.Fprintf(con.err, "omnipitch: %s\n", at.warning())
	}
	fmt.Fprintf(con.err, "ROS 1 master at %s\n", m.URI())
	<-ctx.Done()
	return nil
}
