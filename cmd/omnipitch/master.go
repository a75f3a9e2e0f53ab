package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/omnipitch/omnipitch/cmd/console"
)

type masterCmd struct {
	accessFlags
	Port   *int    `help:"Port to listen at; 0 takes a free one. Default: that of ROS_MASTER_URI, 11311 without it."`
	Listen *string `placeholder:"ADDR" help:"Address to listen at, 0.0.0.0 for all; without it this machine alone."`
}

// check judges what the flags say by themselves.
func (c *masterCmd) check() error {
	if c.Port != nil && (*c.Port < 0 || *c.Port > 65535) {
		return fmt.Errorf("--port = %d: must lie in [0, 65535]", *c.Port)
	}
	_, err := newListening(c.Listen)
	return err
}

// Run runs a master until the context ends.
func (c *masterCmd) Run(ctx context.Context, con console.Streams) error {
	at, err := newListening(c.Listen)
	if err != nil {
		return err
	}
	if at.access, err = c.rule(true, func(err error) { fmt.Fprintf(con.Err, "omnipitch: %v\n", err) }); err != nil {
		return err
	}
	if err := errors.Join(enoughFiles(filesOf(nil)), at.here()); err != nil {
		return err
	}
	port, err := c.port()
	if err != nil {
		return err
	}
	m, err := at.master(port, "--port PORT names it, --port 0 takes a free one")
	if err != nil {
		return wireError(err)
	}
	defer m.Close()
	if at.open() {
		fmt.Fprintf(con.Err, "omnipitch: %s\n", at.warning())
	}
	fmt.Fprintf(con.Err, "ROS 1 master at %s\n", m.URI())
	<-ctx.Done()
	return nil
}

// port returns where to listen.
func (c *masterCmd) port() (string, error) {
	if c.Port != nil {
		return strconv.Itoa(*c.Port), nil
	}
	uri, err := masterURI()
	if err != nil {
		return "", err
	}
	return masterPort(uri), nil
}
