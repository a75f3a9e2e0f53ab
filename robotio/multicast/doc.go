// Package multicast connects robots' programs that use UDP multicast, such as CAMBADA's RTDB, with the radios of a
// simulation. All programs run on one machine. On a common group and port, their datagrams would bypass the simulation,
// so each robot's program sends to and listens at its own port. The simulation listens there too and sends the received
// datagrams by the robot's radio. It sends what a robot receives by radio to that robot's group and port.
//
//	radios, err := multicast.Join(sim.World(), sim.Match(), func(text string) { log.Print(text) })
//	defer radios.Close()
//
// All datagrams stay on the loopback interface: sockets join groups and send only there. The kernel may loop a
// program's own datagrams back to it; the simulation does not return any to their sender. The step in which a datagram
// arrives depends on the wall clock; a recording stores it with its step. Datagrams that arrive too fast are dropped.
package multicast
