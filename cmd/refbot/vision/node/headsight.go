package node

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// HeadConfig configures the vision of a robot on legs by one camera in its head.
type HeadConfig struct {
	Lens         *vision.Pinhole // nil: nothing is seen before UseLens
	Neck         vision.Neck
	Colors       *vision.ColorTable // of the camera
	Field        *locate.Field
	BallRadius   float64 // m
	Team, Number uint8   // msg.TeamCyan or msg.TeamMagenta, and the number of the robot
	// Start is the pose on the field at the first odometry reading; nil if the robot has to find it.
	Start *locate.Pose
}

// headSway is the standard deviation of the error of the camera's direction, in rad. Measured: 0.3° of a humanoid that
// walks, from the zeros of its encoders and the lean of its trunk.
const headSway = 0.006

// Guesses. headReach is the largest distance of lines and obstacles from the camera, in m. headNearest is the distance
// from the robot's centre within which it sees itself, in m. A trunk that leans by more than upright, in rad, has
// fallen.
const (
	headReach   = 6.0
	headNearest = 0.1
	upright     = 0.35
)

// neckAhead is how long after the newest reading of the joints and of the inertial unit their motion is extrapolated:
// a little more than the time between readings.
const neckAhead = 25 * time.Millisecond

// HeadSight turns the images of a camera in a robot's head, and the readings of its joints, into the perceptions of its
// player, without ROS. The colours of images must be those of the colour table's light. A HeadSight belongs to one
// goroutine, and allocates nothing after the first few images.
type HeadSight struct {
	tracker   *locate.Tracker
	cfg       HeadConfig
	view      *vision.View
	lines     *vision.LineFinder
	segmenter *vision.Segmenter
	balls     *vision.BallFinder
	bodies    *vision.LensObstacleFinder
	onField   func(x, y float64) bool // mayStand
	pose      locate.Estimate         // in the last image

	neck  locate.Readings[vision.Posture] // pan and tilt alone
	trunk locate.Readings[vision.Posture] // roll and pitch alone
	lean  attitude
	play  play
}

// NewHeadSight returns the vision of a robot.
func NewHeadSight(cfg HeadConfig) *HeadSight {
	h := &HeadSight{tracker: locate.NewTracker(cfg.Field), cfg: cfg}
	h.tracker.SearchHalf(cfg.Team == msg.TeamMagenta)
	h.tracker.StartAt(cfg.Start)
	if cfg.Lens != nil {
		h.UseLens(cfg.Lens)
	}
	h.neck.Ahead, h.trunk.Ahead = neckAhead, neckAhead
	h.onField = h.mayStand
	h.play.begin(&Player{Team: cfg.Team, Number: cfg.Number}, cfg.Field, false)
	h.play.HasDribbler, h.play.ballRadius = false, cfg.BallRadius
	return h
}

// UseLens sets the lens of the camera.
func (h *HeadSight) UseLens(lens *vision.Pinhole) {
	v := vision.NewLensView(lens)
	h.view, h.lines = v, vision.NewLensLineFinder(v, headReach, h.cfg.Field.LineWidth)
	h.segmenter = vision.NewSegmenter(h.cfg.Colors, v.Width, v.Height, nil)
	h.balls, h.bodies = vision.NewBallFinder(v, h.cfg.BallRadius), vision.NewLensObstacleFinder(v, headReach)
	h.balls.Nearest, h.balls.Sway = headNearest, headSway
}

// Joints records the positions of the neck's joints, in rad: pan is positive to the left, tilt is positive down.
func (h *HeadSight) Joints(stamp time.Duration, pan, tilt float64) {
	h.neck.Add(stamp, vision.Posture{Pan: pan, Tilt: tilt})
}

// IMU records a reading of an inertial unit in the trunk, with the trunk's axes: the specific force, in m/s², and the
// angular velocity, in rad/s. Without readings the trunk counts as upright.
func (h *HeadSight) IMU(stamp time.Duration, force, rate mgl64.Vec3) {
	roll, pitch := h.lean.add(stamp, force, rate)
	h.trunk.Add(stamp, vision.Posture{Roll: roll, Pitch: pitch})
}

// Odometry records a pose in the odometry's own frame, and the velocity in the robot's frame, m/s and rad/s.
func (h *HeadSight) Odometry(stamp time.Duration, pose locate.Pose, vel pitch.Vec, omega float64) {
	h.play.VX, h.play.VY, h.play.Omega = vel[0], vel[1], omega
	h.tracker.Odometry(stamp, pose)
}

// Game records a message of the referee box.
func (h *HeadSight) Game(m *msg.Game) { h.play.hear(m) }

// Image processes an rgb8 image. Without readings of the joints near its stamp, and while the robot lies, nothing is
// seen.
func (h *HeadSight) Image(stamp time.Duration, pix []byte) (s Seen) {
	p, ok := h.neck.At(stamp)
	trunk, _ := h.trunk.At(stamp)
	p.Roll, p.Pitch = trunk.Roll, trunk.Pitch
	fallen := math.Hypot(p.Roll, p.Pitch) > upright
	if !ok || fallen || h.view == nil {
		s.Pose.Pose, s.Pose.Known = h.tracker.At(stamp)
		if fallen {
			h.tracker.Fell(stamp)
		}
		return s
	}
	h.cfg.Neck.Aim(h.view, p)
	s.Pose = h.tracker.Image(stamp, h.lines.Find(pix))
	h.pose = s.Pose
	classes := h.segmenter.Segment(pix)
	s.Ball, s.HasBall = best(h.balls.Find(pix, classes), h.cfg.Field, &s.Pose)
	s.Obstacles = h.bodies.Find(classes, h.onField)
	return s
}

// goalFrame is a distance from the posts and the net of a goal, in m, within which an obstacle is a part of the goal.
const goalFrame = 0.3

// mayStand reports whether the front of a robot may be at a position in the robot's frame, according to pose: on the
// field or near it, and not where a goal is.
func (h *HeadSight) mayStand(x, y float64) bool {
	if !h.pose.Known {
		return true
	}
	f, at := h.cfg.Field, h.pose.Pos.Add(pitch.Turn(pitch.Vec{x, y}, h.pose.Heading))
	beyond, aside := math.Abs(at[0])-f.Length/2, math.Abs(at[1])-f.GoalWidth()/2
	goal := beyond > 0 && aside < goalFrame || math.Hypot(beyond, aside) < goalFrame
	return inField(f, &h.pose, x, y, obstacleOutside) && !goal
}

// Perception processes an rgb8 image, and returns the player's message. The message is valid until the next call.
func (h *HeadSight) Perception(stamp time.Duration, pix []byte) *msg.Perception {
	seen := h.Image(stamp, pix)
	return h.play.perception(msg.Header{Stamp: msg.TimeFrom(stamp)}, &seen)
}
