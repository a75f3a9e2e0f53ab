package node

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Sight turns the images and readings of one robot into the perceptions of its player, without ROS. A Sight belongs to
// one goroutine.
type Sight struct {
	eyes  *Eyes
	mates *vision.Class   // colour of the teammates' cards; nil disables their detection
	pose  locate.Estimate // pose in the last omni image
	play  play
}

// FrontSeen is the result of a front image, in the robot's frame, m.
type FrontSeen struct {
	Ball    vision.BallCandidate
	HasBall bool
	Mates   []vision.CardRobot // valid until the next front image
}

// NewSight returns the vision of the player with a number. mates is the colour of its team's cards, ClassCyan or
// ClassMagenta.
func NewSight(eyes *Eyes, mates vision.Class, number uint8) *Sight {
	s := &Sight{eyes: eyes, mates: &mates}
	player := Player{Team: msg.TeamCyan, Number: number, Meets: true}
	if mates == vision.ClassMagenta {
		player.Team = msg.TeamMagenta
	}
	s.play.begin(&player, eyes.field, false)
	return s
}

// Odometry records an odometry pose and the velocity in the robot's frame, m/s and rad/s.
func (s *Sight) Odometry(stamp time.Duration, pose locate.Pose, vel pitch.Vec, omega float64) {
	s.play.VX, s.play.VY, s.play.Omega = vel[0], vel[1], omega
	if s.eyes != nil {
		s.eyes.Tracker.Odometry(stamp, pose)
	}
}

// Compass records the heading by the compass, rad.
func (s *Sight) Compass(heading float64) { s.eyes.Tracker.Compass(heading) }

// Levers records by how far the ball presses in the dribbler's levers, m.
func (s *Sight) Levers(pressed ...float64) { s.play.press(pressed) }

// Game records a message of the referee box.
func (s *Sight) Game(m *msg.Game) { s.play.hear(m) }

// Omni processes an rgb8 omni image.
func (s *Sight) Omni(stamp time.Duration, pix []byte) Seen {
	seen := s.eyes.Omni(stamp, pix)
	s.pose = seen.Pose
	return seen
}

// Perception processes an rgb8 omni image, and returns the player's message. The message is valid until the next call.
func (s *Sight) Perception(stamp time.Duration, pix []byte) *msg.Perception {
	seen := s.Omni(stamp, pix)
	return s.play.perception(msg.Header{Stamp: msg.TimeFrom(stamp)}, &seen)
}

// Front processes an rgb8 front image.
func (s *Sight) Front(stamp time.Duration, pix []byte) (f FrontSeen) {
	f.Ball, f.HasBall = s.eyes.Front(pix, &s.pose)
	if s.mates != nil {
		f.Mates = s.eyes.Mates(pix, *s.mates, &s.pose)
	}
	if at, ok := s.eyes.Tracker.At(stamp); ok {
		if f.HasBall {
			s.play.watch(stamp, &at, &f.Ball)
		}
		s.play.meet(stamp, &at, f.Mates)
	}
	return f
}
