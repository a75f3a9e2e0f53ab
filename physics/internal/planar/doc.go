// Package planar simulates a physics.Model in the plane, in pure Go: upright robots and obstacles as discs or boxes,
// and the ball in three dimensions (package ball). It suits many worlds at once, long games, and machines
// without a C compiler.
//
// Every drive on wheels runs at level kinematic, whatever the model says. The robot moves at its controller's setpoint,
// within the acceleration limits of its drive, and pushes with its mass times its largest acceleration. Wheels do not
// slip, there are no motors, and robots do not fall over. A robot at level walk moves in the same way at the velocity
// of its gait; package play lets it sway and fall.
//
// An engine belongs to one goroutine at a time and shares nothing with others. A step allocates memory only when it has
// more contacts than any step before. The same model and commands give bit-identical snapshots.
//
//	engine, err := planar.New(model)
//	err = engine.Step(commands)
//	engine.Snapshot(&truth)
//
// # Method
//
// A free robot moves exactly along its arc. Contacts between discs and rectangles are solved by sequential impulses
// with dry friction; a step removes a fifth of an overlap. The friction of the carpet brings obstacles to rest.
//
// Reference: E. Catto, Iterative dynamics with temporal coherence, 2005.
package planar
