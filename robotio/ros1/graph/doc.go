// Package graph queries the ROS 1 graph without a node: it resolves names of nodes, topics, services and parameters,
// and asks the master and nodes for their state.
//
//	graph.Resolve("/cyan1/driver", "~rate")     // /cyan1/driver/rate
//	graph.Resolve("/cyan1/driver", "odoinfo")   // /cyan1/odoinfo
//	graph.Resolve("/cyan1/driver", "/clock")    // /clock
//	state, err := graph.FetchState(ctx, masterURI, graph.Anonymous)
//
// Source: the ROS 1 wiki, Names, Master API and Slave API, and the behaviour of rosgraph.names 1.15.
package graph
