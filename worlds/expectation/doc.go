// Package expectation judges whether a running world does what its file expects.
//
//	[[expect]]
//	name = "goal"
//	eventually = { in_area = { name = "ball", area = "magenta_goal" } }
//	within_s = 5
//	after = "kick"
//
// A Judge judges the state after each step and gives verdicts. Times are sim time. Only the goroutine that steps may
// use a Judge. A Judge allocates memory only for a verdict.
package expectation
