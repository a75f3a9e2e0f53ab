// Package belief has what robots believe to be the case, as their programs say it on topics of their own: where they
// are, where the ball and obstacles are, and which path they take. It knows neither ROS nor how messages are read (see
// the entries belief of package robotio/mapping), nor where they come from (see robotio.Beliefs): dashboards and
// windows need this package alone.
//
// Places are in the map, metres and radians: x towards the goal that cyan attacks, whatever the team's own field frame
// is. Who says where things are in the robot's frame (x forward, y left) and not where that is has Relative places;
// Place.Put puts them into the map.
package belief

import (
	"math"
	"time"
)

// Bounds of what is kept of one message. Guesses: teams have ten obstacles, and show paths of some tens of points.
const (
	MaxObstacles = 64
	MaxPath      = 256
)

// Robot is what one robot believes: of each kind what was said last; nil: nothing was said lately.
type Robot struct {
	Name      string
	Pose      *Belief // one place, with a heading
	Ball      *Belief // one place, or none: the robot does not know
	Obstacles *Belief
	Path      *Belief // from the robot on
}

// Belief is what a robot has said of one kind.
type Belief struct {
	Topic    string
	Stamp    time.Duration // sim time of which it is said
	Relative bool          // places are in the robot's frame
	Places   []Place
	LeftOut  int // places that were too many
}

// Place is where something is.
type Place struct {
	X, Y, Z    float64
	Heading    float64
	HasHeading bool
	Number     int // of a robot; 0: it is none, or its number is not known
}

// PoseInMap returns the pose that a robot believes to have, in the map.
func (r *Robot) PoseInMap() (pose Place, ok bool) {
	if r.Pose == nil || r.Pose.Relative || len(r.Pose.Places) == 0 {
		return pose, false
	}
	return r.Pose.Places[0], true
}

// Put returns a place in the frame of a robot with this pose as a place in the map.
func (p Place) Put(inRobot Place) Place {
	sin, cos := math.Sincos(p.Heading)
	q := inRobot
	q.X, q.Y = p.X+cos*inRobot.X-sin*inRobot.Y, p.Y+sin*inRobot.X+cos*inRobot.Y
	q.Heading = inRobot.Heading + p.Heading
	return q
}

// Turned returns the place in a frame that is turned by half a turn about the same origin, as the field frames of the
// two teams are.
func (p Place) Turned() Place {
	p.X, p.Y = -p.X, -p.Y
	if p.HasHeading {
		p.Heading = math.Remainder(p.Heading+math.Pi, 2*math.Pi)
	}
	return p
}

// Finite tells whether all numbers of a place are: messages may have any.
func (p Place) Finite() bool {
	for _, x := range [...]float64{p.X, p.Y, p.Z, p.Heading} {
		if !(math.Abs(x) < 1e6) {
			return false
		}
	}
	return true
}
