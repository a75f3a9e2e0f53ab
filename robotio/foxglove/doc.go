// Package foxglove serves the Foxglove WebSocket protocol. Foxglove, Lichtblick and their client libraries can show
// every topic of the ROS graph, publish, call services, and read and set parameters.
//
// It does not serve assets and does not convert messages: it sends them in the encoding of ROS, with their definition
// as schema. It offers only services whose types are in the node's library, because ROS servers do not send the
// definitions of their types.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/foxglove", MasterURI: uri})
//	s, err := foxglove.Listen(node, web.Config{Addr: "127.0.0.1:8765"})
//	err = s.Close()
//
// The server should have its own node, because a node can publish a topic only once. Changes of the graph and of
// parameters reach clients within a second. The time of a message is the time of its arrival, in sim time if the
// parameter /use_sim_time is true.
//
// All functions are safe for use by many goroutines.
//
// Source: foxglove/ws-protocol, docs/spec.md; and its client, @foxglove/ws-protocol 0.8.
package foxglove
