package robotio

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// Bridge connects one simulation with ROS 1.
type Bridge struct {
	sim        *omnipitch.Sim
	refused    func(error)
	mismatched func(*ros1.MismatchError)
	main       *ros1.Node
	ownNodes   map[string]*ros1.Node // of robots with a master of their own
	profiles   map[string]*mapping.Compiled
	speed      *speed
	seek       func(context.Context, time.Duration) error
	own        []ownTopic
	ctx        context.Context
	closers    []func() error // undo what was set up, in its order

	// By the names of robots:
	commands map[string][]*ros1.Subscriber // of topics that a robot takes commands from
	seen     map[string]*ros1.Subscriber   // of the time up to which a robot has seen everything
	acks     map[string]*acks              // of a robot that acknowledges every message

	mu         sync.Mutex
	publishers []*topicPublisher
	taken      []*takenTopic
	nodes      map[*ros1.Node]*node
	calls      sync.WaitGroup
}

// Options of a bridge; the zero value is ready.
type Options struct {
	// Refused is called, on any goroutine, with the error of a message whose actions cannot be carried out. Callers of
	// services get the error themselves.
	Refused func(error)
	// Mismatched is called, on any goroutine, once for every publisher whose messages are not taken, as a topic of
	// commands has another type here.
	Mismatched func(*ros1.MismatchError)
	// Topics, if not nil, are those of the simulation's Options: what comes on them goes to the world's conditions.
	Topics *Topics
	// Own are the nodes of robots that have a master of their own, by the robots' names. The caller closes them.
	Own map[string]*ros1.Node
	// Seek, if not nil, has a replay go on from a time since the recorded run began, and returns when that moment has
	// been shown.
	Seek func(ctx context.Context, to time.Duration) error
}

// node is a node at one master, and what robots share on it.
type node struct {
	*ros1.Node
	pubs    map[string]*ros1.RawPublisher
	taken   claims
	watched map[string]bool // topics whose publishers of other types are reported
	clock   *ros1.Publisher[msg.Clock]
}

// NewBridge sets up the topics and services of all robots of a simulation, as their profiles have them, the clock, and
// the speed. It fails as Check does, and when the master does not answer. The caller closes the node, after the bridge.
func NewBridge(sim *omnipitch.Sim, main *ros1.Node, opts Options) (*Bridge, error) {
	b := &Bridge{sim: sim, main: main, refused: opts.Refused, mismatched: opts.Mismatched, seek: opts.Seek,
		ownNodes: opts.Own, nodes: map[*ros1.Node]*node{},
		commands: map[string][]*ros1.Subscriber{}, seen: map[string]*ros1.Subscriber{}, acks: map[string]*acks{}}
	if b.refused == nil {
		b.refused = func(error) {}
	}
	if b.mismatched == nil {
		b.mismatched = func(*ros1.MismatchError) {}
	}
	var err error
	if b.profiles, err = check(sim.World()); err != nil {
		return nil, err
	}
	var cancel context.CancelFunc
	b.ctx, cancel = context.WithCancel(context.Background())
	b.closers = append(b.closers, func() error { cancel(); b.calls.Wait(); return nil })
	if err := b.setUp(main, opts); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bridge) setUp(main *ros1.Node, opts Options) error {
	b.speed = newSpeed(b.sim)
	n, err := b.node(main)
	if err != nil {
		return err
	}
	for i := range b.sim.World().Robots {
		r, at := &b.sim.World().Robots[i], n
		if own := opts.Own[r.Name]; own != nil {
			if at, err = b.node(own); err != nil {
				return err
			}
		}
		if err := b.robot(at, r, i); err != nil {
			return err
		}
	}
	if opts.Topics != nil { // when it is known who acknowledges
		if err := opts.Topics.connect(b); err != nil {
			return err
		}
	}
	if err := b.record(main); err != nil {
		return err
	}
	if err := b.coach(main); err != nil {
		return err
	}
	return b.report(main)
}

// Close ends all topics and services of the bridge.
func (b *Bridge) Close() error {
	var errs []error
	for i := len(b.closers) - 1; i >= 0; i-- {
		errs = append(errs, b.closers[i]())
	}
	b.closers = nil
	return errors.Join(errs...)
}

// keep has Close close what a set-up call returned.
func (b *Bridge) keep(closer interface{ Close() error }, err error) error {
	if err == nil {
		b.closers = append(b.closers, closer.Close)
	}
	return err
}

// node returns what robots share on a node; a node that is new gets the clock and the speed.
func (b *Bridge) node(of *ros1.Node) (*node, error) {
	if n := b.nodes[of]; n != nil {
		return n, nil
	}
	n := &node{Node: of, pubs: map[string]*ros1.RawPublisher{}, taken: newClaims(), watched: map[string]bool{}}
	b.nodes[of] = n
	return n, errors.Join(b.clock(n), b.speed.serve(b, n), b.decisions(n), b.control(n))
}

// robot sets up one robot's topics and services.
func (b *Bridge) robot(n *node, r *worlds.Robot, index int) error {
	if err := errors.Join(b.acknowledge(n.Node, r), b.levels(n.Node, r)); err != nil {
		return err
	}
	for i := range r.Sensors {
		if err := b.groundTruth(n.Node, r, &r.Sensors[i]); err != nil {
			return err
		}
	}
	for _, name := range mapping.ProfilesOf(r) {
		if err := b.profile(n, b.profiles[name], index); err != nil {
			return fmt.Errorf("robot %s: profile %s: %w", r.Name, name, err)
		}
	}
	b.connect(n, r)
	return b.radio(n, r)
}

// profile sets up a profile for a robot.
func (b *Bridge) profile(n *node, p *mapping.Compiled, robot int) error {
	c := p.NewContext(b.sim.World(), robot)
	c.BodyName, c.Camera, c.Game, c.Coach, c.Truth = b.sim.Scenery().BodyName, b.sim.Camera, b.sim.Game, b.sim.Coach,
		b.sim.Truth()
	for i := range p.Parameters {
		if err := n.KeepParam(p.Parameters[i].Name, p.Parameters[i].Value(&c)); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		entries []*mapping.Entry
		setUp   func(*node, *mapping.Instance) error
	}{{p.Publications, b.publish}, {p.Subscriptions, b.subscribe}, {p.Servers, b.serve}, {p.Callers, b.call}} {
		for _, i := range mapping.Instances(part.entries, c) {
			if n.taken.claim(&i) {
				if err := part.setUp(n, &i); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// listen adds a listener to a sensor until Close.
func (b *Bridge) listen(robot, sensor string, l omnipitch.Listener) error {
	remove, err := b.sim.Listen(robot, sensor, l)
	if err == nil {
		b.closers = append(b.closers, func() error { remove(); return nil })
	}
	return err
}

// Types returns the message and service types of all profiles of the bridge's robots; of types of the same name the
// last counts.
func (b *Bridge) Types() *msg.Library {
	types := &msg.Library{}
	for _, name := range slices.Sorted(maps.Keys(b.profiles)) {
		types.Merge(b.profiles[name].Library)
	}
	return types
}
