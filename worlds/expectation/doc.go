// Package expectation judges a running world: whether what its file expects comes true.
//
//	[[expect]]
//	name = "goal"
//	eventually = { in_area = { name = "ball", area = "magenta_goal" } }
//	within_s = 5
//	after = "kick"
//
// A Judge is fed each step and gives verdicts. Times are sim time. It belongs to the goroutine that steps, and does not
// allocate until a verdict falls.
package expectation
