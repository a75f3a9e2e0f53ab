package quantity

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// Context holds the values from which the quantities of one message are computed: a world, its state, and for a
// sensor's topic an observation. Only one goroutine may use a Context at a time.
type Context struct {
	World  *worlds.World
	Robot  *worlds.Robot   // nil for topics of the world
	Sensor *sensors.Config // nil for topics that no sensor feeds; set by SetSensor

	// Settings of the profile for its robots:
	Names  map[string]string // names that the profile gives to things, by their name in the world file
	Links  Links             // names that the profile gives to models' links
	Turned []physics.Team    // teams whose bodies are turned by half a turn in the profile's messages
	Reach  physics.Reach     // where a robot can hold and kick the ball

	// Callbacks into a running simulation; nil while files are checked.
	BodyName func(physics.BodyID) string
	Camera   func(robot, sensor string) (*sensors.Camera, bool)
	Match    // the match; its methods are the Context's
	Paused   func() bool
	// Tell appends what the teammates of a robot, given by its index in the world, tell it.
	Tell func(robot int, into []Told) []Told

	Stamp       time.Duration // sim time of the message's stamp
	Truth       *physics.Snapshot
	Observation *sensors.Observation // set by Observe
	Answer      Answer               // result of a service call, or of a message that gets a reply
	Request     []string             // texts of the message that gets a reply
	// what the robot's programs believe, or for a camera's topic what they have found in its image, in pixels
	Believed belief.Robot
	// groups of shapes that marked images do not show; see MarkGroups
	HiddenMarks map[string]bool

	// Set by Choose: the model that a service call asks for, and the name of the frame of its pose and twist.
	chosen      model
	chosenFrame string

	// Member is the index of the list member that the quantities of a List read.
	Member int

	kick  lastKick
	index int // index of Robot in World.Robots and Truth.Robots
	// World.AllObstacles, once a quantity needs them
	obstacles []worlds.Obstacle
	frame     string          // name of a camera's optical frame, without the robot's name
	camera    *sensors.Camera // nil while files are checked
	lens      lens            // lens of camera

	// Derived from Observation.Objects.
	ball  *abstraction.Detection  // the detected ball that is nearest to the robot; nil if no ball is seen
	goal  *abstraction.GoalObject // the opponents' goal; nil if it is not seen
	selfF spatial.Pose            // estimated pose of the robot in its team's field frame F

	// Members of the current list. The function Len of the List prepares them.
	// for a list inside another list: index of its first member in the slice with the members of all inner lists
	begin   int
	members []int // indices of detections, touches, models, shapes or robots
	found   []imageDetection
	told    []Told        // of toldAt
	toldAt  time.Duration // stamp of the message
	joints  []sensors.JointReading
	ends    []mgl64.Vec3
	marks   []spatial.Mark
	frames  []sensorFrame
	numbers []float64
	spreads []spread
	shapes  shapes
	labels  map[numberedKind]string
	classes []string // see classNames

	floorPlan *occupancy.Grid // of the world planned; nil until a message needs it
	planned   *worlds.World

	blobs []blob // blobs of the current message
}

// Match is what quantities read of a running match. See the methods of omnipitch.Match.
type Match interface {
	Game() game.State
	Scoreboard() game.Scoreboard
	StageLeft() time.Duration
	Standings() []game.Standing
	Coach(physics.Team) (coach.Info, bool)
}

// NewContext returns the context of the robot with an index in w.Robots.
func NewContext(w *worlds.World, robot int) Context {
	return Context{World: w, Robot: &w.Robots[robot], index: robot}
}

// Index returns the index of the robot in World.Robots.
func (c *Context) Index() int { return c.index }

// OpticalSuffix is the end of the names of cameras' optical frames.
const OpticalSuffix = "_optical"

// SetSensor makes s the sensor that feeds the message.
func (c *Context) SetSensor(s *sensors.Config) {
	c.Sensor, c.frame = s, s.Name+OpticalSuffix
	if c.Camera != nil {
		if camera, ok := c.Camera(c.Robot.Name, s.Name); ok {
			c.camera, c.lens = camera, lensOf(camera.Model())
			c.lens.right = c.lens.p
			if pair := camera.Stereo(); pair != nil {
				c.lens.right[3] = -pair.Focal * pair.Baseline
			}
		}
	}
}

// Answer is the result of a service call.
type Answer struct {
	Holding, Reachable, Kicked bool
	Actions                    int // number of valid actions of a message; only of one that gets a reply
	Err                        error
}

// Observe makes o the observation of the message. The message gets the stamp of o.
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

// teamFrame returns the pose of the world frame in a team's field frame. The x axis of the field frame points to the
// opponents' goal.
func teamFrame(team physics.Team) spatial.Pose {
	if team == physics.Magenta {
		return spatial.Planar(0, 0, spatial.WrapAngle(halfTurn))
	}
	return spatial.Identity()
}

// nearestBall returns the ball detection that is nearest to the robot, or nil if no ball is detected.
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

// collect collects the detections for which the function wanted returns true. They become the members of the current
// list. It returns their number.
func (c *Context) collect(wanted func(*abstraction.Detection) bool) int {
	c.members = c.members[:0]
	for i := range c.Observation.Objects.Detections {
		if wanted(&c.Observation.Objects.Detections[i]) {
			c.members = append(c.members, i)
		}
	}
	return len(c.members)
}

// Name returns the name that the profile gives to a thing of the world.
func (c *Context) Name(thing string) string {
	if n, ok := c.Names[thing]; ok {
		return n
	}
	return thing
}

// prefix returns the name of a team's first robot without the digits at its end. NuBot's nodes need this prefix. If the
// result is not a valid name on ROS, or the team has no robot, prefix returns the team's name.
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

// agent returns a robot's number in the numbering of NuBot's referee, in which the numbers of magenta robots start at
// 6.
func agent(r *worlds.Robot) int {
	if r.Team == physics.Magenta {
		return r.Number + 5
	}
	return r.Number
}

// Turns reports whether the profile turns the robot with the given name by half a turn. It returns false for other
// bodies.
func (c *Context) Turns(body string) bool {
	if len(c.Turned) == 0 {
		return false
	}
	r, ok := c.World.Robot(body)
	return ok && slices.Contains(c.Turned, r.Team)
}

// sizeOf returns the extent of a detection along the thing's own x, y and z axes, in metres. A false positive has none
// and gets unknownSize.
func sizeOf(d *abstraction.Detection) mgl64.Vec3 {
	if d.Size == (mgl64.Vec3{}) {
		return unknownSize
	}
	return d.Size
}

// middle returns the centre of a detection. The reference point of a ball is its centre. The reference point of any
// other thing is on the floor.
func middle(d *abstraction.Detection) mgl64.Vec3 {
	at := d.PosB
	if d.Kind != abstraction.BallKind {
		at[2] += d.Bottom + sizeOf(d)[2]/2
	}
	return at
}

// unknownSize is the assumed size of a false positive, in metres. It is the largest size of a robot by the rules.
var unknownSize = mgl64.Vec3{0.5, 0.5, 0.8}

const halfTurn = math.Pi

func flat(v mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{v[0], v[1], 0} }

// blob is the value of a quantity of bytes in the current message.
type blob struct {
	name string
	data []byte
	free func() // called after data has been sent, to return data to its owner
}

// Blob returns the bytes of the quantity with the given name. A message contains the number of bytes and the bytes, so
// Blob may be called twice. It calls the function build only once for each message.
func (c *Context) Blob(name string, build func() (data []byte, free func())) []byte {
	for i := range c.blobs {
		if c.blobs[i].name == name {
			return c.blobs[i].data
		}
	}
	data, free := build()
	c.blobs = append(c.blobs, blob{name, data, free})
	return data
}

// ResetBlobs starts a new message, which has no blobs yet.
func (c *Context) ResetBlobs() { c.blobs = c.blobs[:0] }

// DetachBlob returns the first blob of a message and the function free, which releases the blob. The function get
// builds the blob. FreeBlobs does not release a detached blob.
func (c *Context) DetachBlob(get func(*Context) []byte) (data []byte, free func()) {
	data = get(c)
	free, c.blobs[0].free = c.blobs[0].free, nil
	return data, free
}

// FreeBlobs releases the blobs of the current message. The caller must have copied them before.
func (c *Context) FreeBlobs() {
	for i := range c.blobs {
		if free := c.blobs[i].free; free != nil {
			free()
		}
	}
}

// blob adds a quantity of bytes. The function build appends the bytes to a buffer, which comes from a pool, and returns
// the buffer.
func (q *Set) blob(name string, build func(c *Context, into []byte) []byte) {
	pool := &sync.Pool{New: func() any { return new([]byte) }}
	q.Blobs[name] = func(c *Context) []byte {
		return c.Blob(name, func() ([]byte, func()) {
			buf := pool.Get().(*[]byte)
			*buf = build(c, (*buf)[:0])
			return *buf, func() { pool.Put(buf) }
		})
	}
}
