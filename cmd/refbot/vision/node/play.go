package node

import (
	"strconv"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/ball"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// pressed is how far a lever of the dribbler has to be pressed in by a ball that is held, m. Guess: thrice the noise.
const pressed = 0.003

// together is how far apart the stamps of a front and an omni image are at most that are taken for one look.
const together = 40 * time.Millisecond

// play makes of what is seen the message that a player gets. There is no game: it is always played.
type play struct {
	msg.Perception                // the message, used again
	front          ball.Candidate // by the front camera
	frontAt        time.Duration
}

// begin fills in what does not change: the number is that at the end of the robot's name.
func (p *play) begin(space string, f *locate.Field) {
	p.FieldLength, p.FieldWidth, p.Phase, p.Team, p.frontAt = f.Length, f.Width, "playing", msg.TeamCyan, -together-1
	if digits := space[len(strings.TrimRight(space, "0123456789")):]; digits != "" {
		if n, err := strconv.ParseUint(digits, 10, 8); err == nil {
			p.Number = uint8(n)
		}
	}
}

// press takes in the dribbler's levers.
func (p *play) press(levers []float64) {
	p.Holding = len(levers) > 0
	for _, l := range levers {
		p.Holding = p.Holding && l > pressed
	}
}

// perception returns the message of an image, lent until the next.
func (p *play) perception(h msg.Header, s *Seen) *msg.Perception {
	p.Header = h
	e := &s.Pose
	p.SelfKnown, p.X, p.Y, p.Heading = e.Known, e.Pos[0], e.Pos[1], e.Heading
	field := func(x, y float64) pitch.Vec { return e.Pos.Add(pitch.Turn(pitch.Vec{x, y}, e.Heading)) }
	at, known := s.Ball.Pos, s.HasBall
	if late := h.Stamp.Since() - p.frontAt; late <= together && late >= -together {
		at, known = p.front.Pos, true
	}
	p.BallSeen = known && e.Known
	b := field(at[0], at[1])
	p.BallX, p.BallY, p.BallZ = b[0], b[1], at[2]
	p.Others = p.Others[:0]
	if !e.Known {
		return &p.Perception
	}
	for _, o := range s.Obstacles {
		c := field(o.X, o.Y)
		p.Others = append(p.Others, msg.Sighting{X: c[0], Y: c[1], Width: 2 * o.Radius})
	}
	return &p.Perception
}
