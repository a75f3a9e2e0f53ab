package dashboard

import (
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
)

// BenchmarkPoses measures the extra cost of a state for a 3D viewer, with ten robots and twenty cameras. It covers the
// copy made by the stepping goroutine and the message encoded by another. BenchmarkPoses/views measures the one-time
// cost of a world.
func BenchmarkPoses(b *testing.B) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer sim.Close()
	var p poses
	var all []spatial.Pose
	b.Run("copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			all = p.take(sim, sim.World(), sim.Truth(), all[:0])
		}
	})
	b.Run("message", func(b *testing.B) {
		at := instant{poses: all, moving: len(p.moving)}
		for b.Loop() {
			b.ReportMetric(float64(len(at.message())), "bytes")
		}
	})
	b.Run("views", func(b *testing.B) {
		for b.Loop() {
			viewsOf(sim, sim.World())
		}
	})
}
