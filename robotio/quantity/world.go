package quantity

import (
	"cmp"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/occupancy"
)

// OfFile returns the quantities that depend on the world file alone: names, the dimensions of the field, and the number
// of robots.
func OfFile() *Set {
	q := NewSet()
	q.Texts["world"] = func(c *Context) string { return c.World.Name }
	q.Texts["cyan.prefix"] = func(c *Context) string { return c.prefix(physics.Cyan) }
	q.Texts["magenta.prefix"] = func(c *Context) string { return c.prefix(physics.Magenta) }
	q.Texts["ball"] = func(c *Context) string { return c.Name("ball") }
	q.plain("cyan.robots", func(c *Context) float64 { return c.count(physics.Cyan) })
	q.plain("magenta.robots", func(c *Context) float64 { return c.count(physics.Magenta) })
	q.length("field.length", func(c *Context) float64 { return c.World.Field.Length })
	q.length("field.width", func(c *Context) float64 { return c.World.Field.Width })
	q.length("ball.radius", func(c *Context) float64 { return c.World.Ball.Radius })
	classQuantities(q)
	q.mapQuantities()
	return q
}

// mapResolution is that of the maps of gmapping, slam_toolbox and most map servers, m.
const mapResolution = 0.05

// mapQuantities adds the exact map of the world's static bodies. A world that is too large for one has a map without
// cells.
func (q *Set) mapQuantities() {
	at := func(c *Context) *occupancy.Grid {
		if c.floorPlan == nil || c.planned != c.World {
			var err error
			c.planned = c.World
			if c.floorPlan, err = occupancy.Of(c.World.Model(), c.World.LaserHeight(), mapResolution); err != nil {
				c.floorPlan = &occupancy.Grid{Resolution: mapResolution}
			}
		}
		return c.floorPlan
	}
	q.plain("map.resolution", func(c *Context) float64 { return at(c).Resolution })
	q.plain("map.width", func(c *Context) float64 { return float64(at(c).Width) })
	q.plain("map.height", func(c *Context) float64 { return float64(at(c).Height) })
	q.pose("map.", func(c *Context) spatial.Pose {
		o := at(c).Origin
		return spatial.Planar(o.X, o.Y, o.Yaw)
	})
	q.blob("map.cells", func(c *Context, into []byte) []byte {
		for _, v := range at(c).Cells {
			into = append(into, byte(v))
		}
		return into
	})
}

// count returns the number of robots of a team.
func (c *Context) count(team physics.Team) (n float64) {
	for i := range c.World.Robots {
		n += oneIf(c.World.Robots[i].Team == team)
	}
	return n
}

// leastLifetime is the minimum lifetime of a marker. 500 ms is a guess.
const leastLifetime = 500 * time.Millisecond

// worldQuantities returns the quantities that every topic can use: the quantities of the world file, and the true state
// of the world.
func worldQuantities() *Set {
	q := OfFile()
	q.Times["stamp"] = func(c *Context) time.Duration { return c.Stamp }
	q.Times["lifetime"] = func(c *Context) time.Duration { // how long a marker is shown if no newer marker replaces it
		if c.Sensor == nil {
			return leastLifetime
		}
		return max(leastLifetime, time.Duration(10*float64(time.Second)/c.Sensor.Rate))
	}
	q.Times["period"] = func(c *Context) time.Duration {
		if c.Sensor == nil {
			return 0
		}
		return time.Duration(float64(time.Second) / c.Sensor.Rate)
	}
	q.vec("ball.truth.", func(c *Context) mgl64.Vec3 { return c.Truth.Ball.PosW })
	q.vec("ball.truth.v", func(c *Context) mgl64.Vec3 { return c.Truth.Ball.TwistInW.Lin })
	q.rates("ball.truth.w", func(c *Context) mgl64.Vec3 { return c.Truth.Ball.TwistInW.Ang })
	// number of the robot that holds the ball, see agent; −1 if no robot holds it
	q.plain("holder.agent", func(c *Context) float64 {
		if h := c.Truth.Ball.HeldBy; h >= 0 {
			return float64(agent(&c.World.Robots[h]))
		}
		return -1
	})
	q.plain("time", func(c *Context) float64 { return c.Stamp.Seconds() })                    // s
	q.plain("step", func(c *Context) float64 { return c.World.Time.Step.Seconds() })          // s
	q.plain("step_rate", func(c *Context) float64 { return 1 / c.World.Time.Step.Seconds() }) // Hz
	q.plain("gravity.z", func(c *Context) float64 { return -c.World.Physics.Gravity })        // m/s²
	q.flag("paused", func(c *Context) bool { return c.Paused != nil && c.Paused() })
	modelQuantities(q)
	fixedQuantities(q)
	contactQuantities(q)
	frameQuantities(q)
	gameQuantities(q)
	coachQuantities(q)
	fieldQuantities(q)
	return q
}

// models returns the number of movable things, absent ones included. Their order is: the ball, the robots, the
// obstacles.
func (c *Context) models() int { return 1 + len(c.Truth.Robots) + len(c.Truth.Obstacles) }

// Absent reports whether the robot or obstacle with a name is absent in Truth. It returns false without Truth.
func (c *Context) Absent(name string) bool {
	for i := 1; c.Truth != nil && i < c.models(); i++ {
		if m := c.model(i); m.name == name && m.poseWM.Absent() {
			return true
		}
	}
	return false
}

// choose makes movable things the members of the current list: those from one index to another that are not absent,
// and for which wanted returns true. It returns their number.
func (c *Context) choose(from, to int, wanted func(model) bool) int {
	c.members = c.members[:0]
	for i := from; i < to; i++ {
		if m := c.model(i); !m.poseWM.Absent() && wanted(m) {
			c.members = append(c.members, i)
		}
	}
	return len(c.members)
}

// model is the state of a movable thing, whose frame is M.
type model struct {
	name, kind string
	poseWM     spatial.Pose
	twistWMInW spatial.Twist
}

// model returns the movable thing with an index.
func (c *Context) model(index int) model {
	w, i := c.World, index-1
	if i < 0 {
		ball := &c.Truth.Ball
		return model{c.Name("ball"), "ball", spatial.Pose{Pos: ball.PosW, Rot: ball.RotW}, ball.TwistInW}
	}
	if i < len(c.Truth.Robots) {
		r := &c.Truth.Robots[i]
		return model{w.Robots[i].Name, string(w.Robots[i].Team), r.PoseWB, r.TwistWBInW}
	}
	i -= len(c.Truth.Robots)
	o := &c.Truth.Obstacles[i]
	of := c.obstacle(i)
	return model{of.Name, cmp.Or(of.Kind, string(abstraction.ObstacleKind)), o.PoseWO, o.TwistWOInW}
}

// obstacle returns the obstacle with an index in World.AllObstacles.
func (c *Context) obstacle(i int) *worlds.Obstacle {
	if c.obstacles == nil {
		c.obstacles = c.World.AllObstacles()
	}
	return &c.obstacles[i]
}

// modelSize returns the extent of a movable thing along its own axes, m.
func (c *Context) modelSize(index int) mgl64.Vec3 {
	w, i := c.World, index-1
	if i < 0 {
		d := 2 * w.Ball.Radius
		return mgl64.Vec3{d, d, d}
	}
	if i < len(w.Robots) {
		r := &w.Robots[i]
		if r.Body.Boxed() {
			return mgl64.Vec3{r.Body.Length, r.Body.Width, r.Body.Height}
		}
		return mgl64.Vec3{2 * r.Body.Radius, 2 * r.Body.Radius, r.Body.Height}
	}
	o := &c.obstacle(i - len(w.Robots)).Hull
	return mgl64.Vec3{o.SizeX, o.SizeY, o.Height}
}

// arrowTime scales velocity arrows, in s. The tip of an arrow is where the thing would be after this time at its
// current velocity.
const arrowTime = 0.25

// labelHeight is the height of a label above the top of its thing, in metres.
const labelHeight = 0.25

// modelQuantities adds three lists: all movable things, the robots, and the things in motion.
func modelQuantities(q *Set) {
	all := func(model) bool { return true }
	moving := func(m model) bool { return m.twistWMInW.Lin.Len() > movingSpeed }
	q.list("models", func(c *Context) int { return c.choose(0, c.models(), all) }, modelMembers())
	q.list("robot_models", func(c *Context) int { return c.choose(1, 1+len(c.Truth.Robots), all) }, modelMembers())
	q.list("moving_models", func(c *Context) int { return c.choose(0, c.models(), moving) }, modelMembers())
}

// modelMembers returns the quantities of a movable thing.
func modelMembers() *Set {
	m, at := NewSet(), func(c *Context) int { return c.members[c.Member] }
	m.plain("order", func(c *Context) float64 { return float64(at(c)) }) // index in the list of all models
	m.Texts["name"] = func(c *Context) string { return c.model(at(c)).name }
	m.Texts["kind"] = func(c *Context) string { return c.model(at(c)).kind }
	m.class(m.Texts["kind"])
	m.color(m.Texts["kind"])
	m.Texts["link"] = func(c *Context) string { model := c.model(at(c)); return c.link(&model) }
	m.pose("", func(c *Context) spatial.Pose { model := c.model(at(c)); return c.seen(&model) })
	m.vec("v", func(c *Context) mgl64.Vec3 { return c.model(at(c)).twistWMInW.Lin })
	m.rates("w", func(c *Context) mgl64.Vec3 { return c.model(at(c)).twistWMInW.Ang })
	m.vec("size.", func(c *Context) mgl64.Vec3 { return c.modelSize(at(c)) })
	m.length("width", func(c *Context) float64 { return c.modelSize(at(c))[1] })
	m.length("height", func(c *Context) float64 { return c.modelSize(at(c))[2] })
	middle := func(c *Context) float64 {
		if at(c) > 0 {
			return c.modelSize(at(c))[2] / 2
		}
		return c.model(0).poseWM.Pos[2]
	}
	m.length("middle", middle) // height of the centre above the floor
	m.length("top", func(c *Context) float64 { return middle(c) + c.modelSize(at(c))[2]/2 })
	m.length("over", func(c *Context) float64 { return middle(c) + c.modelSize(at(c))[2]/2 + labelHeight })
	m.vec("arrow.", func(c *Context) mgl64.Vec3 { // tip of the velocity arrow
		model := c.model(at(c))
		return mgl64.Vec3{model.poseWM.Pos[0], model.poseWM.Pos[1], middle(c)}.Add(model.twistWMInW.Lin.Mul(arrowTime))
	})
	return m
}

// fixedModels are the names of the static models in Gazebo's worlds. A profile can give them other names.
var fixedModels = [...]string{"field", "goal_minus", "goal_plus"}

// fixedQuantities adds the list of static models.
func fixedQuantities(q *Set) {
	m := NewSet()
	m.Texts["name"] = func(c *Context) string { return c.Name(fixedModels[c.Member]) }
	m.Texts["link"] = func(c *Context) string { model := c.staticModel(1 + c.Member); return c.link(&model) }
	m.pose("", func(c *Context) spatial.Pose { return c.fixedPose(c.Member) })
	q.list("fixed_models", func(c *Context) int { return c.fixed() }, m)
}

// fixed returns the number of static models: the field, and the goals if there are any.
func (c *Context) fixed() int { return 1 + len(c.World.Field.Goals()) }

// fixedPose returns the pose of a static model. A goal's is at the centre of the goal line, with x pointing into the
// goal.
func (c *Context) fixedPose(i int) spatial.Pose {
	end := c.World.Field.Length / 2
	return [...]spatial.Pose{spatial.Identity(), spatial.Planar(-end, 0, halfTurn), spatial.Planar(end, 0, 0)}[i]
}

// contactQuantities adds the list of contacts of the ball in the last step.
func contactQuantities(q *Set) {
	m := NewSet()
	touch := func(c *Context) *physics.Touch { return &c.Truth.Touches[c.members[c.Member]] }
	m.Texts["name"] = func(c *Context) string {
		t := touch(c)
		other := t.A
		if other == c.Truth.BallID() {
			other = t.B
		}
		return c.BodyName(other)
	}
	m.vec("", func(c *Context) mgl64.Vec3 { return touch(c).PosW })
	m.plain("impulse", func(c *Context) float64 { return touch(c).Impulse })
	n := func(c *Context) int {
		c.members = c.members[:0]
		for i := range c.Truth.Touches {
			if t := &c.Truth.Touches[i]; t.A == c.Truth.BallID() || t.B == c.Truth.BallID() {
				c.members = append(c.members, i)
			}
		}
		return len(c.members)
	}
	q.list("ball_contacts", n, m)
	q.plain("ball.touched", func(c *Context) float64 { return float64(n(c)) })
}

// frameQuantities adds the lists of the sensors' poses on their robots. The list mounts has the sensors with a fixed
// pose, and the list heads has the sensors that turn.
func frameQuantities(q *Set) {
	for name, turning := range map[string]bool{"mounts": false, "heads": true} {
		m := NewSet()
		frame := func(c *Context) *sensorFrame { return &c.frames[c.Member] }
		m.Texts["robot"] = func(c *Context) string { return frame(c).robot }
		m.Texts["frame"] = func(c *Context) string { return frame(c).frame }
		m.pose("", func(c *Context) spatial.Pose { return frame(c).poseBS })
		q.list(name, func(c *Context) int { c.frames = c.sensorFrames(turning); return len(c.frames) }, m)
	}
}

// sensorFrame is the name and the pose of a sensor's frame on its robot. For a camera it is the optical frame.
type sensorFrame struct {
	robot, frame string
	poseBS       spatial.Pose
}

func (c *Context) sensorFrames(turning bool) []sensorFrame {
	all := c.frames[:0]
	w := c.World
	for i := range w.Robots {
		r := &w.Robots[i]
		for j := range r.Sensors {
			cfg := &r.Sensors[j]
			if (cfg.Head != nil) != turning {
				continue
			}
			f := sensorFrame{r.Name, cfg.Name, cfg.Mount.Pose()}
			if camera, ok := c.Camera(r.Name, cfg.Name); ok {
				f.frame, f.poseBS = cfg.Name+OpticalSuffix, camera.PoseBC()
			}
			all = append(all, f)
		}
	}
	return all
}
