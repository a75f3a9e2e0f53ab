package node

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
)

// scanLines is how many the finders of lines and obstacles have.
const scanLines = 360

// How far outside of the field the ball and obstacles may be, m, to be taken for such: people, boards and other balls
// are beyond.
const (
	ballOutside     = 0.4
	obstacleOutside = 0.6
)

// sure is the least confidence of a ball that counts. Guess: a third of the outline.
const sure = 0.4

// carpetWithin is how far from the robot's middle most of the floor is carpet, m, and carpetFrom where the robot itself
// no longer hides it.
const (
	carpetFrom   = 0.6
	carpetWithin = 3.0
)

// Eyes make of one robot's images what is seen in them. They allocate nothing once they have seen a few images, and are
// for one goroutine.
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
	onField func(x, y float64) bool // where obstacles may stand, by it
}

// eye is a camera with colours.
type eye struct {
	segmenter *vision.Segmenter
	balls     *vision.BallFinder
}

// Seen is what is seen in an image.
type Seen struct {
	Pose      locate.Estimate      // when the image was taken
	Ball      vision.BallCandidate // in the robot's frame, m
	HasBall   bool                 // it was seen
	Obstacles []vision.Obstacle    // in the robot's frame, m; lent until the next image
}

// NewEyes returns eyes that find the pose alone: see UseColors.
func NewEyes(floor *vision.Floor, field *locate.Field) *Eyes {
	e := &Eyes{Tracker: locate.NewTracker(field), field: field, lines: vision.NewLineFinder(floor, scanLines)}
	e.onField = func(x, y float64) bool { return e.inField(&e.pose, x, y, obstacleOutside) }
	return e
}

// UseColors has the ball and obstacles found in omni images, by a table.
func (e *Eyes) UseColors(table *vision.ColorTable, view *vision.View, floor *vision.Floor) {
	e.omni = newEye(table, view)
	e.bodies = vision.NewObstacleFinder(floor, scanLines)
}

// UseFront has the ball found in front images, by a table.
func (e *Eyes) UseFront(table *vision.ColorTable, view *vision.View) {
	e.front = newEye(table, view)
}

// UseCards has robots found by their colour cards in front images. No table is needed.
func (e *Eyes) UseCards(m vision.CardMeasures, view *vision.View) {
	e.cards = vision.NewCardFinder(view, m)
}

func newEye(table *vision.ColorTable, view *vision.View) *eye {
	return &eye{vision.NewSegmenter(table, view.Width, view.Height, carpetOf(view)), vision.NewBallFinder(view)}
}

// carpetOf returns every fifth pixel of the floor nearby, most of which show carpet.
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

// maxCarpet bounds the time in which the light is found.
const maxCarpet = 20000

// Omni returns what an omni image shows, rgb8, of a stamp.
func (e *Eyes) Omni(stamp time.Duration, pix []byte) (s Seen) {
	s.Pose = e.Tracker.Image(stamp, e.lines.Find(pix))
	if e.omni == nil {
		return s
	}
	classes := e.omni.segmenter.Segment(pix)
	s.Ball, s.HasBall = e.best(e.omni.balls.Find(pix, classes), &s.Pose)
	e.pose = s.Pose
	s.Obstacles = e.bodies.Find(classes, e.onField)
	return s
}

// Front returns the ball in a front image, rgb8; pose is the robot's when it was taken, if it is known.
func (e *Eyes) Front(pix []byte, pose *locate.Estimate) (c vision.BallCandidate, ok bool) {
	if e.front == nil {
		return c, false
	}
	return e.best(e.front.balls.Find(pix, e.front.segmenter.Segment(pix)), pose)
}

// Mates returns the robots on the field with cards of a colour in a front image, rgb8, lent until the next; pose is the
// robot's when it was taken, if it is known.
func (e *Eyes) Mates(pix []byte, color vision.Class, pose *locate.Estimate) []vision.CardRobot {
	e.mates = e.mates[:0]
	if e.cards == nil {
		return nil
	}
	for _, m := range e.cards.Find(pix) {
		if m.Color == color && e.inField(pose, m.X, m.Y, obstacleOutside) {
			e.mates = append(e.mates, m)
		}
	}
	return e.mates
}

// best returns the best candidate that is on the field.
func (e *Eyes) best(all []vision.BallCandidate, pose *locate.Estimate) (vision.BallCandidate, bool) {
	for _, c := range all {
		if c.Confidence >= sure && e.inField(pose, c.Pos[0], c.Pos[1], ballOutside) {
			return c, true
		}
	}
	return vision.BallCandidate{}, false
}

// inField tells whether a place in the robot's frame is on the field or at most so far outside; true of all while the
// pose is unknown.
func (e *Eyes) inField(pose *locate.Estimate, x, y, outside float64) bool {
	if !pose.Known {
		return true
	}
	at := pose.Pos.Add(pitch.Turn(pitch.Vec{x, y}, pose.Heading))
	return math.Abs(at[0]) < e.field.Length/2+outside && math.Abs(at[1]) < e.field.Width/2+outside
}
