package bench

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// ROS1 measures latency and rate of ROS 1 messages and service calls.
type ROS1 struct {
	For    time.Duration `default:"2s" help:"Wall time of a measurement."`
	Rounds int           `default:"5" help:"Number of measurements of each kind."`
	plotFlag
	JSON bool `help:"Print one JSON object."`
}

// Check validates the flags.
func (c *ROS1) Check() error {
	if c.For <= 0 {
		return fmt.Errorf("--for = %v: must be positive", c.For)
	}
	return atLeast1("--rounds", c.Rounds)
}

// Run measures and prints.
func (c *ROS1) Run(ctx context.Context, con console.Streams) error {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	report := newReport("ros1")
	err := c.exchange(ctx, con, report)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	if err := c.plotFlag.write([]experiment.Plot{ros1Latencies(report)}); err != nil {
		return err
	}
	return report.print(con.Out, c.JSON)
}

// ros1Latencies plots median and 99th percentile of latencies, ours and roscpp's.
func ros1Latencies(report *Report) experiment.Plot {
	p := experiment.Plot{Name: "ros1-latency", Title: "How long messages and calls take", YLabel: "latency, ms",
		LogY: true}
	curves := []experiment.Curve{{Name: "ours, median"}, {Name: "roscpp, median"}, {Name: "ours, 99 % within"},
		{Name: "roscpp, 99 % within"}}
	for i, name := range []string{"image", "pair_image", "received_image", "odometry", "call"} {
		p.Names = append(p.Names, strings.ReplaceAll(name, "_", " "))
		for k, of := range []string{name + "_latency", "roscpp_" + name + "_latency", name + "_latency_p99",
			"roscpp_" + name + "_latency_p99"} {
			curves[k].Add(float64(i), report.value(of))
		}
	}
	p.Curves = curves
	return p
}

// exchange measures our nodes and roscpp's alternately, so that a change of the machine's speed affects both alike.
func (c *ROS1) exchange(ctx context.Context, con console.Streams, report *Report) error {
	home, err := os.MkdirTemp("", "omnipitch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	program, err := rospeer.CompileRoscpp(ctx, home)
	if err != nil {
		return err
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer master.Close()
	e := &exchange{turn: c.For, rounds: map[string][]float64{}, pooled: map[string][]float64{}}
	for _, p := range []struct {
		peer          **rospeer.Process
		program, name string
		roles         string
	}{
		{&e.pub, "", "ours", "publish image /ours/image publish image /ours/image_to_ours publish image " +
			"/ours/unsubscribed " +
			"publish odometry /ours/odometry serve ball /ours/ball"},
		{&e.cppPub, program, "theirs", "publish image /theirs/image publish image /theirs/image_to_ours publish " +
			"image /theirs/unsubscribed " +
			"publish odometry /theirs/odometry serve ball /theirs/ball"},
		{&e.sub, "", "listener", "subscribe image /ours/image_to_ours subscribe image /theirs/image_to_ours"},
		{&e.cppSub, program, "their_listener", "subscribe image /ours/image subscribe image /theirs/image " +
			"subscribe odometry /ours/odometry subscribe odometry /theirs/odometry"},
	} {
		started, err := rospeer.Start(ctx, master.URI(), home, p.program, p.name, strings.Fields(p.roles)...)
		if err != nil {
			return err
		}
		defer started.Kill()
		*p.peer = started
	}
	for topic, from := range map[string]*rospeer.Process{"/ours/image": e.pub, "/ours/image_to_ours": e.pub,
		"/ours/odometry": e.pub,
		"/theirs/image":  e.cppPub, "/theirs/odometry": e.cppPub, "/theirs/image_to_ours": e.cppPub} {
		if _, err := from.Ask("await %s", topic); err != nil {
			return err
		}
	}
	for i := range c.Rounds + 1 {
		for _, measure := range []func() error{e.images, e.odometry, e.services} {
			if err := measure(); err != nil {
				return err
			}
		}
		if i == 0 { // the first round is a warm-up
			clear(e.rounds)
			clear(e.pooled)
		}
		fmt.Fprintf(con.Notes(), "round %d of %d: measured\n", i, c.Rounds)
	}
	e.into(report)
	return nil
}

// into adds our figures and roscpp's to a report.
func (e *exchange) into(report *Report) {
	for _, r := range []struct{ unit, name, base string }{
		{"ms", "image_latency", "roscpp_image_latency"},
		{"ms", "image_cpu", "roscpp_image_cpu"},
		{"ms", "image_process_cpu", "roscpp_image_process_cpu"},
		{"Hz", "image_rate", "roscpp_image_rate"},
		{"ms", "pair_image_latency", "roscpp_pair_image_latency"},
		{"ms", "pair_image_cpu", "roscpp_pair_image_cpu"},
		{"Hz", "pair_image_rate", "roscpp_pair_image_rate"},
		{"ms", "odometry_latency", "roscpp_odometry_latency"},
		{"ms", "received_image_latency", "roscpp_received_image_latency"},
		{"ms", "received_image_cpu", "roscpp_received_image_cpu"},
		{"Hz", "received_image_rate", "roscpp_received_image_rate"},
		{"ms", "served_call_latency", "roscpp_call_latency"},
		{"ms", "served_call_once_latency", "roscpp_call_once_latency"},
		{"ms", "call_latency", "roscpp_call_latency"},
		{"ms", "call_once_latency", "roscpp_call_once_latency"},
	} {
		report.compare(r.unit, r.name, r.base, e.rounds[r.name], e.rounds[r.base])
		if a, b := e.pooled[r.name], e.pooled[r.base]; a != nil {
			report.add(r.name+"_p99", percentile99(a), r.unit, len(a))
			report.add(r.base+"_p99", percentile99(b), r.unit, len(b))
		}
	}
	for _, name := range []string{"served_call_once_failed", "roscpp_call_once_failed"} {
		report.add(name, 100*stat.Mean(e.rounds[name], nil)/callsOnce, "%", callsOnce*len(e.rounds[name]))
	}
	report.add("image_allocations", median(e.rounds["image_allocations"]), "a message",
		len(e.rounds["image_allocations"]))
}

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
