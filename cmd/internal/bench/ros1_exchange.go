package bench

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
)

// Message rates: a camera's and a fast controller's.
const (
	cameraRate   = 30.0
	odometryRate = 1000.0
)

// exchange contains the communicating nodes and the measurements: one value per round, and the pooled latencies.
type exchange struct {
	pub, sub, cppPub, cppSub *rospeer.Process

	turn           time.Duration
	rounds, pooled map[string][]float64
}

func (e *exchange) note(name string, value float64) { e.rounds[name] = append(e.rounds[name], value) }

// latencies adds latencies or round-trip times of a turn, in ms.
func (e *exchange) latencies(name string, ns []int64) {
	ms := make([]float64, len(ns))
	for i := range ns {
		ms[i] = float64(ns[i]) / 1e6
	}
	e.note(name, median(ms))
	e.pooled[name] = append(e.pooled[name], ms...)
}

// carry lets one node publish messages to another for the duration of a turn, and returns the answers of both nodes.
// Depending on the command, the sender also renders each image before it publishes it.
func (e *exchange) carry(command string, from, to *rospeer.Process, topic string, rate float64,
	turn time.Duration) (sent, got rospeer.Answer, err error) {
	if _, err = to.Ask("take %s", topic); err != nil {
		return
	}
	if sent, err = from.Ask("%s %s %g %d", command, topic, rate, turn); err != nil {
		return
	}
	time.Sleep(settle)
	if got, err = to.Ask("take %s", topic); err == nil && len(got.NS) < 2 {
		err = fmt.Errorf("%s: %d of %d messages arrived in a turn of %v: must be at least 2", topic, len(got.NS),
			sent.Sent, turn)
	}
	return
}

// settle is the wall time allowed for messages to arrive. Measured: the last message arrives up to 54 ms after the end
// of a publisher that never pauses.
const settle = 200 * time.Millisecond

// images measures the latency of images at a camera's rate, and the highest rate at which images arrive.
func (e *exchange) images() error {
	for _, t := range []struct {
		name, received, pair string
		from, to             *rospeer.Process
		topic, unsubscribed  string
	}{
		{"image", "", "", e.pub, e.cppSub, "/ours/image", "/ours/unsubscribed"},
		{"", "", "pair_image", e.pub, e.sub, "/ours/image_to_ours", ""},
		{"roscpp_image", "roscpp_received_image", "roscpp_pair_image", e.cppPub, e.cppSub, "/theirs/image",
			"/theirs/unsubscribed"},
		{"", "received_image", "", e.cppPub, e.sub, "/theirs/image_to_ours", ""},
	} {
		sent, got, err := e.carry("draw", t.from, t.to, t.topic, cameraRate, e.turn)
		if err != nil {
			return err
		}
		most, err := e.most(t.from, t.to, t.topic)
		if err != nil {
			return err
		}
		if t.name != "" {
			unsubscribed, err := t.from.Ask("draw %s %g %d", t.unsubscribed, cameraRate, e.turn)
			if err != nil {
				return err
			}
			e.note(t.name+"_process_cpu", sent.CPUPer(sent.Sent))
			e.note(t.name+"_cpu", sent.CPUPer(sent.Sent)-unsubscribed.CPUPer(unsubscribed.Sent))
			e.note(t.name+"_allocations",
				float64(sent.Mallocs)/float64(sent.Sent)-float64(unsubscribed.Mallocs)/float64(unsubscribed.Sent))
		}
		if t.received != "" {
			e.note(t.received+"_cpu", got.CPUPer(int64(len(got.NS))))
		}
		if t.pair != "" {
			e.note(t.pair+"_cpu", sent.CPUPer(sent.Sent)+got.CPUPer(int64(len(got.NS))))
		}
		for _, name := range []string{t.name, t.received, t.pair} {
			if name != "" {
				e.latencies(name+"_latency", got.NS)
				e.note(name+"_rate", most)
			}
		}
	}
	return nil
}

// most returns the highest rate, in Hz, at which images arrive. It tries several publishing rates, because above a
// certain rate the publisher wastes time on images that it drops.
func (e *exchange) most(from, to *rospeer.Process, topic string) (float64, error) {
	most := 0.0
	for _, rate := range offered {
		_, got, err := e.carry("publish", from, to, topic, rate, e.turn/2)
		if err != nil {
			return 0, err
		}
		most = max(most, float64(len(got.NS)-1)/time.Duration(got.Span).Seconds())
	}
	return most, nil
}

// offered are the publishing rates, Hz; 0 means without pause.
var offered = []float64{2500, 3500, 5000, 0}

func (e *exchange) odometry() error {
	for _, t := range []struct {
		name  string
		from  *rospeer.Process
		topic string
	}{{"odometry_latency", e.pub, "/ours/odometry"}, {"roscpp_odometry_latency", e.cppPub, "/theirs/odometry"}} {
		_, got, err := e.carry("publish", t.from, e.cppSub, t.topic, odometryRate, e.turn)
		if err != nil {
			return err
		}
		e.latencies(t.name, got.NS)
	}
	return nil
}

// Numbers of calls in a turn. A call with its own connection takes ten times as long.
const (
	callsKept = 1000
	callsOnce = 100
)

func (e *exchange) services() error {
	for _, t := range []struct {
		name    string
		from    *rospeer.Process
		service string
	}{
		{"served_call", e.cppSub, "/ours/ball"}, {"call", e.sub, "/theirs/ball"}, {"roscpp_call", e.cppSub,
			"/theirs/ball"},
	} {
		kept, err := t.from.Ask("call %s %d 1", t.service, callsKept)
		if err != nil {
			return err
		}
		once, err := t.from.Ask("call %s %d 0", t.service, callsOnce)
		if err != nil {
			return err
		}
		e.latencies(t.name+"_latency", kept.NS)
		e.latencies(t.name+"_once_latency", once.NS)
		e.note(t.name+"_once_failed", float64(once.Lost))
	}
	return nil
}
