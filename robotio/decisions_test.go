package robotio

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds"
)

// Programs receive the referee's decisions with the facts behind them, even if they subscribe later. Without a referee
// there is no such topic.
func TestDecisionsTopic(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		w.Referee = worlds.RefereeAuto
		w.Rules.KickOff, w.Rules.Half = "none", time.Second
		w.Rules.Off = []string{"goal", "ball_out"}
	})
	r.until("half-time", func() bool { return r.sim.Truth().Time > 1100*time.Millisecond })
	got := receive[msg.Decision](r, decisionsTopic, "omnipitch_msgs/Decision")
	want := msg.Decision{
		Header: got.Header, Step: 200, Rule: "half", Reason: "the first half is over", Place: got.Place,
		Command: "half_time",
		Basis:   []msg.Quantity{{Name: "time", Value: 1, Unit: "s", Limit: 1}},
	}
	if diff := cmp.Diff(want, *got); diff != "" || got.Header.Stamp.Since() != time.Second {
		t.Errorf("at %v: (-want +got)\n%s", got.Header.Stamp.Since(), diff)
	}
	for _, topic := range newRig(t, nil).bridge.Topics() {
		if topic.Topic == decisionsTopic {
			t.Error("without a referee there is a topic")
		}
	}
}
