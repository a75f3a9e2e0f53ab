// Package game knows what a referee box knows of a game: which half it is, whether it is being played, whose set piece it is, and the score. It
// carries out the commands of the MSL referee box and counts goals. It judges nothing else, moves nothing, and knows no wire.
//
//	g := game.New(&field, ball.Radius)
//	g.Command(game.Kickoff, physics.Cyan)
//	g.Command(game.Start, "")
//	g.Observe(truth.Ball.PosW) // after each step
//	g.State().Score.Cyan
//
// Positions are in W, metres. One goroutine at a time uses a Game.
package game
