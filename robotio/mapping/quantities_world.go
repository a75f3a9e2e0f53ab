package mapping

import (
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// fileQuantities are those that follow from a world's file alone: names, the field, how many robots there are.
func fileQuantities() *quantities {
	q := newQuantities()
	q.Texts["world"] = func(c *Context) string { return c.World.Name }
	q.Texts["cyan.prefix"] = func(c *Context) string { return c.prefix(physics.Cyan) }
	q.Texts["magenta.prefix"] = func(c *Context) string { return c.prefix(physics.Magenta) }
	q.Texts["ball"] = func(c *Context) string { return c.name("ball") }
	q.plain("cyan.robots", func(c *Context) float64 { return c.count(physics.Cyan) })
	q.plain("magenta.robots", func(c *Context) float64 { return c.count(physics.Magenta) })
	q.length("field.length", func(c *Context) float64 { return c.World.Field.Length })
	q.length("field.width", func(c *Context) float64 { return c.World.Field.Width })
	q.length("ball.radius", func(c *Context) float64 { return c.World.Ball.Radius })
	return q
}

// count is how many robots a team has.
func (c *Context) count(team physics.Team) (n float64) {
	for i := range c.World.Robots {
		n += oneIf(c.World.Robots[i].Team == team)
	}
	return n
}

const leastLifetime = 500 * time.Millisecond

// worldQuantities are those of every topic: those of the world's file, and the truth about everything that moves.
func worldQuantities() *quantities {
	q := fileQuantities()
	q.Times["stamp"] = func(c *Context) time.Duration { return c.Stamp }
	q.Times["lifetime"] = func(c *Context) time.Duration { // of what is drawn, where nothing newer takes its place
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
	q.plain("holder.agent", func(c *Context) float64 { // −1: no robot
		if h := c.Truth.Ball.HeldBy; h >= 0 {
			return float64(agent(&c.World.Robots[h]))
		}
		return -1
	})
	modelQuantities(q)
	fixedQuantities(q)
	contactQuantities(q)
	frameQuantities(q)
	gameQuantities(q)
	coachQuantities(q)
	fieldQuantities(q)
	return q
}

// models is how many things move: the ball, the robots, the obstacles, in that order.
func (c *Context) models() int { return 1 + len(c.Truth.Robots) + len(c.Truth.Obstacles) }

// model is one of them.
type model struct {
	name, kind string
	poseWM     spatial.Pose
	twistWMInW spatial.Twist
}

// model returns one of them.
func (c *Context) model(at int) model {
	w, i := c.World, at-1
	if i < 0 {
		ball := &c.Truth.Ball
		return model{c.name("ball"), "ball", spatial.Pose{Pos: ball.PosW, Rot: ball.RotW}, ball.TwistInW}
	}
	if i < len(c.Truth.Robots) {
		r := &c.Truth.Robots[i]
		return model{w.Robots[i].Name, string(w.Robots[i].Team), r.PoseWB, r.TwistWBInW}
	}
	i -= len(c.Truth.Robots)
	o := &c.Truth.Obstacles[i]
	return model{w.Obstacles[i].Name, "obstacle", o.PoseWO, o.TwistWOInW}
}

func (c *Context) modelSize(at int) mgl64.Vec3 {
	model := c.model(at)
	return c.size(abstraction.Kind(model.kind), model.name)
}

// arrowTime is how long what moves takes to where the arrow of its velocity points, s.
const arrowTime = 0.25

// labelHeight is how far over a thing its name is written, metres.
const labelHeight = 0.25

// modelQuantities are lists of what moves: of everything, of robots, and of what is in motion.
func modelQuantities(q *quantities) {
	q.list("models", (*Context).models, modelMembers(func(c *Context) int { return c.at }))
	q.list("robot_models", func(c *Context) int { return len(c.Truth.Robots) },
		modelMembers(func(c *Context) int { return 1 + c.at }))
	q.list("moving_models", func(c *Context) int {
		c.members = c.members[:0]
		for i := range c.models() {
			if c.model(i).twistWMInW.Lin.Len() > movingSpeed {
				c.members = append(c.members, i)
			}
		}
		return len(c.members)
	}, modelMembers(func(c *Context) int { return c.members[c.at] }))
}

// modelMembers are the quantities of what moves; at tells which one it is.
func modelMembers(at func(*Context) int) *quantities {
	m := newQuantities()
	m.plain("order", func(c *Context) float64 { return float64(at(c)) }) // among models
	m.Texts["name"] = func(c *Context) string { return c.model(at(c)).name }
	m.Texts["kind"] = func(c *Context) string { return c.model(at(c)).kind }
	m.color(m.Texts["kind"])
	m.pose("", func(c *Context) spatial.Pose {
		model := c.model(at(c))
		if slices.Contains(c.turned, physics.Team(model.kind)) {
			model.poseWM.Rot = model.poseWM.Rot.Mul(spatial.RotZ(halfTurn))
		}
		return model.poseWM
	})
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
	m.length("middle", middle) // height of the middle
	m.length("top", func(c *Context) float64 { return middle(c) + c.modelSize(at(c))[2]/2 })
	m.length("over", func(c *Context) float64 { return middle(c) + c.modelSize(at(c))[2]/2 + labelHeight })
	m.vec("arrow.", func(c *Context) mgl64.Vec3 { // the end of one from the middle
		model := c.model(at(c))
		return mgl64.Vec3{model.poseWM.Pos[0], model.poseWM.Pos[1], middle(c)}.Add(model.twistWMInW.Lin.Mul(arrowTime))
	})
	return m
}

// fixedModels are what of a world never moves, as Gazebo has it: field, goal_minus and goal_plus, which the profile may
// call otherwise.
var fixedModels = [...]string{"field", "goal_minus", "goal_plus"}

func fixedQuantities(q *quantities) {
	m := newQuantities()
	m.Texts["name"] = func(c *Context) string { return c.name(fixedModels[c.at]) }
	m.pose("", func(c *Context) spatial.Pose { // of a goal: the middle of its line, from the field into the goal
		end := c.World.Field.Length / 2
		return [...]spatial.Pose{spatial.Identity(), spatial.Planar(-end, 0, halfTurn), spatial.Planar(end, 0, 0)}[c.at]
	})
	q.list("fixed_models", func(*Context) int { return len(fixedModels) }, m)
}

// contactQuantities list what has touched the ball in the last step.
func contactQuantities(q *quantities) {
	m := newQuantities()
	touch := func(c *Context) *physics.Touch { return &c.Truth.Touches[c.members[c.at]] }
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

// frameQuantities list where sensors sit on their robots: mounts of those that stay, heads of those that turn.
func frameQuantities(q *quantities) {
	for name, turning := range map[string]bool{"mounts": false, "heads": true} {
		m := newQuantities()
		frame := func(c *Context) *sensorFrame { return &c.frames[c.at] }
		m.Texts["robot"] = func(c *Context) string { return frame(c).robot }
		m.Texts["frame"] = func(c *Context) string { return frame(c).frame }
		m.pose("", func(c *Context) spatial.Pose { return frame(c).poseBS })
		q.list(name, func(c *Context) int { c.frames = c.sensorFrames(turning); return len(c.frames) }, m)
	}
}

// sensorFrame is one sensor's frame on its robot; a camera's is the optical one.
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

// OpticalSuffix ends the names of cameras' optical frames.
const OpticalSuffix = "_optical"
