// Package dynamic converts encoded ROS messages of any definition to JSON and CBOR, and JSON to encoded messages, as
// rosbridge does. It also lists the values of messages with their names, makes tables of them, and picks the values of
// chosen fields. It uses neither Go types nor reflection.
//
// It does not read CBOR, because clients of bridges do not send it.
//
// Times and durations are {"secs", "nsecs"}, and in ROS 2 {"sec", "nanosec"}. Messages of ROS 2 must be little-endian.
// uint8[] and char[], also of fixed length, are base64 strings in JSON and byte strings in CBOR. Other arrays of
// numbers are lists in JSON and typed arrays in CBOR. JSON has no NaN and no infinities: they become null, and null
// becomes NaN. Invalid UTF-8 in text becomes U+FFFD.
//
//	codec, err := dynamic.Compile(def)
//	json, err = codec.AppendJSON(json[:0], encoded)
//	cbor, err = codec.AppendCBOR(cbor[:0], encoded)
//	err = codec.Values(encoded, func(v *dynamic.Value) { … v.Path, v.Number })
//	picker, err := dynamic.NewPicker(def, []string{"header.stamp", "pose.position.x"})
//	values, err := picker.Pick(encoded)
//	encoded, err = codec.AppendROS(encoded[:0], []byte(`{"x": 1.5}`), now)
//
// No input makes the package panic, or allocate more than a small multiple of the input's size. The multiple depends on
// the definition, because JSON repeats the names of fields.
//
// A Codec is immutable, and many goroutines may use it.
//
// Source: the rosbridge v2 protocol; rosbridge_library's message_conversion and cbor_conversion, 0.11; RFC 8949 (CBOR)
// and RFC 8746 (typed arrays).
package dynamic
