package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Command is what a robot requests from its actuators for one frame.
type Command struct {
	Vel     pitch.Vec // m/s, field frame
	Omega   float64   // rad/s
	Dribble bool
	Kick    Kick
	Speed   float64 // of the kick, m/s

	// For teammates:
	Target pitch.Vec // where the robot drives; the origin if it does not drive
	Pass   Pass

	// waypoints, the last of which is Target; nil if the path is straight, or if the robot does not drive
	Way []pitch.Vec
}

// Pass is an intended pass.
type Pass struct {
	To uint8 // number of the receiver; 0 for no pass
	At pitch.Vec
	In float64 // s until the ball arrives
}

// Kick is a kind of kick.
type Kick uint8

const (
	NoKick Kick = iota
	Flat
	Lob
)

// Message converts the command to a message, which gives the velocity in the robot's own axes. The robot turns while it
// drives, so Message uses the axes that the robot will have after half of the time until the next frame.
func (c *Command) Message(w *world.World) msg.RobotCommand {
	v := pitch.Turn(c.Vel, -(w.Me.Heading + w.Me.Omega*framePeriod/2))
	return msg.RobotCommand{VX: v[0], VY: v[1], Omega: c.Omega, Dribble: c.Dribble, Kick: uint8(c.Kick),
		KickSpeed: c.Speed}
}

// framePeriod is the time between commands, s, at 30 frames per second.
const framePeriod = 1. / 30
