package radio

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Message is what a robot tells of itself and of what it knows, all for the time when its radio takes the message.
type Message struct {
	Number  uint8 // of the sender, from 1 on
	Role    uint8 // that it has, as package role numbers them
	Holding bool  // it has the ball
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64
	Reach   time.Duration // in which it can be at the ball; NoReach: it cannot, or must not
	Target  pitch.Vec     // to where it goes
	Ball    Ball
	Pass    Pass
	Others  []Other // robots that it sees and that are no mates: MaxOthers at most
}

// Ball is where the sender has the ball.
type Ball struct {
	Known    bool
	Pos, Vel pitch.Vec
	Age      time.Duration // since it was seen by whoever saw it
}

// Pass is a pass that the sender intends, or has kicked.
type Pass struct {
	To     uint8     // number of the receiver; 0: there is none
	At     pitch.Vec // where the receiver gets it
	In     time.Duration
	Kicked bool
}

// Other is a robot that is no mate, or something as large.
type Other struct {
	Opponent bool  // by its colour; else its colour was not seen
	Number   uint8 // 0: not seen
	Pos, Vel pitch.Vec
}

// NoReach is the Reach of a robot that does not go for the ball.
const NoReach = 60 * time.Second

// MaxOthers bounds the robots of a message. A guess: two teams have ten.
const MaxOthers = 10
