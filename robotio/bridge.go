package robotio

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// Bridge publishes one simulation on ROS 1.
type Bridge struct {
	sim      *omnipitch.Sim
	refused  func(error)
	dialects dialects
	ctx      context.Context
	ending   []func() error // undoes what was set up, in its order

	commands map[string][]*ros1.Subscriber // that robots are driven by, by the robots' names
	seen     map[string]*ros1.Subscriber   // of the times up to which robots have seen everything, by their names
	acks     map[string]*acks              // of robots that acknowledge every message, by their names

	mu      sync.Mutex
	outlets []*outlet
	links   map[*ros1.Node]*link
	calls   sync.WaitGroup
}

// Options are what a bridge may be told beside its node.
type Options struct {
	// Refused is told, on any goroutine, about commands on topics that no robot can mean; a service answers with the
	// same error.
	Refused func(error)
	// Own are nodes on masters of their own, by the names of the robots that have one. The caller closes them.
	Own map[string]*ros1.Node
}

// link is one node, and what robots share on it.
type link struct {
	*ros1.Node
	pubs  map[string]*ros1.RawPublisher
	taken claims
	clock *ros1.Publisher[msg.Clock]
}

// NewBridge advertises and subscribes all topics and services of a simulation's robots, as their profiles have them,
// and the clock. The node is the caller's to close, after the bridge. It fails on what is wrong with a profile, and when
// the master does not answer.
func NewBridge(sim *omnipitch.Sim, node *ros1.Node, opts Options) (*Bridge, error) {
	b := &Bridge{sim: sim, refused: opts.Refused, links: map[*ros1.Node]*link{},
		commands: map[string][]*ros1.Subscriber{}, seen: map[string]*ros1.Subscriber{}, acks: map[string]*acks{}}
	if b.refused == nil {
		b.refused = func(error) {}
	}
	var err error
	if b.dialects, err = check(sim.World()); err != nil {
		return nil, err
	}
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithCancel(context.Background())
	b.ending = append(b.ending, func() error { cancel(); b.calls.Wait(); return nil })
	_, err = b.link(node)
	for i := range sim.World().Robots {
		r := &sim.World().Robots[i]
		at := node
		if own := opts.Own[r.Name]; own != nil {
			at = own
		}
		var l *link
		if err == nil {
			l, err = b.link(at)
		}
		if err == nil {
			err = b.robot(l, r, i)
		}
	}
	if err == nil {
		err = b.report(node)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close ends all topics and services of the bridge.
func (b *Bridge) Close() error {
	var errs []error
	for i := len(b.ending) - 1; i >= 0; i-- {
		errs = append(errs, b.ending[i]())
	}
	b.ending = nil
	return errors.Join(errs...)
}

// keep takes over what a set-up call returned.
func (b *Bridge) keep(closer interface{ Close() error }, err error) error {
	if err == nil {
		b.ending = append(b.ending, closer.Close)
	}
	return err
}

// link returns a node's; one that is met for the first time gets the clock.
func (b *Bridge) link(n *ros1.Node) (*link, error) {
	if l := b.links[n]; l != nil {
		return l, nil
	}
	l := &link{Node: n, pubs: map[string]*ros1.RawPublisher{}, taken: claims{}}
	b.links[n] = l
	return l, b.clock(l)
}

// robot sets up one robot's topics and services.
func (b *Bridge) robot(l *link, r *worlds.Robot, index int) error {
	if err := errors.Join(b.acknowledged(l.Node, r), b.levels(l.Node, r)); err != nil {
		return err
	}
	for i := range r.Sensors {
		if err := b.groundTruth(l.Node, r, &r.Sensors[i]); err != nil {
			return err
		}
	}
	for _, name := range profilesOf(r) {
		d := b.dialects[name]
		s := sceneOf(b.sim.World(), d, index)
		s.sim, s.truth = b.sim, b.sim.Truth()
		for _, setUp := range []func(*link, *dialect, scene) error{b.parameters, b.publications, b.subscriptions, b.services, b.callers} {
			if err := setUp(l, d, s); err != nil {
				return fmt.Errorf("robot %s: profile %s: %w", r.Name, name, err)
			}
		}
	}
	return b.connect(l, r)
}

// parameters sets what nodes ask for.
func (b *Bridge) parameters(l *link, d *dialect, s scene) error {
	for _, p := range d.params {
		value := p.value
		if p.text != nil {
			value = string(p.text(nil, &s))
		}
		if err := l.KeepParam(p.name, value); err != nil {
			return err
		}
	}
	return nil
}

// listen adds a listener to a sensor until the bridge closes.
func (b *Bridge) listen(robot, sensor string, l omnipitch.Listener) error {
	remove, err := b.sim.Listen(robot, sensor, l)
	if err == nil {
		b.ending = append(b.ending, func() error { remove(); return nil })
	}
	return err
}

// callTime bounds a call of somebody else's service, wall time. A guess: a referee answers within milliseconds.
const callTime = 2 * time.Second
