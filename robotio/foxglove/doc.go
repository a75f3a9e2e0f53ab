// Package foxglove serves the Foxglove WebSocket protocol: Foxglove, Lichtblick and their client libraries see every
// topic of the ROS graph, publish, call services, and read and set parameters.
//
// It does not fetch assets, and it does not convert messages: they go out as ROS encodes them, with their definition as
// schema. Services are offered whose types the node's library knows, for providers do not tell their definitions.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/foxglove", MasterURI: uri})
//	s, err := foxglove.Listen(node, foxglove.Config{Addr: "127.0.0.1:8765"})
//	err = s.Close()
//
// The node should be the server's own, for a node publishes a topic only once. Changes of the graph and of parameters
// reach clients within a second. Times of messages are those of their arrival, in sim time where the parameter
// /use_sim_time is true.
//
// Everything is safe for use by many goroutines.
//
// Source: foxglove/ws-protocol, docs/spec.md; and its client, @foxglove/ws-protocol 0.8.
package foxglove
