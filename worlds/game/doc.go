// Package game keeps what a referee box knows of a game. For the game, this is the half, whether the game is being
// played, the team of the set piece, and the score. For each robot, it is the robot's cards, and whether the robot is
// off the field. The package carries out the commands of the MSL referee box and counts goals. It judges nothing else,
// and does not depend on any wire. It moves nothing, but it computes where robots off the field belong.
//
//	g := game.New(&field, ball.Radius)
//	g.Command(game.Kickoff, physics.Cyan)
//	g.Command(game.Start, "")
//	g.Observe(truth.Ball.PosW) // after each step
//	g.State().Score.Cyan
//
// Positions are in W, metres. A Game belongs to one goroutine at a time.
package game
