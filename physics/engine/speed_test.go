package engine_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
)

// BenchmarkStep times a step of ten robots that drive circles, and a ball.
func BenchmarkStep(b *testing.B) {
	for _, level := range []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive, physics.KinematicDrive} {
		b.Run(string(level), func(b *testing.B) {
			model := enginetest.Match(10, func(int) physics.DriveLevel { return level })
			model.Obstacles = nil
			r := enginetest.Start(b, engine.New, model)
			for i := range r.Commands {
				r.Commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
			}
			r.Benchmark(b)
		})
	}
}
