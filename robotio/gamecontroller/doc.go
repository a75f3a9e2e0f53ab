// Package gamecontroller implements the packets of RoboCup's GameController: those that tell robots the state of the
// game, and those that robots send back.
//
// Packets are UDP datagrams, little-endian and without padding. A Control is the state of a game in any of four
// versions: of the Humanoid Soccer League (19 and 20), the Standard Platform League (18) and the former Humanoid League
// (12). A Return is a robot's packet.
//
//	var c gamecontroller.Control
//	if err := c.Parse(datagram); err != nil {
//		return err
//	}
//	fmt.Println(c.State == gamecontroller.Playing, c.Teams[0].Robots[2].Penalty)
//
// Sources: RoboCupGameControlData.h of the GameControllers of RoboCup-HumanoidSoccerLeague (19), RoboCup-SPL (18) and
// RoboCup-Humanoid-TC (12); the definitions of HULKs and Bit-Bots (20).
package gamecontroller
