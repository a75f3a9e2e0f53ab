// Package track follows the ball and obstacles from image to image: it says how fast they are, and leaves out what is
// seen once alone. Places are those of a frame that stays, such as the field's, in metres; times are the images'
// stamps.
//
//	var b track.Ball
//	b.See(stamp, at, variance)        // for each image that shows it
//	var o track.Obstacles
//	for _, body := range o.See(stamp, seen) {
//	}
package track
