package node

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
)

// scanLines is the number of scan lines of LineFinder and ObstacleFinder.
const scanLines = 360

// Largest distances of a ball and of an obstacle from the field, in m. Objects farther outside are people, boards and
// other balls.
const (
	ballOutside     = 0.4
	obstacleOutside = 0.6
)

// sure is the least confidence of a candidate that counts as the ball. 0.4 is a guess: a third of the ball's outline
// has to be visible.
const sure = 0.4

// Distances from the robot's centre, in m. Between carpetFrom and carpetWithin, most of the floor is visible carpet.
const (
	carpetFrom   = 0.6
	carpetWithin = 3.0
)

// Eyes processes one robot's images. An Eyes belongs to one goroutine, and allocates nothing after the first few
// images.
type Eyes struct {
	Tracker *locate.Tracker
	field   *locate.Field
	lines   *vision.LineFinder
	omni    *eye
	front   *eye
	bodies  *vision.ObstacleFinder
	cards   *vision.CardFinder
	mates   []vision.CardRobot
	pose    locate.Estimate         // in the last omni image
	onField func(x, y float64) bool // reports whether an obstacle may be at a position, according to pose
}

// eye is a camera with a colour table.
type eye struct {
	segmenter *vision.Segmenter
	balls     *vision.BallFinder
}

// Seen is the result of an image.
type Seen struct {
	Pose      locate.Estimate      // at the stamp of the image
	Ball      vision.BallCandidate // in the robot's frame, m
	HasBall   bool                 // the ball was detected
	Obstacles []vision.Obstacle    // in the robot's frame, m; valid until the next image
}

// NewEyes returns an Eyes that finds only the robot's pose. UseColors, UseFront and UseCards enable further detections.
func NewEyes(floor *vision.Floor, field *locate.Field) *Eyes {
	e := &Eyes{Tracker: locate.NewTracker(field), field: field,
		lines: vision.NewLineFinder(floor, scanLines, field.LineWidth)}
	e.onField = func(x, y float64) bool { return inField(field, &e.pose, x, y, obstacleOutside) }
	return e
}

// UseColors enables the detection of ball and obstacles in omni images.
func (e *Eyes) UseColors(table *vision.ColorTable, view *vision.View, floor *vision.Floor) {
	e.omni = newEye(table, view)
	e.bodies = vision.NewObstacleFinder(floor, scanLines)
}

// UseFront enables the detection of the ball in front images.
func (e *Eyes) UseFront(table *vision.ColorTable, view *vision.View) {
	e.front = newEye(table, view)
}

// UseCards enables the detection of robots by their colour cards in front images.
func (e *Eyes) UseCards(m vision.CardMeasures, view *vision.View) {
	e.cards = vision.NewCardFinder(view, m)
}

func newEye(table *vision.ColorTable, view *vision.View) *eye {
	return &eye{vision.NewSegmenter(table, view.Width, view.Height, carpetOf(view)),
		vision.NewBallFinder(view, vision.BallRadius)}
}

// carpetOf returns the indices of every fifth pixel that shows the floor near the robot. Most of these pixels show
// carpet.
func carpetOf(view *vision.View) (carpet []int32) {
	for i := range view.Width * view.Height {
		if x, y, ok := view.Meets(view.Index(i), 0); ok && i%5 == 0 {
			if d := math.Hypot(x, y); d > carpetFrom && d < carpetWithin && len(carpet) < maxCarpet {
				carpet = append(carpet, int32(i))
			}
		}
	}
	return carpet
}

// maxCarpet is the largest number of pixels that carpetOf returns. It bounds the time in which a Segmenter determines
// the light.
const maxCarpet = 20000

// Omni processes an rgb8 omni image.
func (e *Eyes) Omni(stamp time.Duration, pix []byte) (s Seen) {
	s.Pose = e.Tracker.Image(stamp, e.lines.Find(pix))
	if e.omni == nil {
		return s
	}
	classes := e.omni.segmenter.Segment(pix)
	s.Ball, s.HasBall = best(e.omni.balls.Find(pix, classes), e.field, &s.Pose)
	e.pose = s.Pose
	s.Obstacles = e.bodies.Find(classes, e.onField)
	return s
}

// Front returns the ball in an rgb8 front image. pose is the robot's pose when the image was captured; the pose may be
// unknown.
func (e *Eyes) Front(pix []byte, pose *locate.Estimate) (c vision.BallCandidate, ok bool) {
	if e.front == nil {
		return c, false
	}
	return best(e.front.balls.Find(pix, e.front.segmenter.Segment(pix)), e.field, pose)
}

// Mates returns the robots on the field with cards of a colour in an rgb8 front image. The result is valid until the
// next call. pose is the robot's pose when the image was captured; the pose may be unknown.
func (e *Eyes) Mates(pix []byte, color vision.Class, pose *locate.Estimate) []vision.CardRobot {
	e.mates = e.mates[:0]
	if e.cards == nil {
		return nil
	}
	for _, m := range e.cards.Find(pix) {
		if m.Color == color && inField(e.field, pose, m.X, m.Y, obstacleOutside) {
			e.mates = append(e.mates, m)
		}
	}
	return e.mates
}

// best returns the candidate on the field with the highest confidence, and reports whether it counts as the ball.
func best(all []vision.BallCandidate, field *locate.Field, pose *locate.Estimate) (vision.BallCandidate, bool) {
	for _, c := range all {
		if c.Confidence >= sure && inField(field, pose, c.Pos[0], c.Pos[1], ballOutside) {
			return c, true
		}
	}
	return vision.BallCandidate{}, false
}

// inField reports whether a position in the robot's frame is at most margin metres outside of the field. It returns
// true while the robot's pose is unknown.
func inField(field *locate.Field, pose *locate.Estimate, x, y, margin float64) bool {
	if !pose.Known {
		return true
	}
	at := pose.Pos.Add(pitch.Turn(pitch.Vec{x, y}, pose.Heading))
	return math.Abs(at[0]) < field.Length/2+margin && math.Abs(at[1]) < field.Width/2+margin
}
