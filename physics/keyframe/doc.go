// Package keyframe passes over the state of a simulation, to save it in a key frame or to restore it from one. Each
// part of the simulation that has a state names it once, in a method Exchange, which serves for both:
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
// All bits of a number are kept. A key frame holds no names and no types: it can be restored by the same methods alone,
// of parts that are made alike. Restoring takes memory in proportion to the data's length, and never panics, whatever
// the data: it fails with one sentence, from which on fields keep what they have.
//
// The package knows no simulation, reads no files and compresses nothing. A Codec belongs to one goroutine.
package keyframe
