package node

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
)

// Confidences of what depth images show: from the first on it may be a ball in the air, which its path has to confirm;
// from the second on it is the ball. What has not the ball's colour is at most 0.5.
const (
	maybeFlies = 0.35
	sureDepth  = 0.6
)

// onPath is how far from a path a candidate is the ball that flies it, m.
const onPath = 0.15

// vague is the standard deviation of a touchdown from which on it is not told, m. Guess: half of a goalkeeper.
const vague = 0.25

// DepthEyes find the ball in the images of a robot's depth cameras, and follow it through the air, in the frame of the
// robot's odometry. Without any odometry the robot is taken to stand; that its base tilts is left out. They allocate
// nothing once they have seen a few images, and are for one goroutine.
type DepthEyes struct {
	eyes   []*depthEye
	wheels locate.Wheels
	path   track.FlightTracker
}

// depthEye is a depth camera.
type depthEye struct {
	finder    *vision.DepthBallFinder
	segmenter *vision.Segmenter // nil: the ball is found by its shape alone
}

// Fall is what is seen in a depth image.
type Fall struct {
	Ball    vision.BallCandidate // in the robot's frame, m
	HasBall bool
	Down    track.Touchdown // in the frame of the odometry, m
	Falls   bool            // the ball is in the air, and Down is known
}

// NewDepthEyes returns eyes of so many cameras, none of which sees yet: see Use.
func NewDepthEyes(cameras int) *DepthEyes { return &DepthEyes{eyes: make([]*depthEye, cameras)} }

// Use has a camera see; without a table, nil, by depth alone.
func (e *DepthEyes) Use(number int, p *vision.Pinhole, mount vision.PinholeMount, noise vision.DepthNoise,
	table *vision.ColorTable) {
	eye := &depthEye{finder: vision.NewDepthBallFinder(p, mount, noise)}
	if table != nil {
		eye.segmenter = vision.NewSegmenter(table, p.Width, p.Height, carpetOf(vision.NewPinholeView(p, mount)))
	}
	e.eyes[number] = eye
}

// Odometry takes in where the robot is by its wheels.
func (e *DepthEyes) Odometry(stamp time.Duration, p locate.Pose) {
	if e.wheels.Add(stamp, p) {
		e.path = track.FlightTracker{}
	}
}

// Segment returns the classes of a colour image of a camera that sees, rgb8, lent until its next; nil without a table.
func (e *DepthEyes) Segment(number int, pix []byte) []vision.Class {
	if e.eyes[number].segmenter == nil {
		return nil
	}
	return e.eyes[number].segmenter.Segment(pix)
}

// Look returns what a depth image, 16UC1, of a camera that sees shows together with the classes of the colour image of
// the same time, if there are any.
func (e *DepthEyes) Look(number int, stamp time.Duration, millimetres []byte, classes []vision.Class) (s Fall) {
	all := e.eyes[number].finder.Find(millimetres, classes)
	pose, ok := e.wheels.At(stamp)
	if !ok && e.wheels.Known() { // the robot may be anywhere
		s.Ball, s.HasBall = surest(all)
		return s
	}
	turn := mgl64.Rotate3DZ(pose.Heading)
	place := func(c *vision.BallCandidate) mgl64.Vec3 { return turn.Mul3x1(c.Pos).Add(pose.Pos.Vec3(0)) }
	for i := range all {
		if c := &all[i]; c.Confidence >= maybeFlies {
			e.path.Add(track.BallSighting{Stamp: stamp, Pos: place(c),
				Covariance: turn.Mul3(c.Covariance).Mul3(turn.Transpose())})
		}
	}
	if f, ok := e.path.Flight(stamp); ok {
		s.Down, s.Falls = f.Touchdown()
		s.Falls = s.Falls && s.Down.Sigma < vague && s.Down.Stamp > stamp
		at := f.At(stamp - f.Stamp)
		for i := range all {
			if place(&all[i]).Sub(at).Len() < onPath {
				s.Ball, s.HasBall = all[i], true
				return s
			}
		}
	}
	s.Ball, s.HasBall = surest(all)
	return s
}

// surest returns the first candidate, which is the best, if it is the ball.
func surest(all []vision.BallCandidate) (c vision.BallCandidate, ok bool) {
	if len(all) == 0 || all[0].Confidence < sureDepth {
		return c, false
	}
	return all[0], true
}
