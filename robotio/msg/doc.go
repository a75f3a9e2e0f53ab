// Package msg has the messages of ROS 1 and ROS 2: their definitions (.msg, .srv and .action text, read at run time),
// Go structs for the types that the simulator uses, and the codec between structs and bytes.
//
// A Library finds a Definition by the type's name. It has the full text and the MD5 sum (in ROS 2 the hash), which
// peers compare. Definitions are data because teams use dialects: the same type name with other fields and another MD5
// sum. Many goroutines may read a Library, but not while a goroutine adds definitions. A library has definitions either
// of ROS 1 or of ROS 2, whose languages differ. Both name a type package/Type here.
//
// There is a file of structs for every one or two ROS packages. Compile fails if a struct does not match the fields of
// the definition exactly, so that mismatches are found before the first message. Fields match by name, ignoring case
// and underscores (child_frame_id and ChildFrameID), or by tag: `ros:"child_frame_id"`. Types match exactly; time and
// duration are Time and Duration. Units are those of the message: metres, radians and seconds in ROS's own messages;
// centimetres, radians and cm/s in nubot_common. The same structs serve ROS 2. A field with the tag `ros1:""` exists
// only in ROS 1, and builtin_interfaces/Time is a Time.
//
//	lib, err := msg.Load("nubot")
//	def, err := lib.Message("nubot_common/OdoInfo")
//	codec, err := msg.Compile[msg.OdoInfo](def)
//	buf = codec.Append(buf[:0], &odo)
//	err = codec.Decode(buf, &odo)
//
// A message of ROS 2 is encoded in CDR, and begins with its encapsulation header. Encoders write little-endian
// messages, and decoders read both byte orders. Encoders do not check the limits of bounded arrays and strings;
// decoders do.
//
// Decoding checks every length against the remaining bytes. So no input makes it panic, or allocate more than a small
// multiple of the input's size. A Codec is immutable, and many goroutines may use it.
//
// Package dynamic handles JSON and CBOR.
//
// Source: ROS 1's message description language and md5 rules (genmsg 0.5); the ROS 1 wiki, msg, "Serialization":
// little-endian, no padding, uint32 counts. ROS 2: rosidl's rosidl_adapter.parser; REP 2016 for hashes; OMG's DDS-RTPS
// 2.3, section 10, and CORBA 3.1, part 2, section 9.3, for CDR.
package msg
