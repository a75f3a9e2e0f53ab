// Package dynamic turns encoded ROS messages of any definition into JSON and CBOR, and JSON into encoded messages, as
// rosbridge does, and names each of their values, without Go types and without reflection.
//
// It does not interpret messages, and it does not read CBOR: clients of bridges send none.
//
// Times and durations are {"secs", "nsecs"}. uint8[] and char[], of fixed length too, are base64 strings in JSON and
// byte strings in CBOR. Other arrays of numbers are lists in JSON, and typed arrays in CBOR. JSON has no NaN and no
// infinities: they become null, and null becomes NaN. Text that is not UTF-8 gets U+FFFD where it is not.
//
//	codec, err := dynamic.Compile(def)
//	json, err = codec.AppendJSON(json[:0], encoded)
//	cbor, err = codec.AppendCBOR(cbor[:0], encoded)
//	err = codec.Values(encoded, func(v *dynamic.Value) { … v.Path, v.Number })
//	encoded, err = codec.AppendROS(encoded[:0], []byte(`{"x": 1.5}`), now)
//
// What is read bounds what is allocated: no input makes it panic or take more than a small multiple of its own size.
// The multiple depends on the definition alone, whose names are written again with each message.
//
// A Codec is immutable and safe for use by many goroutines.
//
// Source: the rosbridge v2 protocol; rosbridge_library's message_conversion and cbor_conversion, 0.11; RFC 8949 (CBOR)
// and RFC 8746 (typed arrays).
package dynamic
