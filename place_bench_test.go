//go:build cgo && unix

package omnipitch_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// BenchmarkPlace gives the processor time of a simulated second in buildings, all sensors with listeners.
func BenchmarkPlace(b *testing.B) {
	for _, walls := range []int{80, 2000, 4900} {
		b.Run(fmt.Sprintf("raw/%d_walls", walls), func(b *testing.B) {
			benchmarkPlace(b, simtest.Office(b, walls, 1, `
[[robot.sensor]]
name = "front"
level = "raw"
image = { width_px = 640, height_px = 480 }
mount = { x_m = 0.27, z_m = 0.6 }
[[robot.sensor]]
name = "depth"
kind = "kinect"
level = "raw"
image = { width_px = 640, height_px = 480 }
mount = { x_m = 0.27, z_m = 0.5 }`))
		})
		b.Run(fmt.Sprintf("objects/%d_walls", walls), func(b *testing.B) {
			benchmarkPlace(b, simtest.Office(b, walls, 10, ""))
		})
	}
}

func benchmarkPlace(b *testing.B, w *worlds.World) {
	s := simtest.New(b, w, omnipitch.Options{NewRenderer: backend.Tile})
	s.OnAll(func(*sensors.Observation) {})
	processor := func() time.Duration {
		var used syscall.Rusage
		must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	s.RunFor(100 * time.Millisecond)
	before := processor()
	for b.Loop() {
		s.RunFor(time.Second)
	}
	b.ReportMetric((processor()-before).Seconds()/float64(b.N), "cpu-s/sim-s")
}
