// Package graph holds what programs know of ROS 1's graph without a node of their own: how names of nodes, topics,
// services and parameters are resolved, and what the master and other nodes answer when they are asked.
//
//	graph.Resolve("/cyan1/driver", "~rate")     // /cyan1/driver/rate
//	graph.Resolve("/cyan1/driver", "odoinfo")   // /cyan1/odoinfo
//	graph.Resolve("/cyan1/driver", "/clock")    // /clock
//	state, err := graph.FetchState(ctx, masterURI, graph.Anonymous)
//
// Source: the ROS 1 wiki, Names, Master API and Slave API, and the behaviour of rosgraph.names 1.15.
package graph
