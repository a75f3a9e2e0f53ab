// Package robotio joins a simulation to the wires that robots speak: it publishes observations, takes commands and
// answers services, in each wire's own names, units and frames. It is the only place that converts them.
//
// On ROS 1 every robot lives in a namespace of its name. NuBot's messages are in cm, cm/s and rad, in the robot's
// frame (x forward) or its team's field frame (x towards the opponent's goal); standard messages are in SI and
// REP-103. Stamps are sim time of capture. Which topics a sensor feeds follows from its kind and its level: pixels at
// raw and ideal, what vision would report at objects and truth, so that what a robot's own vision publishes is never
// published twice.
//
//	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: uri})
//	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
//	defer bridge.Close()
package robotio
