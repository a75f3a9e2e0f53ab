package enginetest

import "testing"

// Benchmark times steps, and calls each after every step.
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
