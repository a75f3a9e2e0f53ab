// Package keyframe saves the state of a simulation to a key frame, and restores it from one. Each part of the
// simulation that has state lists its fields once, in a method Exchange that does both:
//
//	func (m *imu) Exchange(c *keyframe.Codec) {
//		c.Floats(m.accel.bias[:])
//		c.Uint(&m.walked)
//	}
//
//	c := keyframe.Append(nil)
//	unit.Exchange(c)
//	saved := c.Data()
//
//	c = keyframe.Restore(saved)
//	unit.Exchange(c)
//	err := c.End()
//
// A field that no Exchange lists fails TestKeyFramesHoldEveryField of the root package, unless that test names the
// field with the reason why key frames do not need it.
//
// All bits of a number are kept. A key frame holds no names and no types: only the same methods can restore it, into
// parts that were built from the same world. Restoring takes memory in proportion to the length of the data. It never
// panics, whatever the data: it stops at the first error, and the remaining fields keep their values.
//
// The package knows no simulation, reads no files and compresses nothing. A Codec belongs to one goroutine.
package keyframe
