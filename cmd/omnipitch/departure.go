package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// nodes are all nodes of the simulation: at the common master, at robots' own, and those of servers for browsers.
func (s *served) nodes() []*ros1.Node {
	all := []*ros1.Node{s.ros.node}
	for _, n := range s.ros.own {
		all = append(all, n)
	}
	for _, c := range s.web {
		if n, ok := c.(*ros1.Node); ok {
			all = append(all, n)
		}
	}
	return all
}

// watch returns a context that ends with ctx, and when a node has left its graph that nobody here closed: a simulation without it would go
// on without its robots, and say nothing. The caller calls stop in the end.
func (s *served) watch(ctx context.Context) (_ context.Context, stop context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, n := range s.nodes() {
		go func() {
			select {
			case <-n.Done():
				cancel(n.Cause())
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// departed says how a run ends whose context watch made. One that was asked to shut down ends as with Ctrl-C, after a sentence; one whose place
// was taken has failed.
func departed(ctx context.Context, con console.Streams, world string) error {
	var why *ros1.ShutdownError
	if !errors.As(context.Cause(ctx), &why) {
		return nil
	}
	if why.Taker != "" {
		return fmt.Errorf("%w: the run ends", why)
	}
	fmt.Fprintf(con.Err, "%s: %v: the run ends\n", world, why)
	return nil
}
