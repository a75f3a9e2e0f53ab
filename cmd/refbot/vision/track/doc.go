// Package track follows the ball and obstacles from image to image: it estimates velocities and drops single
// detections.
//
//	var b track.Ball
//	b.See(stamp, at, variance) // for each image that shows the ball
//	var o track.Obstacles
//	for _, body := range o.See(stamp, seen) {
//	}
//
// FlightTracker fits the path of a ball in the air and predicts where and when it lands:
//
//	t := new(track.FlightTracker)
//	t.Add(track.BallSighting{Stamp: stamp, Pos: pos, Covariance: covariance})
//	if f, ok := t.Flight(stamp); ok {
//		down, ok := f.Touchdown()
//	}
//
// The path is a parabola under gravity, slowed by drag. The lift of a spinning ball is not modelled.
//
// Places are in a frame that does not move, such as the field's: metres, z up from the floor. Times are the stamps of
// the images. Each tracker belongs to one goroutine.
package track
