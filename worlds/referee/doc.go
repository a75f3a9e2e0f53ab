// Package referee is an automatic referee of the Middle Size League. It looks at the exact state after each step,
// decides by rules whose thresholds are data, and leads each restart: stop, ball and robots to their places, start,
// ball in play. It moves nothing itself: it returns what it has decided, and the orders that follow, which are commands
// of a referee box and places of the ball. Robots see exactly those commands, whoever gives them.
//
//	r := referee.New(referee.DefaultRules(), model)
//	decisions, orders := r.Observe(&truth, game.State()) // after each step, and at time 0
//
// When somebody else commands the game, the referee leaves it to them until it is played again.
//
// Each rule is a type with one method, in a file of its own, and a row in the list of rules (list.go). What it models
// and what not is in docs/match.md, with where each number comes from.
//
// Positions are in W, metres; times are sim time. A Referee belongs to one goroutine, and allocates nothing while it
// decides nothing. What it remembers from step to step passes through Exchange.
package referee
