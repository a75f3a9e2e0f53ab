// Package challenge plays the technical challenge of the Middle Size League of 2015 for one of two robots: they pass
// without communication, swap sides, and pass again, on a field of 12 m × 8 m with an obstacle on either side. Passes
// go from x < 0 to x > 0, whoever has the ball.
//
// The strategy is that of Dai, Yu, Xiao and Zheng, "Communication-Less Cooperation Between Soccer Robots" (RoboCup
// 2016): the heuristic of the passing point (eqs. 2 to 5), the receiver's places (tables 1 and 2), and the stages of a
// round by where ball and robot are (table 3).
//
//	p := challenge.New(true)
//	c := p.Decide(w) // for each frame
//
// Unlike skills and roles a Partner remembers: where its mate was, which point it has chosen, where it waits. As they
// it knows no clock and no chance.
package challenge
