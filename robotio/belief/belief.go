// Package belief holds the estimates that robots' programs publish on topics: the poses and velocities of the robots,
// the ball, obstacles, goals, lines, planned paths, and what the robots do. It knows neither ROS nor the decoding of
// messages (see the entries belief of package robotio/mapping) nor their sources (see robotio.Beliefs), so that
// dashboards and windows can depend on this package alone.
//
// Places are in the map frame, in metres and radians. The x axis points to the goal that cyan attacks, for both teams.
// If a message gives positions in the robot's frame (x forward, y left) and no pose of the robot, its places stay in
// that frame and the Belief is Relative. Place.Put converts such places to the map frame. Places in a camera's image
// are in pixels: x to the right, y down.
package belief

import (
	"cmp"
	"math"
	"time"
)

// Limits of one message; guesses. Real messages have about ten obstacles, and paths and lines with tens of points.
const (
	MaxObstacles = 64
	MaxPath      = 256 // also of lines
	MaxText      = 64  // bytes of a role or an action
)

// Robot holds the newest beliefs of one robot; a belief without a recent message is nil.
type Robot struct {
	Name string
	Pose *Belief // one place, with a heading
	Things
	Path     *Belief // starts at the robot, or is its target alone; the last place is the target
	Velocity *Belief // one place, whose X and Y are the velocity in m/s
	Status   *Status
}

// Things holds the beliefs about things that a robot's vision finds, on the floor or in an image. Those without a
// recent message are nil.
type Things struct {
	Ball      *Belief // belief with one place, or with none if the position is unknown
	Obstacles *Belief
	Goal      *Belief // posts and bars
	Lines     *Belief
}

// Fill sets the beliefs that t lacks to those of other.
func (t *Things) Fill(other *Things) {
	t.Ball, t.Obstacles = cmp.Or(t.Ball, other.Ball), cmp.Or(t.Obstacles, other.Obstacles)
	t.Goal, t.Lines = cmp.Or(t.Goal, other.Goal), cmp.Or(t.Lines, other.Lines)
}

// Status is what a robot says that it does.
type Status struct {
	Topic        string
	Stamp        time.Duration // sim time of the first message that the status is from
	Role, Action string        // "" if unknown
	Side         string        // side on which the team attacks; "" if unknown
	Dribbling    *bool         // whether the robot dribbles the ball; nil if unknown
}

// Fill returns s, with the values of later where s has none. Either may be nil.
func (s *Status) Fill(later *Status) *Status {
	if s == nil || later == nil {
		return cmp.Or(s, later)
	}
	all := *s
	all.Role, all.Action = cmp.Or(s.Role, later.Role), cmp.Or(s.Action, later.Action)
	all.Side = cmp.Or(s.Side, later.Side)
	all.Dribbling = cmp.Or(s.Dribbling, later.Dribbling)
	return &all
}

// Belief is one message about one kind of thing.
type Belief struct {
	Topic    string
	Stamp    time.Duration // sim time to which the estimate applies
	Relative bool          // Places are in the robot's frame
	Places   []Place
	LeftOut  int // number of places that were dropped because of the limit
}

// Place is a position, with a heading if HasHeading. If HasEnd, it is the line from the position to (EndX, EndY). In an
// image, the position of an obstacle is the top left corner of its box.
type Place struct {
	X, Y, Z    float64
	EndX, EndY float64
	HasEnd     bool
	Width      float64 // of a box, a post or a line; diameter of a ball; 0 if unknown
	Height     float64 // of a box; 0 if unknown
	Heading    float64
	HasHeading bool
	Number     int     // number of a robot; 0 for other things and for an unknown number
	Confidence float64 // as the program says, from 0 to 1; 1 if it says nothing
}

// PoseInMap returns the robot's estimated pose in the map frame, if it is known.
func (r *Robot) PoseInMap() (pose Place, ok bool) {
	if r.Pose == nil || r.Pose.Relative || len(r.Pose.Places) == 0 {
		return pose, false
	}
	return r.Pose.Places[0], true
}

// Put converts the place inRobot from a robot's frame to the map frame. p is the robot's pose.
func (p Place) Put(inRobot Place) Place {
	sin, cos := math.Sincos(p.Heading)
	q := inRobot
	q.X, q.Y = p.X+cos*inRobot.X-sin*inRobot.Y, p.Y+sin*inRobot.X+cos*inRobot.Y
	q.EndX, q.EndY = p.X+cos*inRobot.EndX-sin*inRobot.EndY, p.Y+sin*inRobot.EndX+cos*inRobot.EndY
	q.Heading = inRobot.Heading + p.Heading
	return q
}

// Rotate converts a velocity from a robot's frame to the map frame. p is the robot's pose.
func (p Place) Rotate(inRobot Place) Place { return Place{Heading: p.Heading}.Put(inRobot) }

// Turned converts a place between the field frames of the two teams, which differ by half a turn about the same origin.
func (p Place) Turned() Place {
	p.X, p.Y, p.EndX, p.EndY = -p.X, -p.Y, -p.EndX, -p.EndY
	if p.HasHeading {
		p.Heading = math.Remainder(p.Heading+math.Pi, 2*math.Pi)
	}
	return p
}

// Finite reports whether all numbers of a place are finite and below 1e6; messages may contain any number.
func (p Place) Finite() bool {
	for _, x := range [...]float64{p.X, p.Y, p.Z, p.EndX, p.EndY, p.Width, p.Height, p.Heading} {
		if !(math.Abs(x) < 1e6) {
			return false
		}
	}
	return true
}
