// Package area defines named parts of the world, in W: those of every field, and those that a world file adds.
// Conditions use them.
//
//	[[area]]
//	name = "left_wing"
//	rectangle = { x_m = [0, 9], y_m = [3, 6] }
//
// Units are metres. A border belongs to its area. Borders of a field's areas are the outer edges of its lines. Many
// goroutines may read an Area.
package area
