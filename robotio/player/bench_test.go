package player

import (
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// BenchmarkLatency measures the wall time from an observation until a client in the same process has received its
// message, over Player and over ROS 1, for odometry and for images of 640 × 480 pixels.
func BenchmarkLatency(b *testing.B) {
	b.Run("odometry/player", func(b *testing.B) {
		latency(b, "odometry", func(sim simtest.Sim) <-chan time.Time {
			return fromPlayer(b, sim, position2DInterface)
		})
	})
	b.Run("odometry/ros1", func(b *testing.B) {
		latency(b, "odometry", func(sim simtest.Sim) <-chan time.Time {
			return fromROS[msg.Odometry](b, sim, "/cyan1/odom", "nav_msgs/Odometry")
		})
	})
	b.Run("image/player", func(b *testing.B) {
		latency(b, "front", func(sim simtest.Sim) <-chan time.Time { return fromPlayer(b, sim, cameraInterface) })
	})
	b.Run("image/ros1", func(b *testing.B) {
		latency(b, "front", func(sim simtest.Sim) <-chan time.Time {
			return fromROS[msg.Image](b, sim, "/cyan1/front_vision/image_raw", "sensor_msgs/Image")
		})
	})
}

// latency reports the median and the 95th percentile. The function open opens a wire, and returns the wall times at
// which its client receives messages.
func latency(b *testing.B, sensor string, open func(simtest.Sim) <-chan time.Time) {
	sim := newSim(b, func(w *worlds.World) {
		cfg := simtest.Sensor(b, w, "cyan1", "front")
		cfg.Image.Width, cfg.Image.Height, cfg.Latency = 640, 480, 0
	})
	var observed time.Time
	sim.On("cyan1", sensor, func(*sensors.Observation) { observed = time.Now() }) // called before the wire's listener
	received := open(sim)
	var took []time.Duration
	for b.Loop() {
		for observed = (time.Time{}); observed.IsZero(); {
			must.Do(b, sim.Step())
		}
		took = append(took, (<-received).Sub(observed))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e6, "µs/median")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1e6, "µs/p95")
}

func fromPlayer(b *testing.B, sim simtest.Sim, interf int) <-chan time.Time {
	p := dial(b, serveSim(b, sim), 0)
	must.Do(b, p.SetDeadline(time.Time{}))
	p.open(interf, 0)
	received := make(chan time.Time, 1)
	go func() {
		message := make([]byte, 2<<20)
		for {
			if _, err := io.ReadFull(p, message[:headerSize]); err != nil {
				return
			}
			if _, err := io.ReadFull(p, message[:binary.BigEndian.Uint32(message[headerSize-4:])]); err != nil {
				return
			}
			received <- time.Now()
		}
	}()
	return received
}

func fromROS[M any](b *testing.B, sim simtest.Sim, topic, typ string) <-chan time.Time {
	closeLater := func(c io.Closer) { b.Cleanup(func() { c.Close() }) }
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(b)
	closeLater(master)
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()}))(b)
	closeLater(node)
	closeLater(must.Get(robotio.NewBridge(sim.Sim, node, robotio.Options{}))(b))
	client := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/client", MasterURI: master.URI()}))(b)
	closeLater(client)
	received := make(chan time.Time, 1)
	must.Get(ros1.Subscribe(client, topic, typ, func(*M) { received <- time.Now() }))(b)
	must.Until(b, "subscriber", func() bool {
		out, _ := node.Subscribers(topic)
		return out > 0
	})
	return received
}
