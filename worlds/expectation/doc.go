// Package expectation judges whether a running world does what its file expects.
//
//	[[expect]]
//	name = "goal"
//	eventually = { in_area = { name = "ball", area = "magenta_goal" } }
//	within_s = 5
//	after = "kick"
//
// A Judge judges each step and gives verdicts. Times are sim time. A Judge belongs to the goroutine that steps, and
// allocates memory only for a verdict.
package expectation
