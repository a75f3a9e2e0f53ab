// Package multicast carries what robots' programs tell their mates as datagrams of UDP multicast, as CAMBADA's RTDB
// does, through the radios of a simulation. All programs run on one machine, where a group and port that they share
// would carry their datagrams past the simulation: so each robot's program has a port of its own, at which it sends and
// listens. The simulation listens there too, has the robot's radio send what comes, and sends what reaches a robot by
// radio to that robot's group and port.
//
//	radios, err := multicast.Join(sim, func(text string) { log.Print(text) })
//	defer radios.Close()
//
// Everything stays on the loopback interface: sockets have joined groups there alone, and send there alone. A program
// gets its own datagrams from the kernel, as it would where it told the kernel to do so; the simulation sends none back
// to their sender. Datagrams come when they come: which step takes them depends on the wall clock, and a recording has
// them with their steps. Datagrams that come faster than steps take them, or sockets, are lost.
package multicast
