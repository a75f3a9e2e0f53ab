// Package game knows what a referee box knows of a game: which half it is, whether it is being played, whose set piece
// it is, and the score; and of each robot its cards, and whether it is off the field. It carries out the commands of
// the MSL referee box and counts goals. It judges nothing else, moves nothing, though it says where robots off the
// field belong, and knows no wire.
//
//	g := game.New(&field, ball.Radius)
//	g.Command(game.Kickoff, physics.Cyan)
//	g.Command(game.Start, "")
//	g.Observe(truth.Ball.PosW) // after each step
//	g.State().Score.Cyan
//
// Positions are in W, metres. One goroutine at a time uses a Game.
package game
