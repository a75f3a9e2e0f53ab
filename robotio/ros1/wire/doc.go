// Package wire encodes Go structs as ROS 1 messages and back, by a plan compiled once from a message
// definition and a struct type.
//
// Compile refuses a struct that does not hold exactly the definition's fields, so a mismatch is found
// before the first message and never while messages flow. Fields match by name, without regard to case
// and underscores (child_frame_id and ChildFrameID), or by tag: `ros:"child_frame_id"`. Types match
// exactly; time and duration are msg.Time and msg.Duration.
//
// Decoding bounds every length by the bytes that are left: no input makes it panic or allocate more
// than a small multiple of its own size.
//
//	codec, err := wire.Compile[msg.OdoInfo](def)
//	buf = codec.Append(buf[:0], &odo)
//	err = codec.Decode(buf, &odo)
//
// A Codec is immutable and safe for use by many goroutines.
//
// Source: the ROS 1 wiki, msg, "Serialization": little-endian, no padding, uint32 counts.
package wire
