// Package coach knows what robots of each team are told from beside the field: the mode that follows from the game, or
// one that the team alone is told, and places, numbers and the like for tests. It tells no more than that: it plans
// nothing, moves nothing, and knows no wire.
//
//	c := &coach.Coach{}
//	c.Commanded()                        // by a referee box, a referee, an event
//	c.Observe(game.State())              // after each step
//	c.Info(physics.Magenta).Mode         // rival_kickoff
//
// One goroutine at a time uses a Coach.
package coach
