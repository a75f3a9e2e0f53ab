package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// ROS2 measures latency and rate of images over ROS 2 and ROS 1.
type ROS2 struct {
	For    time.Duration `default:"2s" help:"Wall time of a measurement."`
	Rounds int           `default:"5" help:"Number of measurements of each kind."`
	Topics int           `default:"20" help:"Number of topics with images at 30 Hz."`
	JSON   bool          `help:"Print one JSON object."`
}

// Check validates the flags.
func (c *ROS2) Check() error {
	if c.For <= 0 {
		return fmt.Errorf("--for = %v: must be positive", c.For)
	}
	if c.Topics < 1 || c.Topics > 100 {
		return fmt.Errorf("--topics = %d: must lie in [1, 100]", c.Topics)
	}
	return atLeast1("--rounds", c.Rounds)
}

// Run measures and prints.
func (c *ROS2) Run(ctx context.Context, con console.Streams) error {
	report := newReport("ros2")
	err := c.exchange(ctx, con, report)
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	return report.print(con.Out, c.JSON)
}

// wire has a process that publishes and one that subscribes, over ROS 1 or ROS 2.
type wire struct {
	name     string // prefix of names in the report
	pub, sub *rospeer.Process
}

// Topics of the peers: one topic with images, several, and one whose images are sent again if they are lost.
const (
	oneTopic      = "/one"
	manyTopics    = "/many"
	reliableTopic = "/reliable"
)

// exchange measures ROS 1 and ROS 2 alternately, so that a change of the machine's speed affects both alike.
func (c *ROS2) exchange(ctx context.Context, con console.Streams, report *Report) error {
	home, err := os.MkdirTemp("", "omnipitch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer master.Close()
	domain := 1 + rand.IntN(100) // whose ports are below those that Linux gives to anybody
	wires := []*wire{{name: ""}, {name: "ros1_"}}
	for i, w := range wires {
		one, many, reliable := "images:1", fmt.Sprint("images:", c.Topics), "images:1"
		if i == 0 {
			one, many = fmt.Sprint("ros2_", one, ":", domain), fmt.Sprint("ros2_", many, ":", domain)
			reliable = fmt.Sprint("ros2_reliable_", reliable, ":", domain)
		}
		for role, p := range map[string]**rospeer.Process{"publish": &w.pub, "subscribe": &w.sub} {
			started, err := rospeer.Start(ctx, master.URI(), home, "", w.name+role, role, one, oneTopic, role, many,
				manyTopics, role, reliable, reliableTopic)
			if err != nil {
				return err
			}
			defer started.Kill()
			*p = started
		}
		for _, topic := range []string{oneTopic, manyTopics, reliableTopic} {
			if _, err := w.pub.Ask("await %s", topic); err != nil {
				return err
			}
		}
	}
	time.Sleep(settle) // subscribers may still not know the publishers
	e := &exchange{turn: c.For, rounds: map[string][]float64{}, pooled: map[string][]float64{}}
	for i := range c.Rounds + 1 {
		for _, w := range wires {
			if err := c.measure(e, w); err != nil {
				return err
			}
		}
		if i == 0 { // the first round is a warm-up
			clear(e.rounds)
			clear(e.pooled)
		}
		fmt.Fprintf(con.Notes(), "round %d of %d: measured\n", i, c.Rounds)
	}
	for _, r := range []struct{ unit, name string }{
		{"ms", "image_latency"}, {"ms", "image_cpu"}, {"ms", "many_latency"}, {"ms", "many_cpu"},
		{"%", "many_arrived"}, {"Hz", "many_rate"}, {"Hz", "reliable_rate"},
	} {
		base := "ros1_" + r.name
		report.compare(r.unit, r.name, base, e.rounds[r.name], e.rounds[base])
		if a, b := e.pooled[r.name], e.pooled[base]; a != nil {
			report.add(r.name+"_p99", percentile99(a), r.unit, len(a))
			report.add(base+"_p99", percentile99(b), r.unit, len(b))
		}
	}
	return nil
}

// measure measures one wire.
func (c *ROS2) measure(e *exchange, w *wire) error {
	for _, m := range []struct {
		name, topic string
		topics      int
	}{{"image", oneTopic, 1}, {"many", manyTopics, c.Topics}} {
		sent, got, err := e.carry("publish", w.pub, w.sub, m.topic, cameraRate, e.turn)
		if err != nil {
			return err
		}
		images := sent.Sent * int64(m.topics)
		e.latencies(w.name+m.name+"_latency", got.NS)
		e.note(w.name+m.name+"_cpu", sent.CPUPer(images))
		e.note(w.name+m.name+"_arrived", 100*float64(len(got.NS))/float64(images))
		e.note(w.name+m.name+"_rate", float64(len(got.NS))/time.Duration(sent.Span).Seconds())
	}
	most, err := e.most(w.pub, w.sub, reliableTopic)
	e.note(w.name+"reliable_rate", most)
	return err
}
