package robotio

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/sensors"
)

// topicPublisher publishes one topic from one sensor, a robot, or the world.
type topicPublisher struct {
	*mapping.Instance
	bridge *Bridge
	node   wire.Node // node that publishes the topic
	pub    wire.Publisher
	fill   func([]byte) []byte // appends a message, with values from the Instance's context, to a slice
	watch  wire.Subscriber     // finds other publishers, for a topic whose entry has the key "alone"; else nil
	flow   flow
	// observations that wait for the results of the robot's programs, see observeSettled
	waiting []*sensors.Observation
	marks   markSwitches // of a marked image
	seq     uint32       // sequence number of the next message; it depends on sim time only, not on subscribers
}

// publish sets up a topic. Instances that publish the same topic, for example transforms, share one publisher.
func (b *Bridge) publish(n *node, i *mapping.Instance) error {
	pub, once := n.pubs[i.Name], i.Context.Sensor == nil && i.Publish.Rate == 0
	if pub == nil {
		var err error
		pub, err = n.Advertise(i.Name, i.Topic, wire.PubOptions{Queue: i.Queue, Latch: once,
			BestEffort: i.Publish.BestEffort})
		if err := b.closeLater(pub, err); err != nil {
			return err
		}
		n.pubs[i.Name] = pub
	}
	p := &topicPublisher{Instance: i, bridge: b, node: n.Node, pub: pub}
	p.fill = func(into []byte) []byte { return i.Template.Append(into, &i.Context) }
	if i.Publish.Alone {
		var err error
		p.watch, err = n.SubscribeOthers(i.Name, i.Topic, func([]byte) error { return nil })
		if err := b.closeLater(p.watch, err); err != nil {
			return err
		}
	}
	if i.TeamMessages() {
		if err := b.team.listen(b, p); err != nil {
			return err
		}
	}
	b.mu.Lock()
	b.publishers = append(b.publishers, p)
	b.mu.Unlock()
	switch c := &i.Context; {
	case c.Sensor != nil:
		return n.topicsOf(c.Robot.Name+"."+c.Sensor.Name, p, func(g *topicGroup) error {
			return b.listen(c.Robot.Name, c.Sensor.Name, g.listener())
		})
	case once:
		p.sendState(b.sim.Truth())
	default:
		return n.topicsOf("", p, func(g *topicGroup) error {
			step := b.sim.World().Time.Step
			b.sim.OnStep(func(truth *physics.Snapshot) {
				for _, p := range g.now().subscribed {
					p.sendPeriodically(truth, step)
				}
			})
			return nil
		})
	}
	return nil
}

// observeNow publishes an observation if a subscriber wants it, at once or when its beliefs are known.
func (p *topicPublisher) observeNow(o *sensors.Observation) {
	l := p.bridge.beliefs.Load()
	switch {
	case !p.FedBy(o) || !p.wanted():
		p.dropWaiting()
	case l != nil && p.Believed():
		p.observeSettled(o, l)
	default:
		p.observe(o)
	}
}

// observe publishes an observation.
func (p *topicPublisher) observe(o *sensors.Observation) {
	if p.Marked() {
		p.Context.HiddenMarks = p.marks.hiddenNow(p)
	}
	p.Context.Truth = p.bridge.sim.Truth()
	p.Context.Observe(o)
	p.seq = uint32(o.Frame) + 1
	p.send(p.bridge.sim.Truth().Time)
	p.Context.Observation = nil
}

// sendPeriodically publishes the state once per period of sim time, after the first step in the period. It does not
// store the time of the last publication, because a replay may jump to another time.
func (p *topicPublisher) sendPeriodically(truth *physics.Snapshot, step time.Duration) {
	if period := p.Publish.Rate; truth.Time%period < step && p.wanted() {
		p.seq = uint32(truth.Time/max(period, step)) + 1
		p.sendState(truth)
	}
}

func (p *topicPublisher) sendState(truth *physics.Snapshot) {
	p.Context.Truth, p.Context.Stamp = truth, truth.Time
	if l := p.bridge.beliefs.Load(); l != nil && p.Believed() {
		p.Context.Believed = l.ofRobot(p.Context.Robot.Name)
	}
	p.send(truth.Time)
}

// send publishes a message from the current context.
func (p *topicPublisher) send(now time.Duration) {
	c := &p.Context
	if p.Template.Silent(c) {
		return
	}
	p.flow.count(c.Stamp, now)
	tail, free := p.Template.Tail(c)
	p.pub.Fill(p.seq, p.fill, tail, free)
	c.FreeBlobs()
}

// wanted reports whether a message published now would reach a subscriber.
func (p *topicPublisher) wanted() bool {
	r := p.Context.Robot
	return p.pub.NumSubscribers() > 0 && (r == nil || p.bridge.sim.Match().Wired(r.Name)) && !p.others()
}

// others reports whether the topic's entry has the key alone and other nodes publish the topic.
func (p *topicPublisher) others() bool {
	return p.watch != nil && slices.ContainsFunc(p.watch.Connections(),
		func(c wire.Connection) bool { return c.Node != p.node.Name() })
}

// flow measures the rate of a topic in messages per second of sim time. One goroutine counts messages; any goroutine
// may read the rate.
type flow struct {
	messages atomic.Uint64
	last     atomic.Int64 // stamp of the newest message, ns of sim time
	delay    atomic.Int64 // sim time from the stamp of the newest message to its publication, ns
	period   atomic.Int64 // moving average of the time between messages, ns of sim time
}

// count counts a message with a stamp. now is the sim time at which the message is published or received.
func (f *flow) count(stamp, now time.Duration) {
	// The newest period has the weight 1/8 in the average. 8 is a guess: the average follows a change within a second.
	const share = 8
	gap := int64(stamp) - f.last.Swap(int64(stamp))
	period := f.period.Load()
	if n := f.messages.Add(1); gap < 0 {
		// The clock has restarted.
	} else if n == 2 || gap > 4*period { // the first period, or the first period after a gap
		f.period.Store(gap)
	} else if n > 2 {
		f.period.Store(period + (gap-period)/share)
	}
	f.delay.Store(int64(now - stamp))
}

// rate returns the recent number of messages per second of sim time.
func (f *flow) rate() float64 {
	if p := time.Duration(f.period.Load()); p > 0 && f.messages.Load() > 1 {
		return 1 / p.Seconds()
	}
	return 0
}

// silence is the minimum sim time since the newest message after which the rate of a topic is 0. 1 s is a guess: robots
// send commands far more often.
const silence = time.Second

// rateAt is like rate, but returns 0 if the newest message is too old. now is the present sim time.
func (f *flow) rateAt(now time.Duration) float64 {
	if since := now - time.Duration(f.last.Load()); since > max(silence, 4*time.Duration(f.period.Load())) {
		return 0
	}
	return f.rate()
}
