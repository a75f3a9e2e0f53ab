// Package rosbridge serves the rosbridge v2 protocol over WebSocket. Programs that use it, such as roslib.js and
// roslibpy, can publish, subscribe, call and serve on every topic and service of the ROS graph.
//
// It does not support authentication (op auth), actions of ROS 2, or BSON, and sends CBOR but does not accept it.
// Service types must be in the node's library, because ROS servers do not send the definitions of their types. The
// definitions of topics come from the publishers.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/rosbridge", MasterURI: uri})
//	s, err := rosbridge.Listen(node, web.Config{Addr: "127.0.0.1:9090"})
//	err = s.Close()
//
// The server should have its own node, because a node can publish a topic and serve a service only once. The server
// answers requests to the node /rosapi itself, so that node is not needed.
//
// Differences from rosbridge_suite: a field that the type lacks is an error. With a queue_length of 0, the queue holds
// 100 messages, or one message of a throttled topic. In rosbridge_suite it would be unlimited, or empty for a throttled
// topic.
//
// All functions are safe for use by many goroutines.
//
// Source: ROSBRIDGE_PROTOCOL.md of RobotWebTools/rosbridge_suite, rosbridge_library and rosapi 0.11, roslib.js 2.1.
package rosbridge
