package condition

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// TopicError holds while the poses, or the points, that came on a topic last are where a body was at their stamps, over the floor.
type TopicError struct {
	Topic string  `toml:"topic" required:"true" doc:"its whole name; its messages hold a pose or a point, as those of nav_msgs/Odometry, geometry_msgs/PoseStamped and PointStamped"`
	Of    string  `toml:"of" required:"true" was:"robot|name" doc:"ball, or the name of a robot or an obstacle, whose pose it is to be"`
	Under float64 `toml:"under_m" required:"true" range:"(0, 100]" doc:"from where the body was at the message's stamp, over the floor; without a header, when it came"`
	Angle float64 `toml:"under_deg" range:"[0, 180]" doc:"from the body's heading then; any if left out"`
	Frame string  `toml:"frame" oneof:"map|team" doc:"of the message: the map, or the field frame of the robot's team, whose x points to the opponent's goal"`
	Field string  `toml:"field" doc:"of the message, that holds the pose or the point, if the message is none itself"`
}

// SetDefaults is the frame of standard messages.
func (c *TopicError) SetDefaults() { c.Frame = "map" }

func (c *TopicError) Validate(w World) error {
	err := errors.Join(checkTopic(c.Topic), checkField(c.Field), wrong("of", c.Of, w.FindBody(c.Of)))
	if c.Frame == "team" && err == nil {
		if _, none := w.FindRobot(c.Of); none != nil {
			err = wrong("frame", c.Frame, fmt.Errorf("%s is no robot, so it has no team", c.Of))
		}
	}
	return err
}

func (c *TopicError) Bind(s State) (Test, error) {
	body, err := findBody(s, c.Of)
	if err != nil {
		return Test{}, err
	}
	truth, track, turned := s.Truth(), newTrack(s.Model().Step), c.turned(s)
	s.EachStep(func() { track.add(truth.Time, body.place(turned)) })
	last := &deviation{topic: c.Topic}
	s.Keep(track)
	s.Keep(last)
	err = s.Subscribe(c.Topic, posePaths(c.Field), func(m *Message) { last.add(m, track) })
	return Test{func() bool {
		return last.came && last.distance < c.Under && (c.Angle == 0 || last.angle < c.Angle) // NaN is not
	}, last.String}, err
}

// turned tells whether the message's frame is the map turned by half a turn.
func (c *TopicError) turned(s State) bool {
	if c.Frame != "team" {
		return false
	}
	for i := range s.Model().Robots {
		if r := &s.Model().Robots[i]; r.Name == c.Of {
			return r.Team == physics.Magenta
		}
	}
	return false
}

func (c *TopicError) String() string {
	text := fmt.Sprintf("%s within %v m", c.Topic, c.Under)
	if c.Angle > 0 {
		text += fmt.Sprintf(" and %.4g°", c.Angle*180/math.Pi)
	}
	return text + " of " + c.Of
}

// deviation is how far the messages are off that came last at one time: the furthest of them.
type deviation struct {
	topic                   string
	came                    bool
	arrived                 time.Duration
	distance, angle         float64 // m and rad; NaN where it is not known
	x, y, trueX, trueY      float64
	stamp                   time.Duration
	withoutPose, outOfReach bool
}

// add takes in a message: of those that came at one time the one that is furthest off counts, and the largest angle.
func (d *deviation) add(m *Message, track *track) {
	next := deviation{topic: d.topic, came: true, arrived: m.Arrived, stamp: m.Stamp, distance: math.NaN(), angle: math.NaN()}
	said, ok := poseOf(m.Values)
	was, known := track.at(m.Stamp)
	next.withoutPose, next.outOfReach = !ok, !known
	if ok && known {
		next.x, next.y, next.trueX, next.trueY = said.x, said.y, was.x, was.y
		next.distance = math.Hypot(said.x-was.x, said.y-was.y)
		next.angle = math.Abs(math.Remainder(said.heading-was.heading, 2*math.Pi))
	}
	if d.came && d.arrived == m.Arrived {
		distance, angle := math.Max(next.distance, d.distance), math.Max(next.angle, d.angle) // NaN if one is
		if next.distance <= d.distance || math.IsNaN(d.distance) {
			next = *d
		}
		next.distance, next.angle = distance, angle
	}
	*d = next
}

func (d *deviation) String() string {
	switch {
	case !d.came:
		return nothing(d.topic)
	case d.withoutPose:
		return fmt.Sprintf("messages of %s have no pose or point where it is looked for", d.topic)
	case d.outOfReach:
		return fmt.Sprintf("%s stamped %.3f s, which came at %.3f s: not within the %v s before", d.topic, d.stamp.Seconds(), d.arrived.Seconds(), trackTime.Seconds())
	}
	text := fmt.Sprintf("%s (%.2f, %.2f) m where (%.2f, %.2f) m is true, off by %.3f m", d.topic, d.x, d.y, d.trueX, d.trueY, d.distance)
	if d.angle >= 0 {
		text += fmt.Sprintf(" and %.3g°", d.angle*180/math.Pi)
	}
	return text
}

func (d *deviation) Exchange(c *keyframe.Codec) {
	c.Bools(&d.came, &d.withoutPose, &d.outOfReach)
	c.Duration(&d.arrived)
	c.Duration(&d.stamp)
	for _, n := range []*float64{&d.distance, &d.angle, &d.x, &d.y, &d.trueX, &d.trueY} {
		c.Float(n)
	}
}
