// Package referee is an automatic referee of the Middle Size League. It inspects the exact state after each step, and
// decides by rules whose thresholds are data. It also leads each restart: stop, placement of ball and robots, start,
// ball in play. It moves nothing itself. It returns its decisions, and the orders that follow from them: commands of a
// referee box and places for the ball. Robots receive the same commands as from a human referee.
//
//	r := referee.New(referee.DefaultRules(), model)
//	decisions, orders := r.Observe(&truth, game.State()) // after each step, and at time 0
//
// If somebody else commands the game, the automatic referee does nothing until play continues.
//
// Each rule is a type with one method, in its own file, and a row in the list of rules (list.go). docs/match.md
// describes what the rules model, what they leave out, and the source of each number.
//
// Positions are in W, in m; times are sim time. Only one goroutine may use a Referee. A Referee allocates memory only
// when it decides something. Exchange saves and restores its state.
package referee
