// Package lines finds the field's lines in an omnidirectional image: along scan lines from the middle outwards, what is
// white between carpet and carpet. It needs no thresholds of brightness: each image tells what colour its carpet has,
// and a line is by so many times as bright.
//
//	f := lines.NewFinder(floor, 360)
//	points := f.Find(image) // rgb8; lent until the next call
//
// Points are in the robot's frame, metres. A Finder is for one goroutine. It allocates nothing once it has seen a few
// images.
package lines
