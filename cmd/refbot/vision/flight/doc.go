// Package flight finds the path of a ball in the air through the places where it was seen, and where and when it comes
// down. It knows no images and no robots.
//
//	t := new(flight.Tracker)
//	t.Add(flight.Sighting{Stamp: stamp, Pos: pos, Covariance: covariance}) // in a frame that does not move
//	if f, ok := t.Flight(stamp); ok { // of a ball that flies
//		down, ok := f.Touchdown()
//	}
//
// The path is a parabola by known gravity, which air slows. A ball that spins is bent by as much as the air lifts it:
// that is not modelled. Places are metres with z up from the floor; times are those of the images' stamps. A Tracker is
// for one goroutine. It allocates nothing.
package flight
