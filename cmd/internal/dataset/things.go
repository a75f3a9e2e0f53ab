package dataset

import (
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// thing is a body, or part of one, that can be an object in an image.
type thing struct {
	name     string
	category int // index into things.categories
	team     string
	robot    int   // index of the robot; −1: not a robot
	bodies   []int // indices in the render scene
	// state returns the thing's pose in W and its velocity. The origin of the pose is the first key point or the point
	// of the floor below it.
	state  func(s *physics.Snapshot) (poseWT spatial.Pose, velInW mgl64.Vec3)
	points []mgl64.Vec3 // key points in the thing's own frame, m
}

// things are all things of a scene.
type things struct {
	categories []Category
	all        []thing
	of         []int // thing of each body; −1: none
	field      int   // the body that includes the goals
	goals      []physics.Goal
	first      int // index of the first goal; the second goal follows
	within     struct{ x0, x1, y, z float64 }
}

// still returns the state function of a thing that does not move.
func still(pose spatial.Pose) func(*physics.Snapshot) (spatial.Pose, mgl64.Vec3) {
	return func(*physics.Snapshot) (spatial.Pose, mgl64.Vec3) { return pose, mgl64.Vec3{} }
}

// newThings lists the things of a simulation.
func newThings(sim *omnipitch.Sim) *things {
	w, s := sim.World(), sim.Sensors().Scenery()
	t := &things{categories: CategoriesOf(w), of: make([]int, len(s.Scene.Bodies)), field: s.Field()}
	for i := range t.of {
		t.of[i] = -1
	}
	up := func(z float64) mgl64.Vec3 { return mgl64.Vec3{0, 0, z} }
	for i := range w.Robots {
		r := &w.Robots[i]
		x := thing{name: r.Name, category: cyanRobot, team: string(r.Team), robot: i, bodies: []int{s.Robot(i)}}
		if r.Team == physics.Magenta {
			x.category = magentaRobot
		}
		if side, top, ok := s.Plates(i); ok {
			x.bodies = append(x.bodies, side, top)
		}
		x.bodies = append(x.bodies, s.Links(i)...)
		x.points = []mgl64.Vec3{{}, up(r.Body.Height), {r.Body.Front(), 0, r.Body.Height / 2}}
		x.state = func(s *physics.Snapshot) (spatial.Pose, mgl64.Vec3) {
			return s.Robots[i].PoseWB, s.Robots[i].TwistWBInW.Lin
		}
		t.add(x)
	}
	for i, o := range w.AllObstacles() {
		x := thing{name: o.Name, category: obstacle, robot: -1, bodies: []int{s.Obstacle(i)},
			points: []mgl64.Vec3{{}, up(o.Hull.Height)}}
		if o.Person() {
			x.category = person
		}
		x.category = t.category(o.Kind, x.category)
		for b := range s.Scene.Bodies { // a person's legs
			if strings.HasPrefix(s.Scene.Bodies[b].Name, o.Name+".") {
				x.bodies = append(x.bodies, b)
			}
		}
		x.state = func(s *physics.Snapshot) (spatial.Pose, mgl64.Vec3) {
			return s.Obstacles[i].PoseWO, s.Obstacles[i].TwistWOInW.Lin
		}
		t.add(x)
	}
	if !w.Ball.Absent {
		t.add(thing{name: "ball", category: ball, robot: -1, bodies: []int{s.Ball()}, points: []mgl64.Vec3{{}},
			state: func(s *physics.Snapshot) (spatial.Pose, mgl64.Vec3) {
				return spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}, s.Ball.TwistInW.Lin
			}})
	}
	posesWB := s.Poses(sim.Truth(), nil)
	kinds := w.StillKinds()
	for b := range s.Scene.Bodies {
		name := s.Scene.Bodies[b].Name
		if !s.Scene.Bodies[b].Static || t.of[b] >= 0 {
			continue
		}
		if kind := kinds[name]; kind != "" {
			t.add(thing{name: name, category: t.category(kind, obstacle), robot: -1, bodies: []int{b},
				points: []mgl64.Vec3{{}, up(height(s.Scene, b))}, state: still(posesWB[b])})
		} else if i := slices.IndexFunc(w.Hall.Balls, func(x worlds.ExtraBall) bool { return x.Name == name }); i >= 0 {
			t.add(thing{name: name, category: ballBeside, robot: -1, bodies: []int{b}, points: []mgl64.Vec3{{}},
				state: still(posesWB[b])})
		} else if strings.HasPrefix(name, "hall.bystander") {
			t.add(thing{name: name, category: person, robot: -1, bodies: []int{b},
				points: []mgl64.Vec3{{}, up(height(s.Scene, b))}, state: still(posesWB[b])})
		}
	}
	t.addGoals(&w.Field.Field)
	return t
}

// category returns the category of a body with a kind, and otherwise the given one.
func (t *things) category(kind string, other int) int {
	if c := categoryOf(kind, t.categories); c != nil {
		return c.ID - 1
	}
	return other
}

func (t *things) add(x thing) {
	for _, b := range x.bodies {
		t.of[b] = len(t.all)
	}
	t.all = append(t.all, x)
}

// addGoals adds the goals, which are parts of the field's body. A goal's own frame has its origin on the floor at the
// centre of its goal line, and the world's axes. Left and right are as seen from the field.
func (t *things) addGoals(f *physics.Field) {
	t.first = len(t.all)
	t.goals = f.Goals()
	for _, g := range t.goals {
		post := (f.GoalWidth + f.PostWidth) / 2 // to a post's axis
		left := g.Side * post
		z := f.GoalHeight + f.PostWidth/2
		x := thing{name: "goal_cyan", category: goal, robot: -1, bodies: []int{t.field},
			state: still(spatial.Translation(mgl64.Vec3{g.X, 0, 0}))}
		if g.Side > 0 {
			x.name = "goal_magenta" // defended by magenta
		}
		middle := g.Side * f.PostWidth / 2
		x.points = []mgl64.Vec3{{middle, left, 0}, {middle, left, z}, {middle, -left, z}, {middle, -left, 0}}
		t.all = append(t.all, x)
	}
	// Boards, which belong to the same body, are farther out.
	const margin = 0.1 // m; rods stick out by less
	line := f.Length / 2
	t.within.x0, t.within.x1 = line-margin, line+f.GoalDepth+margin
	t.within.y, t.within.z = f.GoalWidth/2+f.PostWidth+margin, f.GoalHeight+f.PostWidth+margin
}

// goalAt returns the goal to which a point of the field's body belongs. For a point of the boards it returns −1.
func (t *things) goalAt(posW mgl64.Vec3) int {
	x := math.Abs(posW[0])
	if x < t.within.x0 || x > t.within.x1 || math.Abs(posW[1]) > t.within.y || posW[2] > t.within.z {
		return -1
	}
	for i, g := range t.goals {
		if g.Side*posW[0] > 0 {
			return t.first + i
		}
	}
	return -1
}

// height returns the height of a body that stands on the floor, m.
func height(s *render.Scene, body int) (top float64) {
	for _, part := range s.Bodies[body].Parts {
		for _, v := range s.Meshes[part.Mesh].Vertices {
			top = max(top, part.PoseBP.Apply(mgl64.Vec3{float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2])})[2])
		}
	}
	return top
}
