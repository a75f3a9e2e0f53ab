package wire

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// turn acknowledges messages. A simulation that waits for the robot with order = "all" sends the next message when the
// last one is acknowledged. So messages arrive in one order over all threads and connections. Other simulations ignore
// the acknowledgements.
type turn struct {
	acks   *ros1.Publisher[msg.Header]
	topics []string // topics whose messages are acknowledged
	ready  bool     // the simulation has been notified
	sent   uint32   // number of commands and radio messages
}

// pollInterval is the wall time between two checks of announce for a new simulation. 10 ms is a guess: the start of a
// run waits for at most one such interval.
const pollInterval = 10 * time.Millisecond

// announce tells each new simulation which topics the robot acknowledges. It does so once all publishers of the robot
// are connected to that simulation.
func (r *Robot) announce(ctx context.Context) {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		r.mu.Lock()
		r.turn.check(r.commands.NumSubscribers() > 0 && (r.radio == nil || r.radio.NumSubscribers() > 0))
		r.mu.Unlock()
	}
}

func (t *turn) check(heard bool) {
	switch waits := t.acks.NumSubscribers() > 0; {
	case !waits:
		t.ready = false
	case heard && !t.ready:
		t.ready, t.sent = true, 0
		for _, topic := range append(t.topics, "") {
			t.acks.Publish(&msg.Header{FrameID: topic})
		}
	}
}

// done acknowledges a message of a topic.
func (t *turn) done(topic string) {
	if t.ready {
		t.acks.Publish(&msg.Header{Seq: t.sent, FrameID: topic})
	}
}
