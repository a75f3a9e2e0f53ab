package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Command is what a robot asks of its actuators in a frame.
type Command struct {
	Vel     pitch.Vec // m/s, in the field frame
	Omega   float64   // rad/s
	Dribble bool
	Kick    Kick
	Speed   float64 // of the kick, m/s

	// What mates are to know of it.
	Target pitch.Vec // to where the robot goes; the origin: nowhere
	Pass   Pass

	Way []pitch.Vec // by which it goes to the target, the last of which is that; nil: straight, or nowhere
}

// Pass is what a robot that passes intends.
type Pass struct {
	To uint8 // number of the mate that is to get the ball; 0: it passes to nobody
	At pitch.Vec
	In float64 // s
}

// Kick is a way to kick.
type Kick uint8

const (
	NoKick Kick = iota
	Flat
	Lob
)

// Message returns the command as the wire has it. The robot turns while it drives, for which its axes are taken in the
// middle of the frame.
func (c *Command) Message(w *world.World) msg.RobotCommand {
	v := pitch.Turn(c.Vel, -(w.Me.Heading + w.Me.Omega*framePeriod/2))
	return msg.RobotCommand{VX: v[0], VY: v[1], Omega: c.Omega, Dribble: c.Dribble, Kick: uint8(c.Kick),
		KickSpeed: c.Speed}
}

// framePeriod is the time from one command to the next, s: 30 frames a second.
const framePeriod = 1. / 30
