// Package msg holds ROS 1 messages: their definitions (.msg and .srv text, read at run time), Go structs for those that
// the simulator itself speaks, and the codec between structs and bytes.
//
// A Library finds a Definition by the type's name, with its md5 sum and full text, which peers compare. Definitions are
// data because teams speak dialects: the same type name with other fields and another md5 sum. A Library may be read
// from many goroutines; adding to it is not safe beside readers.
//
// The structs stand in one file per ROS package or two. Compile refuses a struct that does not hold exactly the
// definition's fields, so that a mismatch is found before the first message. Fields match by name, without regard to
// case and underscores (child_frame_id and ChildFrameID), or by tag: `ros:"child_frame_id"`. Types match exactly; time
// and duration are Time and Duration. Units are the message's own: ROS's messages in metres, radians and seconds,
// nubot_common in centimetres, radians and cm/s.
//
//	lib, err := msg.Load("nubot")
//	def, err := lib.Message("nubot_common/OdoInfo")
//	codec, err := msg.Compile[msg.OdoInfo](def)
//	buf = codec.Append(buf[:0], &odo)
//	err = codec.Decode(buf, &odo)
//
// Decoding bounds every length by the bytes that are left: no input makes it panic or allocate more than a small
// multiple of its own size. A Codec is immutable and safe for use by many goroutines.
//
// JSON and CBOR are package dynamic's.
//
// Source: ROS 1's message description language and md5 rules (genmsg 0.5); the ROS 1 wiki, msg, "Serialization":
// little-endian, no padding, uint32 counts.
package msg
