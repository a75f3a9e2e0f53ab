package ros1

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/xmlrpc"
)

// Peer is a node at the other end of a connection.
type Peer struct {
	Node string // its name
	ID   int    // of the connection; those made later have greater ones
}

// Ask has the subscriber ask publishers whether they know of their connections, for Peers.
func (s *Subscriber) Ask() {
	s.sub.ask.Store(true)
	for _, f := range s.sub.snapshot() {
		if f.connected.Load() {
			s.sub.node.spawn(func() { f.confirm(s.sub.node.ctx) })
		}
	}
}

// Peers lists the publishers that are connected and, after Ask, know that they are: what they publish from now on comes. rospy and roscpp
// answer the handshake of a connection before they send anything there, so what they publish in between is lost.
func (s *Subscriber) Peers() (all []Peer) {
	for _, f := range s.sub.snapshot() {
		if name := f.peer.Load(); name != nil && f.connected.Load() && (f.known.Load() || !s.sub.ask.Load()) {
			all = append(all, Peer{*name, f.id})
		}
	}
	return all
}

// Wall times between questions whether a publisher knows of its connection: doubled each time. Guesses: most know when they are asked first.
const (
	confirmFirst = 2 * time.Millisecond
	confirmLast  = 200 * time.Millisecond
)

// maxRefusals is how often a publisher may refuse to tell, as rospy does while a socket of its is being opened, until it is taken not to offer
// that: a second, with the times above.
const maxRefusals = 12

// confirm asks the publisher by its slave API about its connections until ours is one of them. A publisher that does not offer that is
// taken to know.
func (f *feed) confirm(ctx context.Context) {
	n := f.sub.node
	refusals := 0
	for pause := confirmFirst; ; pause = min(2*pause, confirmLast) {
		v, err := graph.Call(ctx, f.uri, "getBusInfo", n.name)
		if ctx.Err() != nil || !f.connected.Load() {
			return
		}
		if refused(err) {
			refusals++
		}
		if err == nil && sends(v, f.sub.name, n.name) || refusals == maxRefusals {
			f.known.Store(true)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// refused tells whether the peer understood a call and did not want it.
func refused(err error) bool {
	_, no := errors.AsType[*graph.RefusedError](err)
	_, fault := errors.AsType[*xmlrpc.Fault](err)
	return no || fault
}

// sends tells whether the answer to getBusInfo has a connection by which a topic goes to a node.
func sends(info any, topic, node string) bool {
	list, _ := info.([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		c, _ := v.([]any) // id, peer, direction, transport, topic
		return len(c) >= 5 && c[1] == node && c[2] == "o" && c[4] == topic
	})
}
