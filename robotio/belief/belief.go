// Package belief holds the estimates that robots' programs publish on topics: the poses of the robots, the ball,
// obstacles, and planned paths. It knows neither ROS nor the decoding of messages (see the entries belief of package
// robotio/mapping) nor their sources (see robotio.Beliefs), so that dashboards and windows can depend on this package
// alone.
//
// Places are in the map frame, in metres and radians, with x towards the goal that cyan attacks, whatever the team's
// own field frame is. If a message gives positions in the robot's frame (x forward, y left) without the robot's pose,
// its places are Relative; Place.Put converts them to the map frame.
package belief

import (
	"math"
	"time"
)

// Limits of one message; guesses. Teams see ten obstacles and publish paths with tens of points.
const (
	MaxObstacles = 64
	MaxPath      = 256
)

// Robot holds the newest beliefs of one robot; a belief without a recent message is nil.
type Robot struct {
	Name      string
	Pose      *Belief // one place, with a heading
	Ball      *Belief // one place, or none if the position is unknown
	Obstacles *Belief
	Path      *Belief // starts at the robot
}

// Belief is one message about one kind of thing.
type Belief struct {
	Topic    string
	Stamp    time.Duration // sim time that the estimate is for
	Relative bool          // Places are in the robot's frame
	Places   []Place
	LeftOut  int // number of places beyond the limit
}

// Place is a position, with a heading if HasHeading.
type Place struct {
	X, Y, Z    float64
	Heading    float64
	HasHeading bool
	Number     int // of a robot; 0: no robot, or an unknown number
}

// PoseInMap returns the robot's estimated pose in the map frame, if it is known.
func (r *Robot) PoseInMap() (pose Place, ok bool) {
	if r.Pose == nil || r.Pose.Relative || len(r.Pose.Places) == 0 {
		return pose, false
	}
	return r.Pose.Places[0], true
}

// Put converts a place in the frame of a robot with pose p to the map frame.
func (p Place) Put(inRobot Place) Place {
	sin, cos := math.Sincos(p.Heading)
	q := inRobot
	q.X, q.Y = p.X+cos*inRobot.X-sin*inRobot.Y, p.Y+sin*inRobot.X+cos*inRobot.Y
	q.Heading = inRobot.Heading + p.Heading
	return q
}

// Turned converts a place between the field frames of the two teams, which differ by half a turn about the same origin.
func (p Place) Turned() Place {
	p.X, p.Y = -p.X, -p.Y
	if p.HasHeading {
		p.Heading = math.Remainder(p.Heading+math.Pi, 2*math.Pi)
	}
	return p
}

// Finite reports whether all numbers of a place are finite and below 1e6; messages may contain any number.
func (p Place) Finite() bool {
	for _, x := range [...]float64{p.X, p.Y, p.Z, p.Heading} {
		if !(math.Abs(x) < 1e6) {
			return false
		}
	}
	return true
}
