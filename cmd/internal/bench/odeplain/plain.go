// Package odeplain is a simulation in plain C on libode, without our code: omnipitch bench physics compares engines
// with it. Ten robots, each on four feet, drive circles around a ball, at 1 m/s and 1.5 rad/s.
//
// A World belongs to one goroutine that is locked to its thread; only one World may step at a time.
package odeplain

// #cgo pkg-config: ode
// #cgo CFLAGS: -O2
// #cgo LDFLAGS: -lm
// #include "plain.h"
import "C"

// World is the simulation.
type World struct{ c *C.plain }

// New creates a World with the given number of robots, at most ten.
func New(robots int) *World { return &World{C.plain_new(C.int(robots))} }

// Step advances the simulation by dt seconds.
func (w *World) Step(dt float64) { C.plain_step(w.c, C.double(dt)) }

// Place returns a robot's position, metres.
func (w *World) Place(robot int) (x, y float64) {
	var at [2]C.double
	C.plain_place(w.c, C.int(robot), &at[0])
	return float64(at[0]), float64(at[1])
}

// Close frees the memory of the World.
func (w *World) Close() { C.plain_free(w.c) }
