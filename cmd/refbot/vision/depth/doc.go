// Package depth finds the ball in the images of a depth camera, in the air and on the floor: groups of pixels that
// stand out by depth, or by the ball's colour, and in each a sphere of its size. It knows one image: it tracks nothing.
//
//	f := depth.NewFinder(pinhole, mount, depth.KinectV2)
//	candidates := f.Find(millimetres, segmenter.Segment(image)) // 16UC1, little-endian; classes may be nil; best first; lent until the next call
//
// Places are in the robot's frame, metres. Depth is the distance along the optical axis. A Finder is for one goroutine.
// It allocates nothing once it has seen a few images.
package depth
