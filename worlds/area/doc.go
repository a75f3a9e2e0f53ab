// Package area defines named parts of the world, in W. Some are parts of every field, and a world file can add others.
// Conditions use them.
//
//	[[area]]
//	name = "left_wing"
//	rectangle = { x_m = [0, 9], y_m = [3, 6] }
//
// Lengths are in m. The border of an area is part of the area. The borders of a field's areas are the outer edges of
// the field's lines. Several goroutines may read an Area at the same time.
package area
