// Package game keeps the information that a referee box has about a game. About the game itself, this is the half,
// whether the game is being played, the team of the set piece, and the score. About each robot, this is its cards, and
// whether it is off the field. The package carries out the commands of the MSL referee box and counts goals. It judges
// nothing else, and does not depend on any network protocol. It moves nothing, but it computes where robots off the
// field belong.
//
//	g := game.New(&field, ball.Radius)
//	g.Command(game.Kickoff, physics.Cyan)
//	g.Command(game.Start, "")
//	g.Observe(truth.Ball.PosW) // after each step
//	g.State().Score.Cyan
//
// Positions are in W, metres. A Game belongs to one goroutine at a time.
package game
