// Package coach keeps the information that the robots of each team receive from outside the field: the team's mode, and
// places and numbers for tests. The mode follows from the game, unless a message of the coach sets it. The package
// plans nothing, moves nothing, and does not depend on any network protocol.
//
//	c := &coach.Coach{}
//	c.Commanded(state)                   // by a referee box, a referee, an event
//	c.Observe(game.State())              // after each step
//	c.Info(physics.Magenta).Mode         // rival_kickoff
//
// A Coach belongs to one goroutine at a time.
package coach
