package compare

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/wire"
)

// maxMeasured is the maximum number of topics whose rates are measured, because a node's connections are limited; a
// guess.
const maxMeasured = 512

// rates counts the messages that arrived in a window of time.
type rates struct {
	wall   time.Duration
	sim    time.Duration    // length of the window in sim time; 0 without a clock, or if the clock did not advance
	clock  bool             // whether /clock has a publisher
	ticks  int64            // messages of /clock
	counts map[string]int64 // number of messages of each measured topic
	// senders holds the publishers from which a message of a measured topic has arrived, before or in the window
	senders map[endpoint]bool
}

// measure subscribes to topics and to the clock and counts their messages during a window of wall time.
func (s *system) measure(ctx context.Context, topics []string, window time.Duration) (*rates, error) {
	r := &rates{counts: map[string]int64{}, senders: map[endpoint]bool{}, clock: len(s.Publishers["/clock"]) > 0}
	var now, ticks atomic.Int64
	var senders sync.Map // with endpoints as keys
	if r.clock {
		sub, err := s.node.SubscribeAny("/clock", func(from *wire.Source, b []byte) {
			if from.Def.ROS2() && len(b) >= 12 {
				b = b[4:12] // without the encapsulation, and what may follow
			}
			if from.Def.Name == "rosgraph_msgs/Clock" && len(b) == 8 {
				now.Store(int64(binary.LittleEndian.Uint32(b))*1e9 + int64(binary.LittleEndian.Uint32(b[4:])))
				ticks.Add(1)
			}
		})
		if err != nil {
			return nil, err
		}
		defer sub.Close()
	}
	counters := map[string]*atomic.Int64{}
	subs := map[string]wire.Subscriber{}
	for _, topic := range topics {
		if len(subs) == maxMeasured || subs[topic] != nil {
			continue
		}
		n := new(atomic.Int64)
		sub, err := s.node.SubscribeAny(topic, func(from *wire.Source, _ []byte) {
			n.Add(1)
			senders.LoadOrStore(endpoint{topic, from.Publisher}, nil)
		})
		if err != nil {
			return nil, err
		}
		defer sub.Close()
		subs[topic], counters[topic] = sub, n
	}
	connecting, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	for topic, sub := range subs {
		for len(sub.Connections()) < len(s.Publishers[topic]) && wait(connecting, 5*time.Millisecond) {
			continue
		}
	}
	wait(ctx, connectTime/5) // do not count latched messages and the first image of a camera
	begin := map[string]int64{}
	for topic, n := range counters {
		begin[topic] = n.Load()
	}
	wall, sim, tick := time.Now(), now.Load(), ticks.Load()
	if !wait(ctx, window) {
		return nil, ctx.Err()
	}
	r.wall, r.ticks = time.Since(wall), ticks.Load()-tick
	if sim > 0 {
		r.sim = time.Duration(now.Load() - sim)
	}
	for topic, n := range counters {
		r.counts[topic] = n.Load() - begin[topic]
	}
	senders.Range(func(sender, _ any) bool { r.senders[sender.(endpoint)] = true; return true })
	return r, nil
}

// span returns the length of the window in seconds: sim time if there is a clock, else wall time. It is 0 if the clock
// did not advance.
func (r *rates) span() float64 {
	if r.clock {
		return max(0, r.sim.Seconds())
	}
	return r.wall.Seconds()
}

// of returns the rate of a topic, or nil if the rate was not measured.
func (r *rates) of(topic string) *float64 {
	n, measured := r.counts[topic]
	if !measured || r.span() <= 0 {
		return nil
	}
	f := float64(n) / r.span()
	return &f
}

// wait waits for a time, and returns false if ctx ends first.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
