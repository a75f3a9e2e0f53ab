// Package planar runs a physics.Model over a plane, in Go alone: upright robots as discs, obstacles as boxes, and the ball in
// three dimensions (package ball). It is for many worlds, long games and machines without a C compiler.
//
// Every drive runs at level kinematic, whatever the model says: the robot takes the velocity that its controller asks for,
// within the accelerations of its drive, and pushes with its mass times its largest acceleration. There are no
// wheels that slip, no motors, and nobody falls over.
//
// An engine belongs to one goroutine at a time and shares nothing with others. Steps allocate nothing once they have seen
// as many contacts as they will. The same model and commands give the same bytes.
//
//	engine, err := planar.New(model)
//	err = engine.Step(commands)
//	engine.Snapshot(&truth)
//
// # Method
//
// A free robot goes exactly along its arc. Contacts between robots, obstacles and what stands still are found between discs,
// axis-aligned and turned rectangles, and solved by sequential impulses with dry friction; a fifth of an overlap is
// undone in a step. Obstacles slide to rest by the friction of the carpet.
//
// Reference: E. Catto, Iterative dynamics with temporal coherence, 2005.
package planar
