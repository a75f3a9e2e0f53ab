// Package graph checks and resolves the names of ROS 1's graph: nodes, topics, services, parameters.
//
//	graph.Resolve("/cyan1/driver", "~rate")     // /cyan1/driver/rate
//	graph.Resolve("/cyan1/driver", "odoinfo")   // /cyan1/odoinfo
//	graph.Resolve("/cyan1/driver", "/clock")    // /clock
//
// Source: the ROS 1 wiki, Names, and the behaviour of rosgraph.names 1.15.
package graph
