package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// RadioMessage is what a robot tells of itself and of what it knows, all for the time when its radio takes the message.
type RadioMessage struct {
	Number  uint8 // of the sender, from 1 on
	Role    uint8 // that it has, as package role numbers them
	Holding bool  // it has the ball
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64
	Reach   time.Duration // in which it can be at the ball; NoReach: it cannot, or must not
	Target  pitch.Vec     // to where it goes
	Ball    RadioBall
	Pass    RadioPass
	Others  []RadioOther // robots that it sees and that are no mates: MaxOthers at most
}

// RadioBall is where the sender has the ball.
type RadioBall struct {
	Known    bool
	Pos, Vel pitch.Vec
	Age      time.Duration // since it was seen by whoever saw it
}

// RadioPass is a pass that the sender intends, or has kicked.
type RadioPass struct {
	To     uint8     // decodeNumber of the receiver; 0: there is none
	At     pitch.Vec // where the receiver gets it
	In     time.Duration
	Kicked bool
}

// RadioOther is a robot that is no mate, or something as large.
type RadioOther struct {
	Opponent bool  // by its colour; else its colour was not seen
	Number   uint8 // 0: not seen
	Pos, Vel pitch.Vec
}

// NeverReaches is the Reach of a robot that does not go for the ball.
const NeverReaches = 60 * time.Second

// MaxRadioOthers bounds the robots of a message. A guess: two teams have ten.
const MaxRadioOthers = 10
