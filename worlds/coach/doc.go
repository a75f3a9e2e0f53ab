// Package coach keeps the information that the robots of each team receive from outside the field. The information is
// the mode of the team, and places and numbers for tests. The mode follows from the game, or is set for the team alone.
// The package plans nothing, moves nothing, and does not depend on any wire.
//
//	c := &coach.Coach{}
//	c.Commanded()                        // by a referee box, a referee, an event
//	c.Observe(game.State())              // after each step
//	c.Info(physics.Magenta).Mode         // rival_kickoff
//
// A Coach belongs to one goroutine at a time.
package coach
