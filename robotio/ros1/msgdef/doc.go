// Package msgdef reads ROS 1 message and service definitions (.msg and .srv text) at run time and
// computes from them what peers compare: the md5 sum and the full definition text.
//
// It does not encode messages; package wire does, from the definitions found here. Definitions are
// data because teams speak dialects: the same type name with other fields and another md5 sum.
//
//	lib, err := msgdef.Load("nubot")
//	def, err := lib.Message("nubot_common/OdoInfo")
//	fmt.Println(def.MD5, def.Fields)
//
// A Library may be read from many goroutines; adding to it is not safe beside readers.
//
// Source: the message description language and md5 rules of ROS 1's genmsg, 0.5.
package msgdef
