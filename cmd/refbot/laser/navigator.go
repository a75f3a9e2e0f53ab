package laser

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
)

// Config configures a Navigator.
type Config struct {
	Map   *locate.Field
	Mount locate.Pose // the scanner's pose on the robot
	Goals []pitch.Vec // in order; the robot stops at the last one
	Speed float64     // highest speed, m/s
}

// Scan is one scan.
type Scan struct {
	First, Step float64   // bearing of the first beam and between beams, rad
	Ranges      []float64 // m; a beam that measured nothing is infinite
}

// Command is a speed, in m/s, and a rate of turn, in rad/s.
type Command struct{ V, Omega float64 }

// reached is the distance from a goal at which the robot goes on to the next, in m.
const reached = 0.2

// goneAfter is the age of the newest given pose after which the Navigator matches scans itself.
const goneAfter = 300 * time.Millisecond

// Navigator drives one robot.
type Navigator struct {
	cfg     Config
	tracker *locate.Tracker
	reached int           // number of goals reached
	last    float64       // direction of travel in the map, rad
	scans   int           // number of scans
	given   time.Duration // stamp of the newest given pose, if there is one
	isGiven bool
	points  []pitch.Vec        // of the newest scan, in the robot's frame
	marks   []vision.LinePoint // the same points, for matching
}

// NewNavigator returns a Navigator that knows no pose.
func NewNavigator(c Config) *Navigator {
	return &Navigator{cfg: c, tracker: locate.NewTracker(c.Map)}
}

// Odometry records a pose in the odometry's own frame.
func (n *Navigator) Odometry(stamp time.Duration, p locate.Pose) { n.tracker.Odometry(stamp, p) }

// Pose takes the robot's pose at a stamp from a localisation elsewhere. Scans are not matched while poses arrive.
func (n *Navigator) Pose(stamp time.Duration, p locate.Pose) {
	n.tracker.Take(stamp, p)
	n.given, n.isGiven = stamp, true
}

// Reached returns how many goals the robot has reached.
func (n *Navigator) Reached() int { return n.reached }

// At returns the robot's pose at a stamp. It returns false if the pose is unknown.
func (n *Navigator) At(stamp time.Duration) (locate.Pose, bool) { return n.tracker.At(stamp) }

// Scan processes a scan and returns the command that follows from it. The robot stands while its pose is unknown, and
// at the last goal.
func (n *Navigator) Scan(stamp time.Duration, s *Scan) Command {
	n.take(s)
	// The pose of the first scan may arrive after it. Without that pose, the search starts with the second scan.
	first := n.scans == 0
	n.scans++
	if age := stamp - n.given; !first && !(n.isGiven && age >= 0 && age < goneAfter) {
		n.isGiven = false
		n.tracker.Image(stamp, n.marks)
	}
	pose, ok := n.tracker.At(stamp)
	for ok && n.reached < len(n.cfg.Goals) && pitch.Distance(pose.Pos, n.cfg.Goals[n.reached]) < reached {
		n.reached++
	}
	if !ok || n.reached == len(n.cfg.Goals) {
		n.last = pose.Heading
		return Command{}
	}
	goal := pitch.Turn(n.cfg.Goals[n.reached].Sub(pose.Pos), -pose.Heading)
	v, omega, direction := steer(n.points, goal, pitch.Wrap(n.last-pose.Heading), n.cfg.Speed)
	n.last = pitch.Wrap(pose.Heading + direction)
	return Command{v, omega}
}

// take converts a scan to points in the robot's frame.
func (n *Navigator) take(s *Scan) {
	n.points, n.marks = n.points[:0], n.marks[:0]
	for i, r := range s.Ranges {
		if math.IsInf(r, 0) || math.IsNaN(r) {
			continue
		}
		p := n.cfg.Mount.Pos.Add(pitch.Direction(s.First + float64(i)*s.Step + n.cfg.Mount.Heading).Mul(r))
		n.points = append(n.points, p)
		n.marks = append(n.marks, vision.LinePoint{X: p[0], Y: p[1]})
	}
}
