package condition

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// TopicError compares the poses or points that arrive on a topic with the true places of a body at the times of their
// stamps. It holds while the errors of the message that arrived last are below their limits; if several messages
// arrived at that time, all of them count. If a share is given, the condition holds while the errors of at least this
// fraction of all messages so far were below the limits. Distances are horizontal.
type TopicError struct {
	Topic  string  `toml:"topic" required:"true" doc:"full name of the topic; its messages hold a pose or a point, as nav_msgs/Odometry, geometry_msgs/PoseStamped and PointStamped do"`
	Of     string  `toml:"of" required:"true" was:"name" doc:"body whose pose the messages claim: ball, or the name of a robot or an obstacle"`
	Under  float64 `toml:"under_m" required:"true" range:"(0, 100]" doc:"upper limit of the distance from the body's true position at the message's stamp, over the floor; without a header, at its arrival"`
	Angle  float64 `toml:"under_deg" range:"[0, 180]" doc:"upper limit of the difference from the body's true heading; left out, any heading"`
	Frame  string  `toml:"frame" oneof:"map|team|base_link" doc:"frame of the pose: the map; the field frame of the robot's team, whose x points to the opponent's goal; or the frame of the robot that observes the body"`
	Robot  string  `toml:"robot" doc:"robot that observes the body; with frame base_link"`
	Within float64 `toml:"within_m" range:"[0, 100]" doc:"a message counts if the body was this close to the robot; left out, at any distance; with frame base_link"`
	Share  float64 `toml:"share" range:"[0, 1]" doc:"share of all messages so far that must be close enough, if not every one must: 0.5 limits the median"`
	Field  string  `toml:"field" doc:"field of the message that holds the pose or the point, if the message itself is none"`
}

// SetDefaults sets the frame that standard messages use.
func (c *TopicError) SetDefaults() { c.Frame = "map" }

func (c *TopicError) Validate(w World) error {
	err := errors.Join(checkTopic(c.Topic), checkField(c.Field), violation("of", c.Of, w.FindBody(c.Of)))
	switch {
	case c.Frame != "base_link":
		if c.Robot != "" {
			err = errors.Join(err, violation("robot", c.Robot, errors.New("needs frame = \"base_link\"")))
		}
		if c.Within != 0 {
			err = errors.Join(err, violation("within_m", c.Within, errors.New("needs frame = \"base_link\"")))
		}
	case c.Robot == c.Of:
		err = errors.Join(err, violation("robot", c.Robot, errors.New("must be a body other than {of}: the robot that "+
			"sees it")))
	default:
		_, none := w.FindRobot(c.Robot)
		err = errors.Join(err, violation("robot", c.Robot, none))
	}
	if c.Frame == "team" && err == nil {
		if _, none := w.FindRobot(c.Of); none != nil {
			err = violation("frame", c.Frame, fmt.Errorf("%s is no robot, so it has no team", c.Of))
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
	where := track.placeAt
	s.Keep(track)
	if c.Frame == "base_link" {
		at, err := findBody(s, c.Robot)
		if err != nil {
			return Test{}, err
		}
		robot := newTrack(s.Model().Step) // places of the robot that observes the body
		s.Keep(robot)
		s.EachStep(func() {
			track.add(truth.Time, body.place(false))
			robot.add(truth.Time, at.place(false))
		})
		where = func(when time.Duration) (place, bool) { return inRobotFrame(robot, track, when) }
	} else {
		s.EachStep(func() { track.add(truth.Time, body.place(turned)) })
	}
	last := &deviation{topic: c.Topic}
	s.Keep(last)
	// a comparison with NaN is false
	near := func() bool { return last.distance < c.Under && (c.Angle == 0 || last.angle < c.Angle) }
	err = s.Subscribe(c.Topic, posePaths(c.Field), func(m *Message) {
		was, known := where(m.Stamp)
		if c.Within > 0 && known && math.Hypot(was.x, was.y) > c.Within {
			return
		}
		if c.Share == 0 {
			last.add(m, was, known)
			return
		}
		last.came = false // makes last hold the errors of this message alone
		last.add(m, was, known)
		last.all++
		if near() {
			last.near++
		}
	})
	return Test{func() bool {
		if c.Share > 0 {
			return last.all > 0 && float64(last.near) >= c.Share*float64(last.all)
		}
		return last.came && near()
	}, func() string { return last.string(c) }}, err
}

// inRobotFrame returns the place of a body in a robot's frame, at the sim time stamp. The bool result is false if the
// place is unknown.
func inRobotFrame(robot, body *track, stamp time.Duration) (place, bool) {
	r, okR := robot.placeAt(stamp)
	b, okB := body.placeAt(stamp)
	sin, cos := math.Sincos(r.heading)
	dx, dy := b.x-r.x, b.y-r.y
	return place{cos*dx + sin*dy, cos*dy - sin*dx, b.heading - r.heading}, okR && okB
}

// turned reports whether the frame of the message is the map frame turned by 180°.
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
	text += " of " + c.Of
	if c.Within > 0 {
		text += fmt.Sprintf(" within %v m of %s", c.Within, c.Robot)
	}
	if c.Share > 0 {
		text += fmt.Sprintf(", %.4g %% of the messages", 100*c.Share)
	}
	return text
}

// deviation is the largest error among the messages that arrived at the latest time of arrival.
type deviation struct {
	topic                   string
	came                    bool
	arrived                 time.Duration
	distance, angle         float64 // in m and rad; NaN if unknown
	x, y, trueX, trueY      float64
	stamp                   time.Duration
	withoutPose, outOfReach bool
	// number of messages that count, and number of messages that are close enough; both are used if a share is given
	all, near int
}

// add records a message. If several messages arrive at the same time, the largest distance and the largest angle among
// them count.
func (d *deviation) add(m *Message, was place, known bool) {
	next := deviation{topic: d.topic, came: true, arrived: m.Arrived, stamp: m.Stamp, distance: math.NaN(),
		angle: math.NaN()}
	said, ok := poseOf(m.Values)
	next.all, next.near = d.all, d.near
	next.withoutPose, next.outOfReach = !ok, !known
	if ok && known {
		next.x, next.y, next.trueX, next.trueY = said.x, said.y, was.x, was.y
		next.distance = math.Hypot(said.x-was.x, said.y-was.y)
		next.angle = math.Abs(math.Remainder(said.heading-was.heading, 2*math.Pi))
	}
	if d.came && d.arrived == m.Arrived {
		// the result is NaN if either argument is NaN
		distance, angle := math.Max(next.distance, d.distance), math.Max(next.angle, d.angle)
		if next.distance <= d.distance || math.IsNaN(d.distance) {
			next = *d
		}
		next.distance, next.angle = distance, angle
	}
	*d = next
}

func (d *deviation) string(c *TopicError) string {
	switch {
	case !d.came && c.Within > 0:
		return fmt.Sprintf("%s while %s was within %v m of %s", noMessageYet(d.topic), c.Of, c.Within, c.Robot)
	case !d.came:
		return noMessageYet(d.topic)
	case c.Share > 0:
		return fmt.Sprintf("%d of %d messages of %s, %.3g %%", d.near, d.all, d.topic,
			100*float64(d.near)/float64(d.all))
	case d.withoutPose:
		return fmt.Sprintf("messages of %s have no pose or point at that field", d.topic)
	case d.outOfReach:
		return fmt.Sprintf("%s stamped %.3f s, which arrived at %.3f s: not within the %v s before", d.topic,
			d.stamp.Seconds(), d.arrived.Seconds(), trackTime.Seconds())
	}
	text := fmt.Sprintf("%s (%.2f, %.2f) m where (%.2f, %.2f) m is true, off by %.3f m", d.topic, d.x, d.y, d.trueX,
		d.trueY, d.distance)
	if d.angle >= 0 {
		text += fmt.Sprintf(" and %.3g°", d.angle*180/math.Pi)
	}
	return text
}

func (d *deviation) Exchange(c *keyframe.Codec) {
	c.Bools(&d.came, &d.withoutPose, &d.outOfReach)
	c.Duration(&d.arrived)
	c.Duration(&d.stamp)
	c.Int(&d.all)
	c.Int(&d.near)
	for _, n := range []*float64{&d.distance, &d.angle, &d.x, &d.y, &d.trueX, &d.trueY} {
		c.Float(n)
	}
}

// Paths of the fields in which messages hold a point or an orientation. If a message has several of these fields, the
// first in the list is read. The paths fit these types: Odometry and PoseWithCovarianceStamped; PoseStamped and
// PoseWithCovariance; Pose; TransformStamped; PointStamped; messages with a Pose2D; Point and Pose2D.
var (
	pointFields = []string{"pose.pose.position.", "pose.position.", "position.", "transform.translation.", "point.",
		"pose.", ""}
	turnFields  = []string{"pose.pose.orientation.", "pose.orientation.", "orientation.", "transform.rotation."}
	angleFields = []string{"pose.theta", "theta"}
)

// posePaths lists all field paths at which a message may hold a pose. If a field is given, the paths start inside that
// field. poseOf reads the values at these paths.
func posePaths(field string) (paths []string) {
	if field != "" {
		field += "."
	}
	for _, p := range pointFields {
		paths = append(paths, field+p+"x", field+p+"y")
	}
	for _, p := range turnFields {
		paths = append(paths, field+p+"x", field+p+"y", field+p+"z", field+p+"w")
	}
	for _, p := range angleFields {
		paths = append(paths, field+p)
	}
	return paths
}

// poseOf returns the pose that a message holds, or only its point. The result ok is false if the message holds neither.
func poseOf(v []Value) (p place, ok bool) {
	p.heading = math.NaN()
	for range pointFields {
		if x, y := v[0], v[1]; !ok && x.Known && y.Known {
			p.x, p.y, ok = x.Number, y.Number, true
		}
		v = v[2:]
	}
	known := false
	for range turnFields {
		if x, y, z, w := v[0], v[1], v[2], v[3]; !known && x.Known && w.Known {
			known = true
			p.heading = math.Atan2(2*(w.Number*z.Number+x.Number*y.Number), 1-2*(y.Number*y.Number+z.Number*z.Number))
		}
		v = v[4:]
	}
	for i := range angleFields {
		if !known && v[i].Known {
			known, p.heading = true, v[i].Number
		}
	}
	return p, ok
}
