package main

import (
	"context"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// simulate runs a world with the robots' programs that it names, each on nodes of its own over TCP, as processes would be.
func simulate(t *testing.T, name string, seed uint64) *omnipitch.Report {
	t.Helper()
	w, err := worlds.LoadWithSeed(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	bridge, err := robotio.NewBridge(sim, node, robotio.Options{Refused: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer bridge.Close()

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for i := range w.Programs {
		p := &w.Programs[i]
		var c cli
		if _, err := must(kong.New(&c))(t).Parse(p.Command[1:]); err != nil {
			t.Fatal(err)
		}
		c.MasterURI = master.URI()
		if r, ok := w.Robot(p.Robot); ok {
			c.Robots = mapping.Namespace(r)
		}
		go func() { ended <- c.run(ctx) }()
	}
	report, err := sim.Run(ctx, omnipitch.Pace{For: w.Test.For, Speed: timesync.Lockstep})
	stop()
	for range w.Programs {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// judged fails the test for each expectation that has not passed.
func judged(t *testing.T, report *omnipitch.Report) {
	t.Helper()
	if len(report.Verdicts) == 0 {
		t.Error("the world expects nothing")
	}
	for _, v := range report.Verdicts {
		if v.Outcome != expectation.Passed {
			t.Error(v)
		}
	}
}

// Each skill has a world, in which the robot does what the world expects.
func TestSkills(t *testing.T) {
	for _, world := range []string{"shot"} {
		t.Run(world, func(t *testing.T) { judged(t, simulate(t, "worlds/"+world+".toml", 1)) })
	}
}
