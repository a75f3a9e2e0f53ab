package node

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
)

// Confidence above which a candidate may be a ball in the air, which its path has to confirm, and above which it is the
// ball. Without the ball's colour, confidence is at most 0.5.
const (
	maybeFlies = 0.35
	sureDepth  = 0.6
)

// onPath is the distance from a path within which a candidate is the flying ball, m.
const onPath = 0.15

// vague is the standard deviation of a touchdown above which it is not reported, m. Guess: half of a goalkeeper.
const vague = 0.25

// DepthEyes find the ball in a robot's depth images and follow its flight, in the frame of the robot's odometry.
// Without odometry the robot is assumed to stand. The tilt of its base is ignored. They belong to one goroutine, and
// allocate nothing after the first few images.
type DepthEyes struct {
	eyes   []*depthEye
	wheels locate.Wheels
	path   track.FlightTracker
}

// depthEye is a depth camera.
type depthEye struct {
	finder    *vision.DepthBallFinder
	segmenter *vision.Segmenter // nil to find the ball by shape alone
}

// Fall is the result of a depth image.
type Fall struct {
	Ball    vision.BallCandidate // in the robot's frame, m
	HasBall bool
	Down    track.Touchdown // in the odometry frame, m
	Falls   bool            // the ball is in the air and Down is known
}

// NewDepthEyes returns eyes for a number of cameras. Use configures each of them.
func NewDepthEyes(cameras int) *DepthEyes { return &DepthEyes{eyes: make([]*depthEye, cameras)} }

// Use configures a camera. With a nil table it finds the ball by depth alone.
func (e *DepthEyes) Use(number int, p *vision.Pinhole, mount vision.PinholeMount, noise vision.DepthNoise,
	table *vision.ColorTable) {
	eye := &depthEye{finder: vision.NewDepthBallFinder(p, mount, noise)}
	if table != nil {
		eye.segmenter = vision.NewSegmenter(table, p.Width, p.Height, carpetOf(vision.NewPinholeView(p, mount)))
	}
	e.eyes[number] = eye
}

// Odometry records an odometry pose.
func (e *DepthEyes) Odometry(stamp time.Duration, p locate.Pose) {
	if e.wheels.Add(stamp, p) {
		e.path = track.FlightTracker{}
	}
}

// Segment returns the classes of an rgb8 colour image of a camera, nil without a table. The result is lent until the
// camera's next image.
func (e *DepthEyes) Segment(number int, pix []byte) []vision.Class {
	if e.eyes[number].segmenter == nil {
		return nil
	}
	return e.eyes[number].segmenter.Segment(pix)
}

// Look processes a 16UC1 depth image of a camera, with the classes of the colour image of the same time, or nil.
func (e *DepthEyes) Look(number int, stamp time.Duration, millimetres []byte, classes []vision.Class) (s Fall) {
	all := e.eyes[number].finder.Find(millimetres, classes)
	pose, ok := e.wheels.At(stamp)
	if !ok && e.wheels.Known() { // the pose is unknown
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

// surest returns the first candidate, which is the best, and whether it is the ball.
func surest(all []vision.BallCandidate) (c vision.BallCandidate, ok bool) {
	if len(all) == 0 || all[0].Confidence < sureDepth {
		return c, false
	}
	return all[0], true
}
