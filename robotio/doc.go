// Package robotio connects a running simulation with ROS 1 nodes. It publishes observations, executes commands, serves
// services and calls those of other nodes, sets parameters, and publishes the clock.
//
// Topics and services, their types and their units are defined in the profiles of robots, not in Go. Package mapping
// compiles these TOML files. The name of a topic comes from robotio/mapping/profiles/NAME.toml. A team with other
// software writes its own profile; docs/profiles.md shows how. The file names.go has the few names that no profile has.
//
// Stamps are the sim time of capture. [Check] finds all errors that would keep a Bridge from starting, without a
// simulation.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: uri})
//	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
//	defer bridge.Close()
package robotio
