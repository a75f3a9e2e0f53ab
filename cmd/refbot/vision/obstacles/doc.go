// Package obstacles finds robots and what else stands on the carpet, in an omnidirectional image: along scan lines from
// the middle outwards, where carpet ends and does not go on soon. It knows one image: it tracks nothing.
//
//	f := obstacles.NewFinder(floor, 360)
//	all := f.Find(segmenter.Segment(image), onField) // lent until the next call
//
// Places are in the robot's frame, metres. A Finder is for one goroutine. It allocates nothing once it has seen a few
// images.
package obstacles
