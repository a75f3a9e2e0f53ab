package quantity

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

// Context is the input of the quantities of one message: a world, its state, and for a sensor's topic an observation.
// Only one goroutine may use a Context at a time.
type Context struct {
	World  *worlds.World
	Robot  *worlds.Robot   // nil for topics of the world
	Sensor *sensors.Config // nil for topics that no sensor feeds; set by SetSensor

	// What the profile says of its robots.
	Names  map[string]string // the profile's name of a thing, by the thing's name in the world file
	Turned []physics.Team    // teams whose bodies the profile turns by half a turn
	Reach  physics.Reach     // where a robot can hold and kick the ball

	// Callbacks into a running simulation; nil while files are checked.
	BodyName func(physics.BodyID) string
	Camera   func(robot, sensor string) (*sensors.Camera, bool)
	Game     func() game.State
	Coach    func(physics.Team) (coach.Info, bool)

	Stamp       time.Duration // of the message, sim time
	Truth       *physics.Snapshot
	Observation *sensors.Observation // set by Observe
	Answer      Answer               // to a service call

	// Member is the index of the list member that the quantities of a List read.
	Member int

	index  int             // of Robot in World.Robots and Truth.Robots
	frame  string          // of a camera's optical frame, without the robot's name
	camera *sensors.Camera // in a running simulation
	lens   lens            // of camera

	// Derived from Observation.Objects.
	ball  *abstraction.Detection  // the nearest; nil: none is seen
	goal  *abstraction.GoalObject // the opponents'; nil: it is not seen
	selfF spatial.Pose            // estimated pose of the robot in its team's field frame F

	// Members of lists, which the Len of a List prepares.
	begin   int   // index of the first member of an inner list in the slice of all
	members []int // indices of detections, touches, models, shapes or robots
	found   []imageDetection
	joints  []joint
	ends    []mgl64.Vec3
	marks   []spatial.Mark
	frames  []sensorFrame
	numbers []float64
	spreads []spread
	shapes  shapes
	labels  map[numberedKind]string

	blobs []blob // of the current message
}

// NewContext returns the context of the robot with an index in w.Robots.
func NewContext(w *worlds.World, robot int) Context {
	return Context{World: w, Robot: &w.Robots[robot], index: robot}
}

// OpticalSuffix ends the names of cameras' optical frames.
const OpticalSuffix = "_optical"

// SetSensor makes s the sensor that feeds the message.
func (c *Context) SetSensor(s *sensors.Config) {
	c.Sensor, c.frame = s, s.Name+OpticalSuffix
	if c.Camera != nil {
		if camera, ok := c.Camera(c.Robot.Name, s.Name); ok {
			c.camera, c.lens = camera, lensOf(camera.Model())
		}
	}
}

// Answer is the result of a service call.
type Answer struct {
	Holding, Reachable, Kicked bool
	Err                        error
}

// Observe makes o the observation of the message and takes the message's stamp from it.
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

// teamFrame returns the pose of the world in a team's field frame, whose x axis points to the opponents' goal.
func teamFrame(team physics.Team) spatial.Pose {
	if team == physics.Magenta {
		return spatial.Planar(0, 0, spatial.WrapAngle(halfTurn))
	}
	return spatial.Identity()
}

// nearestBall returns the ball detection that is nearest to the robot, or nil.
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

// state returns the true state of the robot.
func (c *Context) state() *physics.RobotState { return &c.Truth.Robots[c.index] }

// collect makes the detections that satisfy is the members of the current list and returns their number.
func (c *Context) collect(is func(*abstraction.Detection) bool) int {
	c.members = c.members[:0]
	for i := range c.Observation.Objects.Detections {
		if is(&c.Observation.Objects.Detections[i]) {
			c.members = append(c.members, i)
		}
	}
	return len(c.members)
}

// Name returns the profile's name of a thing of the world.
func (c *Context) Name(thing string) string {
	if n, ok := c.Names[thing]; ok {
		return n
	}
	return thing
}

// prefix returns the common prefix of the names of a team's robots, without their number, as NuBot's nodes need it. It
// is the team's name where the first robot's name is no name on ROS.
func (c *Context) prefix(team physics.Team) string {
	for i := range c.World.Robots {
		if r := &c.World.Robots[i]; r.Team == team {
			if prefix := strings.TrimRight(r.Name, "0123456789"); graph.Check("/"+prefix) == nil {
				return prefix
			}
			break
		}
	}
	return string(team)
}

// agent returns a robot's number among both teams as NuBot's referee counts them: magenta's numbers start at 6.
func agent(r *worlds.Robot) int {
	if r.Team == physics.Magenta {
		return r.Number + 5
	}
	return r.Number
}

// Turns reports whether the profile turns the body of that name by half a turn.
func (c *Context) Turns(body string) bool {
	if len(c.Turned) == 0 {
		return false
	}
	r, ok := c.World.Robot(body)
	return ok && slices.Contains(c.Turned, r.Team)
}

// size returns the extent of a thing along its own x, y and z axes, in metres. A name that the world does not have gets
// unknownSize.
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

// middle returns the centre of a thing from its reference point pos. The reference point of a ball is its centre, that
// of anything else is on the floor.
func middle(kind abstraction.Kind, pos, size mgl64.Vec3) mgl64.Vec3 {
	if kind != abstraction.BallKind {
		pos[2] += size[2] / 2
	}
	return pos
}

// unknownSize is the assumed size of a detection that is no real obstacle: a robot's size by the rules, metres.
var unknownSize = mgl64.Vec3{0.5, 0.5, 0.8}

const halfTurn = math.Pi

func flat(v mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{v[0], v[1], 0} }
