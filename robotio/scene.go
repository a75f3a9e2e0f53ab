package robotio

import (
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// scene is what the words of a profile look at: an observation, its robot, and the world. One goroutine uses it.
type scene struct {
	sim   *omnipitch.Sim
	world *worlds.World
	names map[string]string // of things of the world, in the profile's words

	robot *worlds.Robot // nil of the world's topics
	index int           // of the robot in truth
	cfg   *sensors.Config
	about lensInfo // of a camera

	stamp time.Duration
	truth *physics.Snapshot
	o     *sensors.Observation

	ball  *abstraction.Detection // that a vision would take for the ball, or nil
	goal  *abstraction.GoalObject
	selfF spatial.Pose // where the robot believes to be, in its team's field frame F

	// at is the member of the list under way; what it is of its own, where that is worth keeping, stands below.
	at      int
	members []int
	det     *abstraction.Detection
	ends    []mgl64.Vec3
	frames  []sensorFrame

	outcome omnipitch.Outcome // of a service
	err     error

	blobs []blob // of the message under way
}

// teamFrame returns the pose of the world in a team's field frame, whose x points to the opponent's goal.
func teamFrame(team physics.Team) spatial.Pose {
	if team == physics.Magenta {
		return spatial.Planar(0, 0, spatial.WrapAngle(halfTurn))
	}
	return spatial.Identity()
}

// observe makes the scene that of an observation.
func (s *scene) observe(o *sensors.Observation) {
	s.o, s.stamp, s.ball, s.goal = o, o.Stamp, nil, nil
	if o.Objects == nil {
		return
	}
	s.selfF = teamFrame(s.robot.Team).Mul(o.Objects.Self)
	s.ball = nearestBall(o.Objects)
	for i := range o.Objects.Goals {
		if g := &o.Objects.Goals[i]; (g.Name == "goal_plus") == (s.robot.Team == physics.Cyan) {
			s.goal = g
		}
	}
}

// nearestBall returns the ball that a vision would take for the ball: the nearest.
func nearestBall(list *abstraction.ObjectList) *abstraction.Detection {
	var best *abstraction.Detection
	for i := range list.Detections {
		d := &list.Detections[i]
		if d.Kind == abstraction.BallKind && (best == nil || d.PosB.Len() < best.PosB.Len()) {
			best = d
		}
	}
	return best
}

// ballID is the ball's among the bodies that touch.
func (s *scene) ballID() physics.BodyID {
	return physics.BodyID(len(s.truth.Robots) + len(s.truth.Obstacles))
}

// state is the robot's.
func (s *scene) state() *physics.RobotState { return &s.truth.Robots[s.index] }

// collect notes the detections that are members of a list, and returns how many.
func (s *scene) collect(is func(*abstraction.Detection) bool) int {
	s.members = s.members[:0]
	for i := range s.o.Objects.Detections {
		if is(&s.o.Objects.Detections[i]) {
			s.members = append(s.members, i)
		}
	}
	return len(s.members)
}

// name is a thing's name in the profile's words.
func (s *scene) name(thing string) string {
	if n, ok := s.names[thing]; ok {
		return n
	}
	return thing
}

// prefix is what the names of a team's robots begin with before their number, as NuBot's nodes want to know it.
func (s *scene) prefix(team physics.Team) string {
	for i := range s.world.Robots {
		if r := &s.world.Robots[i]; r.Team == team {
			return trimNumber(r.Name)
		}
	}
	return string(team)
}

func trimNumber(name string) string {
	end := len(name)
	for end > 0 && name[end-1] >= '0' && name[end-1] <= '9' {
		end--
	}
	return name[:end]
}

// agent is a robot's number among both teams, as NuBot's referee counts: magenta's begin after five.
func agent(r *worlds.Robot) int {
	if r.Team == physics.Magenta {
		return r.Number + 5
	}
	return r.Number
}

// sizes is how large a thing of the world is across and in height, metres; of one that there is not, as a robot.
func (s *scene) size(name string) (width, height float64) {
	w := s.world
	if r, ok := w.Robot(name); ok {
		return 2 * r.Body.Radius, r.Body.Height
	}
	if i := slices.IndexFunc(w.Obstacles, func(o worlds.Obstacle) bool { return o.Name == name }); i >= 0 {
		return w.Obstacles[i].Hull.SizeY, w.Obstacles[i].Hull.Height
	}
	return unknownWidth, unknownHeight
}

// What vision takes an obstacle to measure that is none: a robot's size by the rules, metres.
const unknownWidth, unknownHeight = 0.5, 0.8

func flat(v mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{v[0], v[1], 0} }
