// Package msg holds Go structs for the ROS 1 messages and services that the simulator speaks, one
// file per ROS package. Field names are the message's in Go spelling; where that loses letters, the
// tag ros:"name" keeps them.
//
// The structs carry no wire format: package wire compiles one from a definition in package msgdef
// and the struct, and refuses a struct whose fields differ from the definition's.
//
// Units are the message's own: ROS's messages in metres, radians and seconds, nubot_common in
// centimetres, radians and cm/s.
package msg
