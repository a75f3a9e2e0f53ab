package robotio

import (
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// outlet fills one topic from one sensor, from a robot, or from the world.
type outlet struct {
	pub     *ros1.RawPublisher
	tpl     *mapping.Template[*scene]
	scene   scene
	robot   *worlds.Robot   // nil of the world's
	cfg     *sensors.Config // nil of what no sensor feeds
	content content
	levels  []abstraction.Level // of the sensor; nil for all
	fill    func([]byte) []byte // appends the scene

	flow flow
}

// flow is how messages go, in sim time. One goroutine tells it, any may ask.
type flow struct {
	count  atomic.Uint64
	last   atomic.Int64 // stamp of the newest
	delay  atomic.Int64 // of the newest: from stamp to publication
	period atomic.Int64 // of late
}

// told notes a message.
func (f *flow) told(stamp, now time.Duration) {
	const share = 8 // of the past messages that the period is a mean of. Guess: it then follows a change within a second
	gap := int64(stamp) - f.last.Swap(int64(stamp))
	period := f.period.Load()
	if n := f.count.Add(1); n == 2 || gap > 4*period { // the first, or after silence
		f.period.Store(gap)
	} else if n > 2 {
		f.period.Store(period + (gap-period)/share)
	}
	f.delay.Store(int64(now - stamp))
}

// rate is how many messages came of late in a second of sim time.
func (f *flow) rate() float64 {
	if p := time.Duration(f.period.Load()); p > 0 && f.count.Load() > 1 {
		return 1 / p.Seconds()
	}
	return 0
}

// send publishes the scene as it is now.
func (l *outlet) send(now time.Duration) {
	s := &l.scene
	if l.tpl.Silent(s) {
		return
	}
	l.flow.told(s.stamp, now)
	s.blobs = s.blobs[:0]
	tail := l.tpl.Tail(s)
	if tail == nil {
		l.pub.Fill(l.fill, nil, nil)
		s.freeBlobs(0)
		return
	}
	// The tail's blob, which was made first, goes back when it has been sent; others have been copied into the message.
	l.pub.Fill(l.fill, tail, s.blobs[0].free)
	s.freeBlobs(1)
}

// heard tells whether anybody listens.
func (l *outlet) heard() bool { return l.pub.NumSubscribers() > 0 }

// feeds tells whether a level of the sensor feeds the topic.
func (l *outlet) feeds(level abstraction.Level) bool { return l.levels == nil || level.In(l.levels) }

// listener is the outlet as a sensor's.
func (l *outlet) listener(beside bool) omnipitch.Listener {
	return omnipitch.Listener{
		Wants: func(level abstraction.Level) bool { return !beside && l.feeds(level) && l.heard() },
		Observe: func(o *sensors.Observation) {
			if !l.feeds(o.Level) || !l.heard() || !l.content.in(o) {
				return
			}
			l.scene.truth = l.scene.sim.Truth()
			l.scene.observe(o)
			l.send(l.scene.sim.Time())
			l.scene.o = nil
		},
	}
}

// every publishes again and again, from the state after a step; period 0: once, now.
func (l *outlet) every(period time.Duration) {
	s := &l.scene
	tell := func(truth *physics.Snapshot) {
		s.truth, s.stamp = truth, truth.Time
		l.send(truth.Time)
	}
	if period <= 0 {
		tell(s.sim.Truth())
		return
	}
	next := time.Duration(0)
	s.sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Time < next {
			return
		}
		next = truth.Time - truth.Time%period + period
		if l.heard() {
			tell(truth)
		}
	})
}
