// Package game keeps what a referee box knows of a game. This is the half, whether the game is being played, whose set
// piece it is, and the score; and for each robot its cards, and whether it is off the field. The package carries out
// the commands of the MSL referee box and counts goals. It judges nothing else, and knows no wire. It moves nothing,
// though it computes where robots off the field belong.
//
//	g := game.New(&field, ball.Radius)
//	g.Command(game.Kickoff, physics.Cyan)
//	g.Command(game.Start, "")
//	g.Observe(truth.Ball.PosW) // after each step
//	g.State().Score.Cyan
//
// Positions are in W, metres. A Game belongs to one goroutine at a time.
package game
