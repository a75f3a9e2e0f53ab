package node

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// pressed is the least distance by which a held ball presses in a lever of the dribbler, in m. 0.003 is a guess: three
// times the noise of the measurement.
const pressed = 0.003

// poseError is the standard deviation of the robot's own position, in m. It adds to the standard deviation of the
// positions of observed objects. The value was measured: see docs/vision.md.
const poseError = 0.005

// cardReach is the largest distance of a teammate whose cards count, in m. Source: Dai et al., section 4.2: cards are
// recognised well from 1 m to 4 m.
const cardReach = 4.0

// play builds the player's perception from the results of vision.
type play struct {
	msg.Perception // reused
	ball           track.Ball
	ballRadius     float64 // m
	others         track.Obstacles
	seen           []track.Body

	meets   bool            // teammates in front images are part of perceptions
	mates   track.Obstacles // teammates in front images
	met     []track.Body    // those of the last front image
	metLast time.Duration   // stamp of that image
}

// begin sets the fields that do not change during a match. A robot with Kinects is a goalkeeper, which has only an
// extension. The phase is stopped until the first message of the referee.
func (p *play) begin(of *Player, f *locate.Field, kinects bool) {
	p.ballRadius = vision.BallRadius
	p.HasDribbler, p.HasKicker, p.HasExtension = !kinects, !kinects, kinects
	p.FieldLength, p.FieldWidth, p.Team, p.Number, p.meets = f.Length, f.Width, of.Team, of.Number, of.Meets
}

// hear records a message of the referee box.
func (p *play) hear(m *msg.Game) {
	p.Phase, p.Half, p.SetPiece, p.SetPieceTeam = m.Phase, m.Half, m.SetPiece, msg.TeamUnknown
	switch m.Team {
	case "cyan":
		p.SetPieceTeam = msg.TeamCyan
	case "magenta":
		p.SetPieceTeam = msg.TeamMagenta
	}
	if p.Goals, p.GoalsAgainst = m.Cyan, m.Magenta; p.Team == msg.TeamMagenta {
		p.Goals, p.GoalsAgainst = p.GoalsAgainst, p.Goals
	}
}

// press records the positions of the dribbler's levers.
func (p *play) press(levers []float64) {
	p.Holding = len(levers) > 0
	for _, l := range levers {
		p.Holding = p.Holding && l > pressed
	}
}

// watch adds an observation of the ball to the ball's track. pose is the robot's pose at the time of the observation.
func (p *play) watch(stamp time.Duration, pose *locate.Pose, c *vision.BallCandidate) {
	me := p.own(pose)
	p.ball.See(stamp, me.Pos.Add(pitch.Turn(pitch.Vec{c.Pos[0], c.Pos[1]}, me.Heading)),
		(c.Covariance.At(0, 0)+c.Covariance.At(1, 1))/2+poseError*poseError)
}

// perception returns the message for an omni image. The message is valid until the next call.
func (p *play) perception(h msg.Header, s *Seen) *msg.Perception {
	stamp := h.Stamp.Since()
	p.Header = h
	me := p.own(&s.Pose.Pose)
	p.SelfKnown, p.X, p.Y, p.Heading = s.Pose.Known, me.Pos[0], me.Pos[1], me.Heading
	p.Others, p.BallSeen = p.Others[:0], false
	if !p.SelfKnown {
		return &p.Perception
	}
	if s.HasBall {
		p.watch(stamp, &s.Pose.Pose, &s.Ball)
	}
	p.ball.Predict(stamp)
	var at, vel pitch.Vec
	at, vel, p.BallSeen, p.BallVelocityKnown = p.ball.Now()
	p.BallX, p.BallY, p.BallZ, p.BallVX, p.BallVY = at[0], at[1], p.ballRadius, vel[0], vel[1]
	p.seen = p.seen[:0]
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		p.seen = append(p.seen, track.Body{Pos: me.Pos.Add(pitch.Turn(pitch.Vec{o.X, o.Y}, me.Heading)),
			Radius: o.Radius})
	}
	for _, b := range p.others.See(stamp, p.seen) {
		p.Others = append(p.Others, msg.Sighting{X: b.Pos[0], Y: b.Pos[1], VX: b.Vel[0], VY: b.Vel[1],
			Width: 2 * b.Radius})
	}
	for _, b := range p.met {
		late := (stamp - p.metLast).Seconds()
		p.Others = append(p.Others, msg.Sighting{Team: p.Team, X: b.Pos[0] + late*b.Vel[0], Y: b.Pos[1] + late*b.Vel[1],
			VX: b.Vel[0], VY: b.Vel[1], Width: 2 * b.Radius})
	}
	p.met = nil
	return &p.Perception
}

// mateRadius is the radius of a teammate, in m. Source: the robot model nubot.
const mateRadius = 0.25

// meet adds the teammates in a front image to their tracks. pose is the robot's pose at the time of the image. Their
// cards tell no numbers, so their number in perceptions is 0.
func (p *play) meet(stamp time.Duration, pose *locate.Pose, mates []vision.CardRobot) {
	if !p.meets {
		return
	}
	me := p.own(pose)
	p.seen = p.seen[:0]
	for i := range mates {
		if m := &mates[i]; m.Distance <= cardReach {
			p.seen = append(p.seen, track.Body{Pos: me.Pos.Add(pitch.Turn(pitch.Vec{m.X, m.Y}, me.Heading)),
				Radius: mateRadius})
		}
	}
	p.met, p.metLast = p.mates.See(stamp, p.seen), stamp
}

// own converts a pose on the field to the team's own frame. For the magenta team, the x axis of its frame points in the
// opposite direction.
func (p *play) own(e *locate.Pose) locate.Pose {
	if p.Team != msg.TeamMagenta {
		return *e
	}
	return locate.Pose{Pos: e.Pos.Mul(-1), Heading: pitch.Wrap(e.Heading + math.Pi)}
}
