package robotio

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// markerFills returns the functions that fill marker messages, by topic: of a camera at objects, one at features, and
// the world.
func markerFills(t testing.TB) map[string]func([]byte) []byte {
	r := newRigWith(t, omnipitch.Options{}, func(w *worlds.World) {
		for i := range w.Robots[0].Sensors {
			switch s := &w.Robots[0].Sensors[i]; s.Name {
			case "omni":
				s.Level, s.Vision.Lines = abstraction.Objects, true
			case "front":
				s.Level = abstraction.Features
			}
		}
	})
	seen := map[string]*sensors.Observation{}
	for _, sensor := range []string{"omni", "front"} {
		remove := must.Get(r.sim.Listen("cyan1", sensor, omnipitch.Listener{Observe: func(o *sensors.Observation) {
			if seen[sensor] == nil {
				o.Retain()
				seen[sensor] = o
			}
		}}))(t)
		t.Cleanup(remove)
	}
	r.run(300*time.Millisecond, timesync.Max)
	fills := map[string]func([]byte) []byte{}
	for _, p := range r.bridge.publishers {
		c := &p.Context
		switch {
		case !strings.Contains(p.Name, "marker") && !strings.Contains(p.Name, "annotations"):
		case c.Sensor == nil:
			c.Truth = r.sim.Truth()
			fills[p.Name] = p.fill
		case c.Robot.Name == "cyan1" && seen[c.Sensor.Name] != nil && p.FedBy(seen[c.Sensor.Name]):
			c.Truth = r.sim.Truth()
			fills[p.Name] = func(b []byte) []byte { c.Observe(seen[c.Sensor.Name]); return p.fill(b) }
		}
	}
	return fills
}

// markerTopics are the topics whose messages are filled many times a second.
var markerTopics = []string{"/markers", "/cyan1/omni/markers", "/cyan1/front/image_markers/ball",
	"/cyan1/front/image_markers/robots", "/cyan1/front/image_markers/goals", "/cyan1/front/image_markers/lines",
	"/cyan1/front/image_annotations"}

// Marker messages reuse the memory of earlier ones.
func TestMarkersDoNotAllocate(t *testing.T) {
	fills := markerFills(t)
	for _, topic := range markerTopics {
		fill := fills[topic]
		if fill == nil {
			t.Errorf("nothing fills %s", topic)
			continue
		}
		b := slices.Clone(fill(nil)) // the first call looks up names and colours
		if len(b) < 100 {
			t.Errorf("%s: a message has %d bytes", topic, len(b))
		}
		if n := testing.AllocsPerRun(20, func() { b = fill(b[:0]) }); n != 0 {
			t.Errorf("%s: %g allocations for a message", topic, n)
		}
	}
}

// BenchmarkMarkers fills the marker messages of one robot and of the world, as while there is a subscriber.
func BenchmarkMarkers(b *testing.B) {
	fills := markerFills(b)
	for _, topic := range markerTopics {
		b.Run(topic, func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = fills[topic](buf[:0])
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}
