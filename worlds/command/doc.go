// Package command keeps the newest command of each robot until the next step takes it. Commands come from the robots'
// own programs, from the world's events, and from scripted players (worlds/player), which command the robots that have
// no program.
//
// Any goroutine may give commands. The goroutine that steps collects them (Queue.Collect) and answers requests
// (Queue.Answer). Names are those of robots; indices of robots are in the model's order.
package command
