// Package area holds named parts of the world, in W: those that every field has, and those that a world file adds.
// Conditions name them.
//
//	[[area]]
//	name = "left_wing"
//	rectangle = { x_m = [0, 9], y_m = [3, 6] }
//
// Metres; borders belong to an area, those of a field lie on the outer edges of its lines. An Area may be read by many
// goroutines.
package area
