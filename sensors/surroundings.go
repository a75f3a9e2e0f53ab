package sensors

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Surroundings is what all robots meet, as the levels above pictures need it. It belongs to one goroutine.
type Surroundings struct {
	world   *physics.Model
	targets []abstraction.Target // the ball, robots, obstacles, posts
	lines   *abstraction.Lines
	bars    []abstraction.Bar
	light   float64
	framed  []framed
	bodies  map[*render.Body]int // which target they are
	step    int64                // that targets are at
	fresh   bool
}

// Looks are the bodies that the eye sees of robots and obstacles, in the physics.Model's order; without them it sees their hulls.
type Looks struct {
	Scene             *render.Scene
	Ball              *render.Body
	Robots, Obstacles []*render.Body
	Plates            map[int][2]*render.Body // of robots with a Frame: the side's and the top's
	Light             float64                 // on the field; 1 is that of the common hall
}

// framed is a robot that looks otherwise when it extends its frame.
type framed struct {
	robot int
	looks map[physics.ExtensionState]*abstraction.Silhouette
}

// NewSurroundings describes a world, which must not change.
func NewSurroundings(world *physics.Model, looks Looks) *Surroundings {
	s := &Surroundings{world: world, light: looks.Light, bodies: map[*render.Body]int{}}
	outlines := outlines{scene: looks.Scene}
	if looks.Ball != nil {
		s.bodies[looks.Ball] = 0
	}
	add := func(kind abstraction.Kind, name string, team physics.Team, shape abstraction.Shape, outline *abstraction.Silhouette) {
		s.targets = append(s.targets, abstraction.NewTarget(kind, name, string(team), shape, outline))
	}
	add(abstraction.BallKind, "ball", "", abstraction.Shape{Kind: abstraction.Sphere, Radius: world.Ball.Radius}, nil)
	for i := range world.Robots {
		r := &world.Robots[i]
		shape := abstraction.Shape{Kind: abstraction.Cylinder, Radius: r.Body.Radius, Height: r.Body.Height}
		if r.Body.Boxed() {
			shape = abstraction.Shape{Kind: abstraction.Box, SizeX: r.Body.Length, SizeY: r.Body.Width, Height: r.Body.Height}
		}
		if i < len(looks.Robots) {
			s.bodies[looks.Robots[i]] = len(s.targets)
		}
		add(abstraction.RobotKind, r.Name, r.Team, shape, outlines.of(looks.Robots, i))
		if plates, ok := looks.Plates[i]; ok {
			s.bodies[plates[0]], s.bodies[plates[1]] = len(s.targets)-1, len(s.targets)-1
			s.addFrame(i, looks, plates)
		}
	}
	for i := range world.Obstacles {
		o := &world.Obstacles[i]
		if i < len(looks.Obstacles) {
			s.bodies[looks.Obstacles[i]] = len(s.targets)
		}
		add(abstraction.ObstacleKind, o.Name, "", abstraction.Shape{Kind: abstraction.Box, SizeX: o.SizeX, SizeY: o.SizeY, Height: o.Height}, outlines.of(looks.Obstacles, i))
	}
	s.addPosts()
	s.lines = abstraction.NewLines(world.Field.Marks())
	for _, goal := range world.Field.Goals() {
		bar := world.Field.GoalFrame(goal)[2]
		x, z := (bar.Min[0]+bar.Max[0])/2, (bar.Min[2]+bar.Max[2])/2
		s.bars = append(s.bars, abstraction.Bar{A: mgl64.Vec3{x, bar.Min[1], z}, B: mgl64.Vec3{x, bar.Max[1], z}, Width: bar.Max[2] - bar.Min[2]})
	}
	return s
}

// addFrame gives the robot that was added last its looks with a frame.
func (s *Surroundings) addFrame(robot int, looks Looks, plates [2]*render.Body) {
	f := framed{robot, map[physics.ExtensionState]*abstraction.Silhouette{}}
	for _, to := range []physics.ExtensionState{physics.NotExtended, physics.ExtendLeft, physics.ExtendRight, physics.ExtendUp} {
		f.looks[to] = abstraction.NewSilhouette(most(pieces(looks.Scene, looks.Robots[robot], nil, platesAt(&s.world.Robots[robot], plates, to)...)))
	}
	s.framed = append(s.framed, f)
}

// addPosts adds the four goal posts, named by their goal's end of the field and their side of it.
func (s *Surroundings) addPosts() {
	names := [2][2]string{{"post_minus_left", "post_minus_right"}, {"post_plus_left", "post_plus_right"}}
	for g, goal := range s.world.Field.Goals() {
		frame := s.world.Field.GoalFrame(goal)
		for p, box := range frame[:2] { // the third is the bar
			lo, hi := mgl64.Vec3(box.Min), mgl64.Vec3(box.Max)
			size := hi.Sub(lo)
			shape := abstraction.Shape{Kind: abstraction.Box, SizeX: size[0], SizeY: size[1], Height: size[2]}
			post := abstraction.NewTarget(abstraction.PostKind, names[g][p], "", shape, nil)
			post.Move(spatial.Planar((lo[0]+hi[0])/2, (lo[1]+hi[1])/2, 0), mgl64.Vec3{})
			s.targets = append(s.targets, post)
		}
	}
}

// Codes returns what each part of each body of the scene is to vision: see abstraction.Labels.
func (s *Surroundings) Codes(scene *render.Scene, field *render.Body) [][]int16 {
	codes := make([][]int16, len(scene.Bodies))
	for b := range codes {
		body := &scene.Bodies[b]
		target, known := s.bodies[body]
		codes[b] = make([]int16, len(body.Parts))
		for p := range codes[b] {
			switch {
			case body == field:
				codes[b][p] = abstraction.Goal
			case !known:
				codes[b][p] = abstraction.Thing
			default:
				codes[b][p] = int16(2 * target)
				if name := body.Parts[p].Name; name == "card" || name == "digit" {
					codes[b][p]++
				}
			}
		}
	}
	return codes
}

// TargetOf returns which target a body of the render.Scene is or belongs to; false if none.
func (s *Surroundings) TargetOf(body *render.Body) (int, bool) {
	t, ok := s.bodies[body]
	return t, ok
}

// Of describes a snapshot to a robot. What it returns is valid until another snapshot is described.
func (s *Surroundings) Of(robot int, at *physics.Snapshot) abstraction.Environment {
	if !s.fresh || s.step != at.Step {
		s.move(at)
	}
	return abstraction.Environment{
		Targets: s.targets, Self: &s.targets[1+robot], PoseWB: at.Robots[robot].PoseWB,
		Lines: s.lines, Bars: s.bars, Light: s.light, Gravity: s.world.Config.Gravity,
	}
}

// Clone returns surroundings of their own for another goroutine.
func (s *Surroundings) Clone() *Surroundings {
	c := *s
	c.targets, c.fresh = slices.Clone(s.targets), false
	return &c
}

// Forget has the next Of look again: what is placed moves without a step.
func (s *Surroundings) Forget() { s.fresh = false }

func (s *Surroundings) move(at *physics.Snapshot) {
	s.step, s.fresh = at.Step, true
	s.targets[0].Move(spatial.Pose{Pos: at.Ball.PosW, Rot: mgl64.QuatIdent()}, at.Ball.TwistInW.Lin)
	for _, f := range s.framed {
		s.targets[1+f.robot].Look(f.looks[at.Robots[f.robot].Extension])
	}
	for i := range at.Robots {
		s.targets[1+i].Move(at.Robots[i].PoseWB, at.Robots[i].TwistWBInW.Lin)
	}
	for i := range at.Obstacles {
		s.targets[1+len(at.Robots)+i].Move(at.Obstacles[i].PoseWO, at.Obstacles[i].TwistWOInW.Lin)
	}
}
