package enginetest

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
)

// BenchmarkCircles times a step of ten robots that drive circles, and a ball.
func BenchmarkCircles(b *testing.B, start New, level physics.DriveLevel) {
	model := Match(10, func(int) physics.DriveLevel { return level })
	model.Obstacles = nil
	r := Start(b, start, model)
	for i := range r.Commands {
		r.Commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
	}
	r.Benchmark(b)
}

// Benchmark times steps, calling each after every step.
func (r *Rig) Benchmark(b *testing.B, each ...func()) {
	r.Run(1, each...)
	b.ReportAllocs()
	for b.Loop() {
		r.Step()
		for _, f := range each {
			f()
		}
	}
}
