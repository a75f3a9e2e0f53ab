// Package coach keeps the information that robots of each team receive from outside the field. This is the mode, which
// follows from the game or is set for the team alone, and places and numbers for tests. The package plans nothing,
// moves nothing, and knows no wire.
//
//	c := &coach.Coach{}
//	c.Commanded()                        // by a referee box, a referee, an event
//	c.Observe(game.State())              // after each step
//	c.Info(physics.Magenta).Mode         // rival_kickoff
//
// A Coach belongs to one goroutine at a time.
package coach
