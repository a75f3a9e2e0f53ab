package node

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
)

// Thresholds for the confidence of a candidate. Above maybeFlies the candidate may be a ball in the air, if it is on
// the path of a flight. Above sureDepth the candidate is the ball in any case. The confidence of a candidate without
// the ball's colour is at most 0.5.
const (
	maybeFlies = 0.35
	sureDepth  = 0.6
)

// onPath is a distance from the path of a flight, in m. A candidate within this distance is the flying ball.
const onPath = 0.15

// vague is the largest standard deviation of a touchdown that is still reported, in m. 0.25 is a guess: half of the
// width of a goalkeeper.
const vague = 0.25

// DepthEyes find the ball in a robot's depth images and follow its flight, in the frame of the robot's odometry.
// Without odometry the robot is assumed to stand. The tilt of the robot's base is ignored. A DepthEyes belongs to one
// goroutine, and allocates nothing after the first few images.
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

// NewDepthEyes returns a DepthEyes for a number of cameras. Use configures each camera.
func NewDepthEyes(cameras int) *DepthEyes { return &DepthEyes{eyes: make([]*depthEye, cameras)} }

// Use configures the camera with the index number. If table is nil, the ball is found by depth alone.
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

// Segment returns the class of each pixel of an rgb8 colour image. The argument number is the index of the camera. If
// the camera has no colour table, Segment returns nil. The result is lent until the camera's next image.
func (e *DepthEyes) Segment(number int, pix []byte) []vision.Class {
	if e.eyes[number].segmenter == nil {
		return nil
	}
	return e.eyes[number].segmenter.Segment(pix)
}

// Look processes a 16UC1 depth image. The argument number is the index of the camera. classes are the classes of the
// pixels in the colour image of the same time; they may be nil.
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

// surest returns the first candidate, which has the highest confidence, and whether it is the ball.
func surest(all []vision.BallCandidate) (c vision.BallCandidate, ok bool) {
	if len(all) == 0 || all[0].Confidence < sureDepth {
		return c, false
	}
	return all[0], true
}
