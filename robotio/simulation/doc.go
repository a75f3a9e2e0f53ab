// Package simulation serves the interfaces of package simulation_interfaces 2.1 of ROS 2: a program controls the
// simulation with the same services as other simulators. Clients of versions 1.x work, too.
//
//	services, err := simulation.Serve(node, sim, "/")
//	err = services.Close()
//
// The services are in one table, see table. GetSimulatorFeatures returns exactly the features of the table, and that of
// the action SimulateSteps. A service that a running world cannot offer answers with FEATURE_UNSUPPORTED.
//
// Entities are the ball, the robots and the obstacles that are not absent. Their frame is on the floor under their
// centre; that of the ball is at its centre. Poses and twists are in the world frame, called world or map, in metres,
// m/s and rad/s. A request may use the name of an entity as its frame.
//
// Requests that read or change bodies wait for the goroutine that steps, which answers between two steps, or at once
// while the run is paused.
//
// Source: github.com/ros-simulation/simulation_interfaces, the comments in the definitions of 2.1.0.
package simulation
