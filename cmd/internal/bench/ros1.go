package bench

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"gonum.org/v1/gonum/stat"
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
			curves[k].X, curves[k].Y = append(curves[k].X, float64(i)), append(curves[k].Y, report.value(of))
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
			report.add(r.name+"_p99", quantile(0.99, a), r.unit, len(a))
			report.add(r.base+"_p99", quantile(0.99, b), r.unit, len(b))
		}
	}
	for _, name := range []string{"served_call_once_failed", "roscpp_call_once_failed"} {
		report.add(name, 100*stat.Mean(e.rounds[name], nil)/callsOnce, "%", callsOnce*len(e.rounds[name]))
	}
	report.add("image_allocations", median(e.rounds["image_allocations"]), "a message",
		len(e.rounds["image_allocations"]))
}
