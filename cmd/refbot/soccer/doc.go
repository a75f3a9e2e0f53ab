// Package soccer decides what one robot does. It turns each camera message into a command, without a network and
// without a clock, so tests play whole games in memory.
//
//	p := soccer.NewPlayer(soccer.ByCards)
//	command := p.Decide(perception) // for each frame
//
// A Player updates a world model (package world) and calls the layers below:
//
//   - Skills drive to a place around others, fetch, carry, pass, shoot and block: GoTo, Fetch, Carry, PassTo, Shoot,
//     Block.
//   - Roles are what a robot does for its team while the ball is in play: PlayRole; an Assigner chooses the role.
//   - Set pieces: TakePositions while the referee waits, StartPlay until the ball is in play.
//   - Partner plays the technical challenge of passing without communication instead of a match.
//
// Skills, roles and set pieces are functions of the world model that return the command for this frame. Only Player,
// Assigner and Partner remember earlier frames. The same messages give the same commands.
//
// Places are in the team's field frame of package pitch: m, m/s, rad. Commands are in that frame too, until
// Command.Message turns them into the robot's own axes.
package soccer
