// Package gamecontroller implements both sides of the protocol of RoboCup's GameController, which tells robots the
// state of the game. With Serve, a simulation is a GameController for robots' own clients. With Follow, a simulation's
// game obeys a GameController.
//
// Packets are UDP datagrams, little-endian and without padding. A Control is the state of a game in any of four
// versions: of the Humanoid Soccer League (19 and 20), the Standard Platform League (18) and the former Humanoid League
// (12). A Return is a robot's packet.
//
//	server, err := gamecontroller.Serve(sim, gamecontroller.ServerConfig{Addr: robots,
//		Version: gamecontroller.Soccer20, Delay: 10 * time.Second, Say: func(text string) { log.Print(text) }})
//	defer server.Close()
//
//	var c gamecontroller.Control
//	if err := c.Parse(datagram); err != nil {
//		return err
//	}
//	fmt.Println(c.State == gamecontroller.Playing, c.Teams[0].Robots[2].Penalty)
//
// Positions are in m, angles in rad. No function waits for a peer.
//
// Sources: RoboCupGameControlData.h of the GameControllers of RoboCup-HumanoidSoccerLeague (19), RoboCup-SPL (18) and
// RoboCup-Humanoid-TC (12); the definitions of HULKs and Bit-Bots (20).
package gamecontroller
