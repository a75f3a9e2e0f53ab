// Package ball finds the ball in images of any camera whose pixels' directions are known: blobs of its colour, and
// around each the outline of a sphere of its size. It knows one image: it tracks nothing.
//
//	f := ball.NewFinder(view)
//	candidates := f.Find(image, segmenter.Segment(image)) // rgb8; best first; lent until the next call
//
// Places are in the robot's frame, metres. A Finder is for one goroutine. It allocates nothing once it has seen a few
// images.
package ball
