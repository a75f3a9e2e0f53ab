// Package multicast connects robots' programs that use UDP multicast, such as CAMBADA's RTDB, with the radios of a
// simulation. All programs run on one machine. On a common group and port, their datagrams would bypass the simulation,
// so each robot's program sends to and listens at its own port. The simulation listens at this port too, and sends the
// received datagrams by the robot's radio. When the robot receives a message by radio, the simulation sends it to the
// robot's group and port. Programs with Mitecom send to one port on loopback and listen at another.
//
//	radios, err := multicast.Join(sim.World(), sim.Match(), func(text string) { log.Print(text) })
//	defer radios.Close()
//
// All datagrams stay on the loopback interface: sockets join groups and send only there. The kernel may loop a
// program's own datagrams back to it; the simulation never returns a datagram to its sender. The step in which a
// datagram arrives depends on the wall clock; a recording stores it with its step. Datagrams that arrive too fast are
// dropped.
package multicast
