// Package refbox implements both sides of the protocol of the MSL referee box. A Client is a team's connection to a
// box. With Follow, a running simulation obeys the commands of a box, with a Client for each of its teams. A Server is
// a small box for teams' own clients. With Announce, it announces the events of a simulation's game.
//
// The box listens at TCP port 28097 and teams connect. Messages are JSON in UTF-8 that end with a NUL byte. The box
// sends Message values, a team sends WorldState values. The box sends every Message to both teams; TargetTeam names the
// addressee.
//
//	following := refbox.Follow(sim, sim.Match(), sim.Clock(), refbox.FollowConfig{Addr: "172.16.1.2:28097",
//		Say: func(text string) { log.Print(text) }})
//	defer following.Close()
//
//	server, err := refbox.Listen(refbox.ServerConfig{Addr: "127.0.0.1:28097"})
//	refbox.Announce(sim, sim.Match(), server)
//
// A lost connection is restored. Invalid messages are ignored and reported at most once a minute. No function waits for
// a peer.
//
// Source: RoboCup-MSL/RefBox, mslrb2015 (Comms, Team, StateMachine, Button); of world states also tools/JSON Worldstate
// Validator.
package refbox
