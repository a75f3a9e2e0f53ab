package robotio

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
)

// Bridge connects one simulation with ROS 1 or ROS 2. For both, a simulation has two bridges.
type Bridge struct {
	sim        *omnipitch.Sim
	refused    func(error)
	mismatched func(*wire.MismatchError)
	main       wire.Node
	ownNodes   map[string]wire.Node // nodes at the masters of robots that have their own master, by robot name
	profiles   map[string]*mapping.Compiled
	speed      *speed
	seek       func(context.Context, time.Duration) error
	beside     *Bridge // see Options.Beside
	own        []ownTopic
	newest     newest
	team       teamTalk
	beliefs    atomic.Pointer[Beliefs] // set by NewBeliefs; nil if there are none
	ctx        context.Context
	closers    []func() error // functions that undo the setup; Close calls them in reverse order

	// By the name of a robot:
	robots   map[int]*connection          // connections of robots that the simulation waits for, by index in wait_for
	commands map[string][]wire.Subscriber // for each robot, the subscribers of the topics with its commands
	seen     map[string]wire.Subscriber   // subscribers for robots that acknowledge a sim time, see acknowledge
	acks     map[string]*acks             // for robots that acknowledge every message, see acknowledge

	mu         sync.Mutex
	publishers []*topicPublisher
	taken      []*commandTopic
	nodes      map[wire.Node]*node
	calls      sync.WaitGroup
}

// Options of a bridge; the zero value is ready.
type Options struct {
	// Refused is called, on any goroutine, with the error when a message cannot be executed. Errors of service requests
	// go to the caller of the service instead.
	Refused func(error)
	// Mismatched is called, on any goroutine, once for every publisher that connects to a command topic with the wrong
	// message type. The messages of this publisher are ignored.
	Mismatched func(*wire.MismatchError)
	// Topics, if not nil, must be the Topics of the simulation's Options. The bridge delivers messages to the world's
	// conditions through it.
	Topics *Topics
	// Own holds the nodes of robots with their own master, by the robot's name. The caller closes them.
	Own map[string]wire.Node
	// Beside is the other bridge of a simulation that has two, or nil. NewBridge of the second bridge gets the first
	// one. A robot that the simulation waits for may connect to either.
	Beside *Bridge
	// Distribution selects the definitions of messages on ROS 2, see msg.LoadROS2; if it is empty, it is jazzy.
	Distribution string
	// Seek moves a replay to a sim time of the recorded run, and returns when that moment has been shown. Seek is nil
	// if the run is not a replay.
	Seek func(ctx context.Context, to time.Duration) error
}

// node is a ROS node at one master, with the publishers and services that robots share on it.
type node struct {
	wire.Node
	pubs    map[string]wire.Publisher
	groups  map[string]*topicGroup // by robot.sensor; "" for the topics that are published periodically
	taken   claims
	watched map[string]bool // topics for which publishers with a wrong message type are reported
	clock   *wire.Typed[msg.Clock]
}

// NewBridge sets up the topics and services in the profiles of all robots of a simulation, the clock, and the services
// of the simulation itself. It returns the errors that Check finds, and an error if the master does not answer. The
// caller must close the bridge before the node.
func NewBridge(sim *omnipitch.Sim, main wire.Node, opts Options) (*Bridge, error) {
	b := &Bridge{sim: sim, main: main, refused: opts.Refused, mismatched: opts.Mismatched, seek: opts.Seek,
		beside: opts.Beside, ownNodes: opts.Own, nodes: map[wire.Node]*node{}, robots: map[int]*connection{},
		commands: map[string][]wire.Subscriber{}, seen: map[string]wire.Subscriber{}, acks: map[string]*acks{}}
	if b.refused == nil {
		b.refused = func(error) {}
	}
	if b.mismatched == nil {
		b.mismatched = func(*wire.MismatchError) {}
	}
	var err error
	if b.profiles, err = check(sim.World(), main.Version(), opts.Distribution); err != nil {
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

func (b *Bridge) setUp(main wire.Node, opts Options) error {
	b.speed = newSpeed(b.sim)
	b.sim.Truth().CopyTo(&b.newest.truth)
	b.sim.OnStep(b.newest.set)
	n, err := b.node(main)
	if err != nil {
		return err
	}
	for i := range b.sim.World().Robots {
		r, robotNode := &b.sim.World().Robots[i], n
		if own := opts.Own[r.Name]; own != nil {
			if robotNode, err = b.node(own); err != nil {
				return err
			}
		}
		if err := b.robot(robotNode, r, i); err != nil {
			return err
		}
	}
	if err := b.team.talkMitecom(b, opts.Beside == nil); err != nil {
		return err
	}
	if opts.Topics != nil { // needs b.acks, so it comes after the robots
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

// Close closes all topics and services of the bridge.
func (b *Bridge) Close() error {
	var errs []error
	for i := len(b.closers) - 1; i >= 0; i-- {
		errs = append(errs, b.closers[i]())
	}
	b.closers = nil
	return errors.Join(errs...)
}

// closeLater makes Close close a publisher, subscriber or service. err is the error of opening it. If err is not nil,
// there is nothing to close. closeLater returns err unchanged.
func (b *Bridge) closeLater(closer interface{ Close() error }, err error) error {
	if err == nil {
		b.closers = append(b.closers, closer.Close)
	}
	return err
}

// node returns the shared state of a node. The first call for a node sets up the clock and the services of the
// simulation on it.
func (b *Bridge) node(of wire.Node) (*node, error) {
	if n := b.nodes[of]; n != nil {
		return n, nil
	}
	n := &node{Node: of, pubs: map[string]wire.Publisher{}, groups: map[string]*topicGroup{},
		taken: newClaims(), watched: map[string]bool{}}
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
	for _, name := range mapping.ProfilesOn(n.Version(), r, b.profiles) {
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
	c.BodyName, c.Camera, c.Match, c.Paused, c.Truth = b.sim.Sensors().Scenery().BodyName, b.sim.Sensors().Camera,
		b.sim.Match(), b.sim.Clock().Paused, b.sim.Truth()
	c.Tell = b.team.tell
	for i := range p.Parameters {
		if err := n.KeepParam(p.Parameters[i].Name, p.Parameters[i].Value(&c)); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		entries []*mapping.Entry
		setUp   func(*node, *mapping.Instance) error
	}{{p.Publications, b.publish}, {p.Subscriptions, b.subscribe}, {p.Replies, b.reply}, {p.Servers, b.serve},
		{p.Callers, b.call}} {
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

// listen adds a listener to a sensor. Close removes the listener.
func (b *Bridge) listen(robot, sensor string, l omnipitch.Listener) error {
	remove, err := b.sim.Listen(robot, sensor, l)
	if err == nil {
		b.closers = append(b.closers, func() error { remove(); return nil })
	}
	return err
}

// Types returns the message and service types of the profiles of all robots. If two profiles have a type of the same
// name, Types returns the type of the alphabetically later profile.
func (b *Bridge) Types() *msg.Library {
	types := &msg.Library{}
	for _, name := range slices.Sorted(maps.Keys(b.profiles)) {
		types.Merge(b.profiles[name].Library)
	}
	return types
}
