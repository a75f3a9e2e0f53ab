package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// RadioMessage is what a robot tells its teammates about itself and the world, at the time at which it is sent.
type RadioMessage struct {
	Number  uint8 // of the sender, from 1
	Role    uint8 // as soccer.Role numbers them
	Holding bool  // the sender has the ball
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64
	Reach   time.Duration // time until the sender can reach the ball; NeverReaches if it cannot or must not
	Target  pitch.Vec     // where the sender drives
	Ball    RadioBall
	Pass    RadioPass
	Others  []RadioOther // robots that the sender sees, except for teammates; at most MaxRadioOthers
}

// RadioBall is the ball as the sender knows it.
type RadioBall struct {
	Known    bool
	Pos, Vel pitch.Vec
	Age      time.Duration // since the ball was seen
}

// RadioPass is a pass that the sender intends or has kicked.
type RadioPass struct {
	To     uint8     // number of the receiver; 0 for no pass
	At     pitch.Vec // where the receiver gets the ball
	In     time.Duration
	Kicked bool
}

// RadioOther is a robot other than a teammate, or an obstacle of similar size.
type RadioOther struct {
	Opponent bool  // identified by its colour
	Number   uint8 // 0 if unknown
	Pos, Vel pitch.Vec
}

// NeverReaches is the Reach of a robot that does not play the ball.
const NeverReaches = 60 * time.Second

// MaxRadioOthers is the largest number of robots in a message. 10 is a guess: two teams have ten robots together.
const MaxRadioOthers = 10
