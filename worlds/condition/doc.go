// Package condition holds what can be asked of a running world: one type per condition, in a file of its own, with its
// fields, their rules, and how it is judged. Events, expectations and requirements of world files all name these types.
//
//	[[event]]
//	when = { in_area = { name = "ball", area = "cyan_goal" }, for_s = 0.5 }
//	place = { name = "ball" }
//
// A condition is judged on the snapshot after a step, and on the one at time 0. What is measured of sensors and topics
// is what had arrived when the step began. To add one, write its file and its row in [Choice].
//
// Units are SI and radians in Go; a TOML key names its unit. Positions are in the world frame W. A bound condition
// belongs to the goroutine that steps, and does not allocate.
package condition
