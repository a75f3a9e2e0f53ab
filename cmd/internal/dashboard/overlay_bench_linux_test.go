package dashboard

import (
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// blank is a renderer that draws nothing, so that rendering is not part of the measurement.
type blank struct{}

func (blank) Render(*render.Batch) error { return nil }
func (blank) Close()                     {}

// reportProcessorTime reports the processor time used until end is called. Other load on the machine is not included.
func reportProcessorTime(b *testing.B) (end func()) {
	before := processorTime(b)
	return func() { b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "µs-cpu/op") }
}

// BenchmarkOverlay computes and encodes all overlays of an omnidirectional image of 640 × 480 pixels with ten robots.
func BenchmarkOverlay(b *testing.B) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	robot, sensor := camera(b, w)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[k]; c.Image != nil {
				c.Level, c.Image.Width, c.Image.Height = abstraction.Objects, 640, 480
			}
		}
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NewRenderer: func(*render.Scene) (render.Renderer,
		error) {
		return blank{}, nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	f := &feed{sim: sim, robot: robot, sensor: sensor}
	const all = detectionsOverlay | bodiesOverlay | linesOverlay | horizonOverlay | rimOverlay | unseenOverlay
	for _, c := range []struct {
		name  string
		parts sensors.OverlayParts
		with  overlays
	}{
		{"none", 0, 0}, {"poses", sensors.OverlayPoses, 0}, {"detections", detectionsOverlay.parts(), 0},
		{"lines", linesOverlay.parts(), 0}, {"bodies", bodiesOverlay.parts(), 0},
		{"all", all.parts(), 0}, {"all-encoded", all.parts(), all},
	} {
		b.Run(c.name, func(b *testing.B) {
			bytes := 0
			defer reportProcessorTime(b)()
			for b.Loop() {
				o, err := sim.Sensors().CaptureOverlaid(robot, sensor, abstraction.Ideal, c.parts)
				if err != nil {
					b.Fatal(err)
				}
				if c.with != 0 {
					text, err := (&frame{obs: o, feed: f}).overlay(c.with)
					if err != nil {
						b.Fatal(err)
					}
					bytes = len(text)
				}
				o.Release()
			}
			b.ReportMetric(float64(bytes), "B/frame")
		})
	}
}

// BenchmarkDepthPicture encodes a depth image in false colours.
func BenchmarkDepthPicture(b *testing.B) {
	d := render.NewDepth(640, 480)
	for i := range d.Z {
		d.Z[i] = 0.5 + float32(i/640)*0.01 + float32(i*7919%13)*0.002 // noise
	}
	defer reportProcessorTime(b)()
	for b.Loop() {
		if _, err := encodeDepth(d, 360, 0.5, 8); err != nil {
			b.Fatal(err)
		}
	}
}
