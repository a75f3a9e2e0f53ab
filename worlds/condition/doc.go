// Package condition defines the conditions that world files can ask about a running world. Each type, in its own file,
// has its fields, their rules, and the code that judges it. Events, expectations and requirements of world files use
// these types.
//
//	[[event]]
//	when = { in_area = { name = "ball", area = "cyan_goal" }, for_s = 0.5 }
//	place = { name = "ball" }
//
// A condition is judged on the snapshot at time 0, and on the snapshot after each step. Sensor observations and
// messages count in a step if they arrived before the step began. To add a condition, write its file and add a row to
// [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit. Positions are in the world frame W. Only the goroutine
// that steps may use a bound condition. A bound condition does not allocate.
package condition
