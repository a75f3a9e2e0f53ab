package bench

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/cmd/bench/rospeer"
)

// Rates at which messages are published: a camera's and a fast controller's.
const (
	cameraRate   = 30.0
	odometryRate = 1000.0
)

// wire is who takes part, and what was measured: one value a round, and the latencies of all rounds.
type wire struct {
	pub, sub, cppPub, cppSub *rospeer.Process

	turn           time.Duration
	rounds, pooled map[string][]float64
}

func (w *wire) note(name string, value float64) { w.rounds[name] = append(w.rounds[name], value) }

// latencies notes a turn's latencies or round trips, in ms.
func (w *wire) latencies(name string, ns []int64) {
	ms := make([]float64, len(ns))
	for i := range ns {
		ms[i] = float64(ns[i]) / 1e6
	}
	w.note(name, median(ms))
	w.pooled[name] = append(w.pooled[name], ms...)
}

// carry has one node publish or film for another for a turn, and returns what both say.
func (w *wire) carry(command string, from, to *rospeer.Process, topic string, rate float64, turn time.Duration) (sent, got rospeer.Answer, err error) {
	if _, err = to.Ask("take %s", topic); err != nil {
		return
	}
	if sent, err = from.Ask("%s %s %g %d", command, topic, rate, turn); err != nil {
		return
	}
	time.Sleep(settle)
	if got, err = to.Ask("take %s", topic); err == nil && len(got.NS) < 2 {
		err = fmt.Errorf("%s: %d of %d messages arrived in a turn of %v: must be at least 2", topic, len(got.NS), sent.Sent, turn)
	}
	return
}

// settle is how long what is on its way may take to arrive. Measured: up to 54 ms behind a publisher that never pauses.
const settle = 200 * time.Millisecond

// images measures cameras, and what is the most that passes.
func (w *wire) images() error {
	for _, t := range []struct {
		name, received, pair string
		from, to             *rospeer.Process
		topic, unheard       string
	}{
		{"image", "", "", w.pub, w.cppSub, "/ours/image", "/ours/unheard"},
		{"", "", "pair_image", w.pub, w.sub, "/ours/image_to_ours", ""},
		{"roscpp_image", "roscpp_received_image", "roscpp_pair_image", w.cppPub, w.cppSub, "/theirs/image", "/theirs/unheard"},
		{"", "received_image", "", w.cppPub, w.sub, "/theirs/image_to_ours", ""},
	} {
		sent, got, err := w.carry("film", t.from, t.to, t.topic, cameraRate, w.turn)
		if err != nil {
			return err
		}
		most, err := w.most(t.from, t.to, t.topic)
		if err != nil {
			return err
		}
		if t.name != "" {
			unheard, err := t.from.Ask("film %s %g %d", t.unheard, cameraRate, w.turn)
			if err != nil {
				return err
			}
			w.note(t.name+"_process_cpu", sent.CPUPer(sent.Sent))
			w.note(t.name+"_cpu", sent.CPUPer(sent.Sent)-unheard.CPUPer(unheard.Sent))
			w.note(t.name+"_allocations", float64(sent.Mallocs)/float64(sent.Sent)-float64(unheard.Mallocs)/float64(unheard.Sent))
		}
		if t.received != "" {
			w.note(t.received+"_cpu", got.CPUPer(int64(len(got.NS))))
		}
		if t.pair != "" {
			w.note(t.pair+"_cpu", sent.CPUPer(sent.Sent)+got.CPUPer(int64(len(got.NS))))
		}
		for _, name := range []string{t.name, t.received, t.pair} {
			if name != "" {
				w.latencies(name+"_latency", got.NS)
				w.note(name+"_rate", most)
			}
		}
	}
	return nil
}

// most returns how many images a second arrive at most, whatever the rate at which they are published: one that is too high costs a
// publisher that encodes what it then drops.
func (w *wire) most(from, to *rospeer.Process, topic string) (float64, error) {
	most := 0.0
	for _, rate := range offered {
		_, got, err := w.carry("publish", from, to, topic, rate, w.turn/2)
		if err != nil {
			return 0, err
		}
		most = max(most, float64(len(got.NS)-1)/time.Duration(got.Span).Seconds())
	}
	return most, nil
}

// offered are rates, Hz; 0 is without pause.
var offered = []float64{2500, 3500, 5000, 0}

func (w *wire) odometry() error {
	for _, t := range []struct {
		name  string
		from  *rospeer.Process
		topic string
	}{{"odometry_latency", w.pub, "/ours/odometry"}, {"roscpp_odometry_latency", w.cppPub, "/theirs/odometry"}} {
		_, got, err := w.carry("publish", t.from, w.cppSub, t.topic, odometryRate, w.turn)
		if err != nil {
			return err
		}
		w.latencies(t.name, got.NS)
	}
	return nil
}

// Calls in a turn. A connection for each call takes ten times as long.
const (
	callsKept = 1000
	callsOnce = 100
)

func (w *wire) services() error {
	for _, t := range []struct {
		name    string
		from    *rospeer.Process
		service string
	}{
		{"served_call", w.cppSub, "/ours/ball"}, {"call", w.sub, "/theirs/ball"}, {"roscpp_call", w.cppSub, "/theirs/ball"},
	} {
		kept, err := t.from.Ask("call %s %d 1", t.service, callsKept)
		if err != nil {
			return err
		}
		once, err := t.from.Ask("call %s %d 0", t.service, callsOnce)
		if err != nil {
			return err
		}
		w.latencies(t.name+"_latency", kept.NS)
		w.latencies(t.name+"_once_latency", once.NS)
		w.note(t.name+"_once_failed", float64(once.Lost))
	}
	return nil
}
