package dataset

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/worlds"
)

// processorTime returns the processor time of the process on all cores.
func processorTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkDataset makes images of 640 × 480 pixels with all labels, from scenes of 60 moments as by default. It
// reports milliseconds of processor time per image.
func BenchmarkDataset(b *testing.B) {
	w, err := worlds.Load("vision-training")
	if err != nil {
		b.Fatal(err)
	}
	frames := 0
	begun := processorTime()
	for b.Loop() {
		c := Config{
			World: w, Name: "vision-training", Frames: 120, PerScene: 60, Split: [3]float64{0.8, 0.1, 0.1},
			Formats: Formats, Cameras: []string{"cyan1.front"},
			Level: abstraction.Raw, Renderer: "auto", Jobs: 2, Status: func(string) {},
		}
		out, err := os.MkdirTemp("", "dataset")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Make(context.Background(), out); err != nil {
			b.Fatal(err)
		}
		frames += c.Frames
		os.RemoveAll(out)
	}
	b.ReportMetric((processorTime()-begun).Seconds()*1e3/float64(frames), "cpu-ms/frame")
}
