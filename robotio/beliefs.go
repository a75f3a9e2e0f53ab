package robotio

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Beliefs collects the estimates that robots' programs publish on the belief topics of their profiles. It subscribes
// only as long as its methods Beliefs, ofRobot or inImage are called from time to time. It uses separate nodes that do
// not connect to the simulator's nodes. So a viewer adds no listener to a sensor or a robot, and cannot influence the
// run. It keeps the newest message of each topic and decodes it on request. Of topics about images, it decodes and
// keeps the last messages. The bridge also reads it, for markers and for what a robot's teammates tell it.
type Beliefs struct {
	sim     *omnipitch.Sim
	newNode func(simNode wire.Node) (wire.Node, error)
	refused func(error)
	topics  []*beliefTopic // ordered by robot, then by profile
	ctx     context.Context
	cancel  context.CancelFunc
	wait    sync.WaitGroup

	mu sync.Mutex
	// for each of the simulator's nodes, the node that subscribes to beliefs at the same master
	nodes   map[wire.Node]wire.Node
	running bool
	asked   time.Time // wall time of the last call of keepSubscribed
	failed  bool      // whether the function refused has been called with an error of subscribing
}

// Limits of beliefs. The values are guesses.
const (
	beliefIdle  = 2 * time.Second // wall time after the last call of keepSubscribed at which the subscriptions end
	beliefBytes = 1 << 20         // maximum number of bytes of a message that are stored and decoded
)

// Sim times that decide whether a belief is current. The values are guesses: programs publish several times a second,
// and the stamp of a prediction may be the predicted time.
const (
	beliefOld   = 3 * time.Second        // age at which a message expires
	beliefAhead = 500 * time.Millisecond // largest lead of a stamp over the clock
	// largest lag of a stamp behind the clock at arrival; an older stamp is from another clock and is ignored
	beliefBehind = time.Minute
)

// beliefTopic is one robot's topic with beliefs.
type beliefTopic struct {
	*mapping.Instance
	simNode wire.Node // the simulator's node at the same master

	mu sync.Mutex
	// reader for each definition of the message; nil if the definition lacks fields that the belief needs
	readers map[*msg.Definition]*mapping.BeliefReader
	def     *msg.Definition // definition of the newest message; nil if there is no message
	data    []byte
	cut     bool
	arrived time.Duration // sim time at which the newest message arrived
	fresh   bool          // whether the newest message has not been decoded yet
	said    mapping.Said
	ok      bool           // whether the newest message was decoded without an error
	recent  []mapping.Said // of a topic about images: the content of the last messages, oldest first
	flow    flow
}

// NewBeliefs returns the beliefs of the robots of the bridge b. The function newNode starts a node at the same master
// as simNode, one of the bridge's nodes. The new node must not connect to simNode, see ros1.NodeConfig.Ignore. In ROS 2
// it is a node of the same context. The function refused is called, on any goroutine, with the first error of
// subscribing. From now on, the bridge publishes the beliefs in marked images and in markers.
func NewBeliefs(b *Bridge, newNode func(simNode wire.Node) (wire.Node, error), refused func(error)) *Beliefs {
	l := &Beliefs{sim: b.sim, newNode: newNode, refused: refused, nodes: map[wire.Node]wire.Node{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	for i := range b.sim.World().Robots {
		r := &b.sim.World().Robots[i]
		simNode := b.main
		if own := b.ownNodes[r.Name]; own != nil {
			simNode = own
		}
		taken := map[string]bool{}
		for _, name := range mapping.ProfilesOn(b.main.Version(), r, b.profiles) {
			p := b.profiles[name]
			for _, instance := range mapping.Instances(p.Beliefs, p.NewContext(b.sim.World(), i)) {
				if !taken[instance.Name] {
					taken[instance.Name] = true
					l.topics = append(l.topics, &beliefTopic{Instance: &instance, simNode: simNode})
				}
			}
		}
	}
	b.beliefs.Store(l)
	return l
}

// Beliefs returns the current beliefs, in the order of the robots in the world. It leaves out robots without beliefs.
// Any goroutine may call it. The first call, and the first call after a pause of beliefIdle, only starts the
// subscriptions and returns nothing.
func (l *Beliefs) Beliefs() (all []belief.Robot) {
	l.keepSubscribed()
	now := l.sim.Clock().Time()
	for _, t := range l.topics {
		said, ok := t.read(now)
		if !ok || t.Context.Sensor != nil {
			continue
		}
		name := t.Context.Robot.Name
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, belief.Robot{Name: name})
		}
		addSaid(&all[len(all)-1], &said)
	}
	return all
}

// ofRobot returns the current beliefs of one robot. Otherwise it is like Beliefs.
func (l *Beliefs) ofRobot(name string) (r belief.Robot) {
	l.keepSubscribed()
	now := l.sim.Clock().Time()
	for _, t := range l.topics {
		if t.Context.Robot.Name != name || t.Context.Sensor != nil {
			continue
		}
		if said, ok := t.read(now); ok {
			addSaid(&r, &said)
		}
	}
	return r
}

// addSaid adds the content of a message to the beliefs of a robot, which keep what they have.
func addSaid(r *belief.Robot, said *mapping.Said) {
	k := &said.Kinds
	r.Pose, r.Path, r.Velocity = cmp.Or(r.Pose, k[0]), cmp.Or(r.Path, k[3]), cmp.Or(r.Velocity, k[4])
	r.Fill(&belief.Things{Ball: k[1], Obstacles: k[2], Goal: k[5], Lines: k[6]})
	r.Status = r.Status.Fill(said.Status)
}

// keepSubscribed starts run in a goroutine. If run is already running, keepSubscribed makes it continue for another
// beliefIdle.
func (l *Beliefs) keepSubscribed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if !l.running && len(l.topics) > 0 && l.ctx.Err() == nil {
		l.running = true
		l.wait.Go(l.run)
	}
}

// run subscribes to the topics. It unsubscribes when Beliefs has not been called for beliefIdle.
func (l *Beliefs) run() {
	err := l.subscribe()
	l.mu.Lock()
	if err != nil && !l.failed && l.ctx.Err() == nil {
		l.failed = true
		l.refused(err)
	}
	l.mu.Unlock()
	for left := beliefIdle; left > 0; {
		select {
		case <-time.After(left):
		case <-l.ctx.Done():
		}
		l.mu.Lock()
		if left = beliefIdle - time.Since(l.asked); l.ctx.Err() != nil {
			left = 0
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	nodes := l.nodes
	l.nodes = map[wire.Node]wire.Node{}
	l.mu.Unlock()
	for _, n := range nodes {
		_ = n.Close() // an error means that the master is gone, which does not matter here
	}
	for _, t := range l.topics {
		t.clear()
	}
	l.mu.Lock()
	l.running = false
	l.mu.Unlock()
}

// subscribe starts the nodes and subscribes to the topics.
func (l *Beliefs) subscribe() (err error) {
	nodes := map[wire.Node]wire.Node{}
	for _, t := range l.topics {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		node := nodes[t.simNode]
		if node == nil {
			if node, err = l.newNode(t.simNode); err != nil {
				return err
			}
			nodes[t.simNode] = node
			l.mu.Lock()
			l.nodes[t.simNode] = node
			l.mu.Unlock()
		}
		receive := func(from *wire.Source, message []byte) { t.receive(from.Def, message, l.sim.Clock().Time()) }
		if _, err := node.SubscribeAny(t.Name, receive); err != nil {
			return err
		}
	}
	return nil
}

// Close ends all subscriptions and waits for run to return. It always returns nil.
func (l *Beliefs) Close() error {
	l.mu.Lock() // after cancel, keepSubscribed does not start run any more
	l.cancel()
	l.mu.Unlock()
	l.wait.Wait()
	return nil
}

// receive stores the first beliefBytes bytes of a message.
func (t *beliefTopic) receive(def *msg.Definition, message []byte, now time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flow.count(now, now)
	t.cut = len(message) > beliefBytes
	t.data = append(t.data[:0], message[:min(len(message), beliefBytes)]...)
	t.def, t.arrived, t.fresh = def, now, true
	if t.Context.Sensor != nil {
		t.keepRecent()
	}
}

// clear drops the newest message.
func (t *beliefTopic) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.def, t.data, t.readers, t.recent, t.ok, t.fresh = nil, nil, nil, nil, false, false
}

// read returns the content of the newest message. ok is false if there is no message, or if the message has expired.
func (t *beliefTopic) read(now time.Duration) (said mapping.Said, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.current(now) {
		return said, false
	}
	if t.fresh {
		t.fresh = false
		t.decode()
	}
	return t.said, t.ok
}

// current reports whether there is a message that has not expired. The caller holds mu.
func (t *beliefTopic) current(now time.Duration) bool {
	// if arrived is far ahead of now, the simulation has restarted
	return t.def != nil && now-t.arrived <= beliefOld && t.arrived <= now+beliefAhead
}

// maxBeliefTypes is the maximum number of message types of one topic. The limit is needed because each publisher of a
// topic may have a different type.
const maxBeliefTypes = 16

// decode decodes the newest message. The caller holds mu.
func (t *beliefTopic) decode() {
	r, known := t.readers[t.def]
	if !known {
		r, _ = t.BeliefReader(t.def) // nil if the definition lacks a field
		if len(t.readers) >= maxBeliefTypes || t.readers == nil {
			t.readers = map[*msg.Definition]*mapping.BeliefReader{}
		}
		t.readers[t.def] = r
	}
	t.ok = false
	if r == nil {
		return
	}
	t.said, t.ok = r.Read(t.data, t.cut)
	stamp := t.said.Stamp
	if !t.said.HasStamp || stamp > t.arrived+beliefAhead || stamp < t.arrived-beliefBehind {
		stamp = t.arrived
	}
	t.said.Stamp = stamp
	for _, b := range t.said.Kinds {
		if b != nil {
			b.Topic, b.Stamp = t.Name, stamp
		}
	}
	if s := t.said.Status; s != nil {
		s.Topic, s.Stamp = t.Name, stamp
	}
}
