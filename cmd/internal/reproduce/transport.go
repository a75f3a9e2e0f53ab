package reproduce

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// exchange is the measurement of one kind of message.
type exchange struct {
	name, typ string
	reported  float64 // latency in the paper, ms; 0: not in the paper
	relayed   bool
	rate      float64 // Hz
	draw      bool    // reports whether the pixels of an image are rendered before each message
}

func runTransport(ctx context.Context, t *Trial) error {
	w, err := t.Load(0)
	if err != nil {
		return err
	}
	imu, camera := sensorOf(w, "imu"), sensorOf(w, sensors.OmniKind, sensors.CameraKind)
	if imu == nil || camera == nil {
		return t.unfit("has no robot with an IMU, or none with a camera, whose messages would be sent")
	}
	all := []exchange{
		{"Imu, from node to node", "imu", 7.45, false, imu.Rate, false},
		{"goals of an animation, from node to node", "trajectory", 17.74, false, imu.Rate, false},
		{"goals of walking, from node to node", "trajectory", 16.90, false, imu.Rate, false},
		{"goals, through a node that passes them on", "trajectory", 32.51, true, imu.Rate, false},
		{fmt.Sprintf("images of %d × %d at %g Hz", camera.Image.Width, camera.Image.Height, camera.Rate),
			fmt.Sprintf("image:%dx%d", camera.Image.Width, camera.Image.Height), 0, false, camera.Rate, true},
	}
	turn := 8 * time.Second
	switch {
	case t.brief:
		turn = 200 * time.Millisecond
	case t.Quick:
		turn = time.Second
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer master.Close()
	home, err := os.MkdirTemp("", "omnipitch-reproduce-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	before := machineUsage()
	p := experiment.Plot{Name: "latency", Title: "Latency of each message", XLabel: "message", YLabel: "latency, ms",
		LogY: true}
	for i, e := range all {
		ms, err := e.carry(ctx, master.URI(), home, turn)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		mean := stat.Mean(ms, nil)
		curve := experiment.Curve{Name: e.name}
		for k, x := range ms {
			curve.Add(float64(k), math.Max(x, 1e-3))
		}
		p.Curves = append(p.Curves, curve)
		f := Aside(e.name+": mean latency", mean, "ms")
		if e.reported > 0 {
			if f = AtMost(f.Name, mean, e.reported, "ms"); f.Verdict == Differs {
				f = f.because("%s", disturbed(othersSince(before)))
			}
		}
		t.Add(f)
		slices.Sort(ms)
		t.Add(Aside(e.name+": median", stat.Quantile(0.5, stat.Empirical, ms, nil), "ms"))
		t.Add(Aside(e.name+": 99 % within", stat.Quantile(0.99, stat.Empirical, ms, nil), "ms"))
		t.Progress(float64(i+1) / float64(len(all)))
	}
	t.addOthers(before)
	t.Plot(p)
	return nil
}

// sensorOf returns the first sensor of one of the kinds.
func sensorOf(w *worlds.World, kinds ...sensors.Kind) *sensors.Config {
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; slices.Contains(kinds, c.Kind) {
				return c
			}
		}
	}
	return nil
}

// carry lets one node publish messages to another for the duration of a turn. It returns the latency of each message,
// in ms, as the receiving node measures it.
func (e *exchange) carry(ctx context.Context, uri, home string, turn time.Duration) ([]float64, error) {
	const topic = "/reproduce/messages"
	received := topic
	start := func(name string, roles ...string) (*rospeer.Process, error) {
		return rospeer.Start(ctx, uri, home, "", name, roles...)
	}
	if e.relayed {
		received = rospeer.RelayOf(topic)
		relay, err := start("relay", "relay", e.typ, topic)
		if err != nil {
			return nil, err
		}
		defer relay.Kill()
	}
	sub, err := start("listener", "subscribe", e.typ, received)
	if err != nil {
		return nil, err
	}
	defer sub.Kill()
	pub, err := start("talker", "publish", e.typ, topic)
	if err != nil {
		return nil, err
	}
	defer pub.Kill()
	if _, err := pub.Ask("await %s", topic); err != nil {
		return nil, err
	}
	command := "publish"
	if e.draw {
		command = "draw"
	}
	var got rospeer.Answer
	for _, d := range []time.Duration{turn / 8, turn} { // the first is a warm-up
		sent, err := pub.Ask("%s %s %g %d", command, topic, e.rate, d)
		if err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(transportSettle):
		}
		if got, err = sub.Ask("take %s", received); err != nil {
			return nil, err
		}
		if d == turn && len(got.NS) == 0 {
			return nil, fmt.Errorf("none of %d messages arrived", sent.Sent)
		}
	}
	ms := make([]float64, len(got.NS))
	for i, ns := range got.NS {
		ms[i] = float64(ns) / 1e6
	}
	return ms, nil
}

// transportSettle is the time allowed for messages to arrive.
const transportSettle = 300 * time.Millisecond
