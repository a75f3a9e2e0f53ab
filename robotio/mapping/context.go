package mapping

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Context is what the quantities of one message are read from: a world, its state, and for a sensor's topic an
// observation. One goroutine uses it at a time.
type Context struct {
	World  *worlds.World
	Robot  *worlds.Robot   // nil of the world's topics
	Sensor *sensors.Config // nil of topics that no sensor feeds

	// Of a running simulation; nil while files are checked.
	BodyName func(physics.BodyID) string
	Camera   func(robot, sensor string) (*sensors.Camera, bool)
	Game     func() game.State
	Coach    func(physics.Team) (coach.Info, bool)

	Stamp       time.Duration // of the message, sim time
	Truth       *physics.Snapshot
	Observation *sensors.Observation
	Answer      Answer // to a service call

	frame  string            // a camera's optical one, without its robot's name
	lens   lens              // of a camera
	camera *sensors.Camera   // of a running simulation's
	index  int               // of the robot in Truth
	names  map[string]string // of things of the world, as the profile has them

	turned []physics.Team // teams whose bodies have their back in front, as the profile has it
	reach  physics.Reach  // of the profile

	ball  *abstraction.Detection // that a vision would take for the ball, or nil
	goal  *abstraction.GoalObject
	selfF spatial.Pose // where the robot believes to be, in its team's field frame F

	// at is the member of the list under way. Lists that are made for the message stand below.
	at      int
	begin   int   // of a list within a list: where its members begin among those of all
	members []int // of detections, touches, models or shapes
	found   []imageDetection
	joints  []joint
	ends    []mgl64.Vec3
	marks   []spatial.Mark
	frames  []sensorFrame
	numbers []float64
	spreads []spread
	shapes  shapes
	labels  map[numberedKind]string

	blobs []blob // of the message under way
}

// Answer is the result of a service call.
type Answer struct {
	Holding, Reachable, Kicked bool
	Err                        error
}

// Observe makes an observation the one that quantities are read from.
func (c *Context) Observe(o *sensors.Observation) {
	c.Observation, c.Stamp, c.ball, c.goal = o, o.Stamp, nil, nil
	c.shapes.made = false
	if o.Objects == nil {
		return
	}
	c.selfF = teamFrame(c.Robot.Team).Mul(o.Objects.Self)
	c.ball = nearestBall(o.Objects)
	for i := range o.Objects.Goals {
		if g := &o.Objects.Goals[i]; (g.Name == "goal_plus") == (c.Robot.Team == physics.Cyan) {
			c.goal = g
		}
	}
}

// teamFrame returns the pose of the world in a team's field frame, whose x points to the opponent's goal.
func teamFrame(team physics.Team) spatial.Pose {
	if team == physics.Magenta {
		return spatial.Planar(0, 0, spatial.WrapAngle(halfTurn))
	}
	return spatial.Identity()
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

// state is the robot's.
func (c *Context) state() *physics.RobotState { return &c.Truth.Robots[c.index] }

// collect notes the detections that are members of a list, and returns how many.
func (c *Context) collect(is func(*abstraction.Detection) bool) int {
	c.members = c.members[:0]
	for i := range c.Observation.Objects.Detections {
		if is(&c.Observation.Objects.Detections[i]) {
			c.members = append(c.members, i)
		}
	}
	return len(c.members)
}

// thing is the thing of the world that a profile with these names calls so.
func thing(names map[string]string, name string) string {
	for thing, called := range names {
		if called == name {
			return thing
		}
	}
	return name
}

// name is what the profile calls a thing of the world.
func (c *Context) name(thing string) string {
	if n, ok := c.names[thing]; ok {
		return n
	}
	return thing
}

// prefix is what the names of a team's robots begin with before their number, as NuBot's nodes want to know it.
func (c *Context) prefix(team physics.Team) string {
	for i := range c.World.Robots {
		if r := &c.World.Robots[i]; r.Team == team {
			if prefix := strings.TrimRight(r.Name, "0123456789"); graph.Check("/"+prefix) == nil {
				return prefix
			}
			break // the robot has a namespace of its own
		}
	}
	return string(team)
}

// agent is a robot's number among both teams, as NuBot's referee counts: magenta's begin after five.
func agent(r *worlds.Robot) int {
	if r.Team == physics.Magenta {
		return r.Number + 5
	}
	return r.Number
}

// turns tells whether the profile has the body of that name half a turn from the robot's own orientation.
func (c *Context) turns(body string) bool {
	if len(c.turned) == 0 {
		return false
	}
	r, ok := c.World.Robot(body)
	return ok && slices.Contains(c.turned, r.Team)
}

// size is how large a thing is, metres: along its own x and y axes and in height. Something that is nowhere in the
// world has a robot's size.
func (c *Context) size(kind abstraction.Kind, name string) mgl64.Vec3 {
	w := c.World
	switch kind {
	case abstraction.BallKind:
		d := 2 * w.Ball.Radius
		return mgl64.Vec3{d, d, d}
	case abstraction.PostKind:
		return mgl64.Vec3{w.Field.PostWidth, w.Field.PostWidth, w.Field.GoalHeight + w.Field.PostWidth}
	}
	if r, ok := w.Robot(name); ok {
		if r.Body.Boxed() {
			return mgl64.Vec3{r.Body.Length, r.Body.Width, r.Body.Height}
		}
		return mgl64.Vec3{2 * r.Body.Radius, 2 * r.Body.Radius, r.Body.Height}
	}
	if i := slices.IndexFunc(w.Obstacles, func(o worlds.Obstacle) bool { return o.Name == name }); i >= 0 {
		return mgl64.Vec3{w.Obstacles[i].Hull.SizeX, w.Obstacles[i].Hull.SizeY, w.Obstacles[i].Hull.Height}
	}
	return unknownSize
}

// middle is the middle of a thing whose reference point is known: of a ball that point itself, else half its height
// above it.
func middle(kind abstraction.Kind, pos, size mgl64.Vec3) mgl64.Vec3 {
	if kind != abstraction.BallKind {
		pos[2] += size[2] / 2
	}
	return pos
}

// unknownSize is what vision takes an obstacle to measure that is none: a robot's size by the rules, metres.
var unknownSize = mgl64.Vec3{0.5, 0.5, 0.8}

const halfTurn = math.Pi

func flat(v mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{v[0], v[1], 0} }
