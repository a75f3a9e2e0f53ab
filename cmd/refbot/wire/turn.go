package wire

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// turn acknowledges messages. A simulation that waits for the robot with order = "all" sends the next message when the
// one before is acknowledged, so that what the robot hears and what it sees come in one order, whatever threads and
// connections they come by. No other takes notice.
type turn struct {
	acks   *ros1.Publisher[msg.Header]
	topics []string // whose messages come in turn
	ready  bool     // the simulation has been told so
	sent   uint32   // commands, and messages by radio
}

// look is how often it is looked whether a simulation has come, wall time. Guess: a run's start waits for it once.
const look = 10 * time.Millisecond

// begin tells each simulation that comes which topics are taken in turn, as soon as all that the robot publishes would
// reach it.
func (r *Robot) begin(ctx context.Context) {
	t := time.NewTicker(look)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		r.mu.Lock()
		r.turn.look(r.commands.NumSubscribers() > 0 && (r.radio == nil || r.radio.NumSubscribers() > 0))
		r.mu.Unlock()
	}
}

func (t *turn) look(heard bool) {
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
