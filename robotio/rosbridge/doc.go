// Package rosbridge serves the rosbridge v2 protocol over WebSocket: roslib.js, roslibpy and other programs that speak
// JSON publish, subscribe, call and serve in the ROS graph, on every topic of it and not only the simulator's.
//
// It does not authenticate (op auth), fetch actions of ROS 2, or speak BSON; CBOR goes to clients only. Service types
// must be known to the node's library, for providers do not tell their definitions. Types of topics are learnt from
// publishers.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/rosbridge", MasterURI: uri})
//	s, err := rosbridge.Listen(node, rosbridge.Config{Addr: "127.0.0.1:9090"})
//	err = s.Close()
//
// The node should be the server's own, for a node publishes a topic and serves a service only once. What roslib.js asks
// of the node /rosapi is answered here, without such a node.
//
// Differences from rosbridge_suite: a field that the type lacks is an error; a queue_length of 0 keeps the newest
// message of a throttled topic, and 100 messages of another, rather than none and all.
//
// Everything is safe for use by many goroutines.
//
// Source: ROSBRIDGE_PROTOCOL.md of RobotWebTools/rosbridge_suite, rosbridge_library and rosapi 0.11, roslib.js 2.1.
package rosbridge
