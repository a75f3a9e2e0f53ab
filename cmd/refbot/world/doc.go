// Package world is a robot's world model: where it is itself, where the ball is and how it rolls, where other robots
// are, and what the game is. It is made of nothing but the messages that the robot gets, one after the other: of its
// camera, and of mates that tell it something.
//
//	m := world.New()
//	w := m.Update(perception) // for each frame
//
// A frame shows what was when it was captured; a World is what is now, when the message has come: everything is
// predicted by the time between.
//
// All is in the team's field frame of package pitch: m, m/s, rad. There is neither a clock nor chance in it: the same
// messages give the same World.
package world
