package robotio

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Beliefs are what robots' programs say that they believe, on the topics that the beliefs of the robots' profiles name.
// They are subscribed to while somebody asks for them, by nodes of their own, which do not connect to the simulator's:
// so no sensor has a listener more, no robot one that it is waited for, and nothing of a run depends on who looks.
// Messages are read when somebody asks: of each topic only the newest is kept.
type Beliefs struct {
	sim     *omnipitch.Sim
	newNode func(beside *ros1.Node) (*ros1.Node, error)
	refused func(error)
	topics  []*beliefTopic // by robot, in the order of its profiles
	ctx     context.Context
	cancel  context.CancelFunc
	wait    sync.WaitGroup

	mu      sync.Mutex
	nodes   map[*ros1.Node]*ros1.Node // that subscribe, by the simulator's at the same master
	running bool
	asked   time.Time // wall time of the last question
	told    bool      // that topics could not be subscribed to
}

// Wall times and bounds of beliefs. Guesses.
const (
	beliefIdle  = 2 * time.Second // without a question, after which nothing is subscribed to any more
	beliefBytes = 1 << 20         // kept of a message: the rest of a longer one is not read
)

// Sim times of beliefs. Guesses: programs repeat what they believe several times a second, and some predict it for when
// it arrives.
const (
	beliefOld   = 3 * time.Second        // after which what was said last counts no more
	beliefAhead = 500 * time.Millisecond // that a stamp may be ahead of the clock
	// that a stamp may be behind what the clock was when the message came; else it is a stamp of another clock
	beliefBehind = time.Minute
)

// beliefTopic is a topic of one robot.
type beliefTopic struct {
	*mapping.Instance
	beside *ros1.Node // the simulator's node at the master

	mu      sync.Mutex
	readers map[*msg.Definition]*mapping.BeliefReader // nil of those that have not the fields
	def     *msg.Definition                           // of the newest message; nil: none has come
	data    []byte
	cut     bool
	arrived time.Duration // sim time
	fresh   bool          // it has not been read
	said    mapping.Said
	ok      bool // something in it could be read
	flow    flow
}

// NewBeliefs returns the beliefs of a bridge's robots. newNode starts a node at the master of one of the bridge's,
// which does not connect to that: see ros1.NodeConfig.Ignore. refused gets, on any goroutine, the error with which
// beliefs cannot be subscribed to.
func NewBeliefs(b *Bridge, newNode func(beside *ros1.Node) (*ros1.Node, error), refused func(error)) *Beliefs {
	l := &Beliefs{sim: b.sim, newNode: newNode, refused: refused, nodes: map[*ros1.Node]*ros1.Node{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	for i := range b.sim.World().Robots {
		r := &b.sim.World().Robots[i]
		beside := b.main
		if own := b.ownNodes[r.Name]; own != nil {
			beside = own
		}
		taken := map[string]bool{}
		for _, name := range mapping.ProfilesOf(r) {
			p := b.profiles[name]
			for _, instance := range mapping.Instances(p.Beliefs, p.NewContext(b.sim.World(), i)) {
				if !taken[instance.Name] {
					taken[instance.Name] = true
					l.topics = append(l.topics, &beliefTopic{Instance: &instance, beside: beside})
				}
			}
		}
	}
	return l
}

// Beliefs returns what all robots of which something is known believe, in their order in the world. Any goroutine may
// call it; the first call, and one after a while without any, has the topics subscribed to.
func (l *Beliefs) Beliefs() (all []belief.Robot) {
	l.ask()
	now := l.sim.Clock().Time()
	for _, t := range l.topics {
		said, ok := t.read(now)
		if !ok {
			continue
		}
		name := t.Context.Robot.Name
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, belief.Robot{Name: name})
		}
		r := &all[len(all)-1]
		r.Pose, r.Ball = cmp.Or(r.Pose, said[0]), cmp.Or(r.Ball, said[1])
		r.Obstacles, r.Path = cmp.Or(r.Obstacles, said[2]), cmp.Or(r.Path, said[3])
	}
	return all
}

// ask has the topics subscribed to for a while.
func (l *Beliefs) ask() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if !l.running && len(l.topics) > 0 && l.ctx.Err() == nil {
		l.running = true
		l.wait.Go(l.run)
	}
}

// run subscribes to the topics until nobody has asked for long enough.
func (l *Beliefs) run() {
	err := l.subscribe()
	l.mu.Lock()
	if err != nil && !l.told && l.ctx.Err() == nil {
		l.told = true
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
	l.nodes = map[*ros1.Node]*ros1.Node{}
	l.mu.Unlock()
	for _, n := range nodes {
		_ = n.Close() // fails when the master is gone, which is no concern here
	}
	for _, t := range l.topics {
		t.forget()
	}
	l.mu.Lock()
	l.running = false
	l.mu.Unlock()
}

// subscribe opens nodes and topics.
func (l *Beliefs) subscribe() (err error) {
	nodes := map[*ros1.Node]*ros1.Node{}
	for _, t := range l.topics {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		node := nodes[t.beside]
		if node == nil {
			if node, err = l.newNode(t.beside); err != nil {
				return err
			}
			nodes[t.beside] = node
			l.mu.Lock()
			l.nodes[t.beside] = node
			l.mu.Unlock()
		}
		take := func(from *ros1.Source, message []byte) { t.take(from.Def, message, l.sim.Clock().Time()) }
		if _, err := ros1.SubscribeRaw(node, t.Name, take); err != nil {
			return err
		}
	}
	return nil
}

// Close ends all subscriptions, and waits for that. It always returns nil.
func (l *Beliefs) Close() error {
	l.mu.Lock() // who asks now has begun, or will not
	l.cancel()
	l.mu.Unlock()
	l.wait.Wait()
	return nil
}

// take keeps a message, or its beginning.
func (t *beliefTopic) take(def *msg.Definition, message []byte, now time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flow.count(now, now)
	t.cut = len(message) > beliefBytes
	t.data = append(t.data[:0], message[:min(len(message), beliefBytes)]...)
	t.def, t.arrived, t.fresh = def, now, true
}

// forget drops what was said.
func (t *beliefTopic) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.def, t.data, t.readers, t.ok, t.fresh = nil, nil, nil, false, false
}

// read returns what the newest message says, if it counts at a time.
func (t *beliefTopic) read(now time.Duration) (said [4]*belief.Belief, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.def == nil || now-t.arrived > beliefOld || t.arrived > now+beliefAhead { // time may have begun again
		return said, false
	}
	if t.fresh {
		t.fresh = false
		t.decode()
	}
	return t.said.Kinds, t.ok
}

// maxBeliefTypes bounds the types of one topic: each publisher that comes may have another.
const maxBeliefTypes = 16

// decode reads the newest message. mu is held.
func (t *beliefTopic) decode() {
	r, known := t.readers[t.def]
	if !known {
		r, _ = t.BeliefReader(t.def) // nil: it has other fields
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
	for _, b := range t.said.Kinds {
		if b != nil {
			b.Topic, b.Stamp = t.Name, stamp
		}
	}
}
