// Package robotio connects a running simulation with ROS 1 nodes: it publishes observations, carries out commands,
// serves services and calls those of other nodes, sets parameters, and publishes the clock.
//
// Which topics and services there are, under which names, of which types and units, is not in Go: a robot's profiles
// say it, TOML files which package mapping compiles. So the name of a topic comes from
// robotio/mapping/profiles/NAME.toml, and a team whose software differs writes a profile; docs/profiles.md shows how.
// names.go has the few names that every robot has without a profile.
//
// Stamps are sim time of capture. [Check] finds, without a simulation, what would keep a Bridge from being set up.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: uri})
//	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
//	defer bridge.Close()
package robotio
