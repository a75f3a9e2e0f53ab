// Package refbox speaks the protocol of the MSL referee box, from both sides. A Client is a team's connection to a box;
// Follow has a running simulation do what a box commands, with a Client for each of its teams. A Server is a small box
// for teams' own clients; Announce has it say what happens in a simulation's game.
//
// The box listens at TCP port 28097 and teams connect. Messages are JSON in UTF-8, each ended by a NUL byte: the box
// sends a Message, a team its WorldState. The box sends every Message to both teams; TargetTeam says whose it is.
//
//	following := refbox.Follow(sim, refbox.FollowConfig{Addr: "172.16.1.2:28097", Say: func(text string) { log.Print(text) }})
//	defer following.Close()
//
//	server, err := refbox.Listen(refbox.ServerConfig{Addr: "127.0.0.1:28097"})
//	refbox.Announce(sim, server)
//
// A box and a team's client can do no more than what their messages say: a connection that is lost is made again, what
// is no message is left out and told of, at most once a minute each, and nobody waits for a peer.
//
// Source: RoboCup-MSL/RefBox, mslrb2015 (Comms, Team, StateMachine, Button); of world states also tools/JSON Worldstate
// Validator.
package refbox
