package sensors

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors/outline"
)

// Targets holds the objects that robots may detect at the levels without images. A Targets belongs to one goroutine.
type Targets struct {
	world      *physics.Model
	targets    []abstraction.Target // the ball, robots, obstacles, props in reach of the robots, posts
	still      *abstraction.Solids  // of all props
	walls      *abstraction.Solids
	lines      *abstraction.Lines
	bars       []abstraction.Bar
	light      render.Brightness
	extendable []extendable
	bodies     map[*render.Body]int // index of the target to which each body belongs
	cache      *Cache
	outlines   map[spatial.UprightBox]*abstraction.Silhouette // of boxes and cylinders
	drawn      drawn                                          // bodies of the targets that are Drawn
	step       int64                                          // step for which the poses were set
	fresh      bool                                           // poses and light are valid for step
}

// Bodies holds the rendered bodies of robots, obstacles and props, in the order of the physics.Model. If they are
// missing, cameras see the hulls of robots and obstacles instead.
type Bodies struct {
	Scene             *render.Scene
	Ball              *render.Body
	Robots, Obstacles []*render.Body
	Props             []*render.Body
	Plates            map[int][2]*render.Body   // plates of robots with a KeeperExtension: side and top
	Links             map[int][]outline.Placed  // bodies that joints of robots move, at the joints' start
	Legs              map[int][2]outline.Placed // legs of obstacles that are walking people, in a standing pose
	People            []int                     // obstacles that look like people
	Shaped            []int                     // indices of robots with a look, which are not drawn as hulls
	// Poses returns the poses of the scene's bodies, at least of those that move. It reuses the memory of its last
	// argument. If Poses is nil, sensors that cast rays detect the hulls of people, of Shaped robots and of
	// robots with Links.
	Poses func(state *physics.Snapshot, into []spatial.Pose) []spatial.Pose
	Light render.Brightness
	Cache *Cache // as in Site
}

// extendable is a robot whose silhouette changes with its extension.
type extendable struct {
	robot       int
	silhouettes map[physics.ExtensionState]*abstraction.Silhouette
}

// NewTargets returns the targets of a world. The physics.Model must not change afterwards.
func NewTargets(world *physics.Model, bodies Bodies) *Targets {
	t := &Targets{world: world, light: bodies.Light, bodies: map[*render.Body]int{}}
	cache := bodies.Cache
	if cache == nil {
		cache = &Cache{}
	}
	t.cache = cache
	if bodies.Ball != nil {
		t.bodies[bodies.Ball] = 0
	}
	add := func(kind abstraction.Kind, name string, team physics.Team, shape abstraction.Shape, seen []*render.Body,
		i int) {
		var silhouette *abstraction.Silhouette // nil if the silhouette is that of the hull
		if i < len(seen) {
			t.bodies[seen[i]] = len(t.targets)
			silhouette = cache.silhouette(bodies.Scene, seen[i])
		}
		t.targets = append(t.targets, abstraction.NewTarget(kind, name, string(team), shape, silhouette))
	}
	add(abstraction.BallKind, "ball", "", abstraction.Shape{Kind: abstraction.Sphere, Radius: world.Ball.Radius}, nil,
		0)
	for i := range world.Robots {
		r := &world.Robots[i]
		add(abstraction.RobotKind, r.Name, r.Team, RobotShape(r), bodies.Robots, i)
		if plates, ok := bodies.Plates[i]; ok {
			t.bodies[plates[0]], t.bodies[plates[1]] = len(t.targets)-1, len(t.targets)-1
			t.addExtendable(i, bodies, plates)
		}
		if links := bodies.Links[i]; links != nil {
			for _, l := range links {
				t.bodies[l.Body] = len(t.targets) - 1
			}
			t.targets[len(t.targets)-1].SetOutline(outline.Silhouette(bodies.Scene, bodies.Robots[i], links...))
		}
	}
	for i := range world.Obstacles {
		o := &world.Obstacles[i]
		add(kindOf(o.Kind), o.Name, "", ObstacleShape(o), bodies.Obstacles, i)
		if legs, ok := bodies.Legs[i]; ok {
			last := len(t.targets) - 1
			t.bodies[legs[0].Body], t.bodies[legs[1].Body] = last, last
			t.targets[last].SetOutline(outline.Silhouette(bodies.Scene, bodies.Obstacles[i], legs[0], legs[1]))
		}
	}
	var still, walls []spatial.UprightBox
	for i := range world.Props {
		p := &world.Props[i]
		still = append(still, p.Boxes...)
		switch {
		case len(p.Boxes) == 0:
		case p.Form == physics.WallForm:
			walls = append(walls, p.Boxes...)
		case world.InReach(p) || p.Kind != "": // otherwise only sensors that cast rays detect it
			var seen *render.Body
			if i < len(bodies.Props) {
				seen = bodies.Props[i]
			}
			t.addProp(p, seen)
		}
	}
	t.draw(&bodies)
	t.still, t.walls = abstraction.NewSolids(still), abstraction.NewSolids(walls)
	t.addPosts()
	t.lines = cache.linesOf(&world.Field)
	for _, goal := range world.Field.Goals() {
		bar := world.Field.GoalPosts(goal)[2]
		x, z := (bar.Min[0]+bar.Max[0])/2, (bar.Min[2]+bar.Max[2])/2
		t.bars = append(t.bars, abstraction.Bar{A: mgl64.Vec3{x, bar.Min[1], z}, B: mgl64.Vec3{x, bar.Max[1], z},
			Width: bar.Max[2] - bar.Min[2]})
	}
	return t
}

// RobotShape returns the hull of a robot in the robot's frame B.
func RobotShape(r *physics.Robot) abstraction.Shape {
	if r.Body.Boxed() {
		return abstraction.Shape{Kind: abstraction.Box, SizeX: r.Body.Length, SizeY: r.Body.Width,
			Height: r.Body.Height}
	}
	return abstraction.Shape{Kind: abstraction.Cylinder, Radius: r.Body.Radius, Height: r.Body.Height}
}

// ObstacleShape returns the hull of an obstacle in the obstacle's frame O.
func ObstacleShape(o *physics.Obstacle) abstraction.Shape {
	if o.Round {
		return abstraction.Shape{Kind: abstraction.Cylinder, Radius: o.SizeX / 2, Height: o.Height}
	}
	return abstraction.Shape{Kind: abstraction.Box, SizeX: o.SizeX, SizeY: o.SizeY, Height: o.Height}
}

// addExtendable adds a robot that can extend its plates, with one silhouette for each state of the extension.
func (t *Targets) addExtendable(robot int, bodies Bodies, plates [2]*render.Body) {
	e := extendable{robot, map[physics.ExtensionState]*abstraction.Silhouette{}}
	for _, to := range []physics.ExtensionState{physics.NotExtended, physics.ExtendLeft, physics.ExtendRight,
		physics.ExtendUp} {
		side, _ := t.world.Robots[robot].SidePlate(to)
		top, _ := t.world.Robots[robot].TopPlate(to)
		e.silhouettes[to] = outline.Silhouette(bodies.Scene, bodies.Robots[robot],
			outline.Placed{Body: plates[0], PoseBP: spatial.Translation(side)}, outline.Placed{Body: plates[1],
				PoseBP: spatial.Translation(top)})
	}
	t.extendable = append(t.extendable, e)
}

// addProp adds a prop as a target.
func (t *Targets) addProp(p *physics.Prop, seen *render.Body) {
	if seen != nil && len(seen.Parts) <= mostSolids { // of more parts, level features sees only what they hide
		t.bodies[seen] = len(t.targets)
	}
	if len(p.Boxes) == 1 && p.Form != "" {
		b := &p.Boxes[0]
		shape := abstraction.Shape{Kind: abstraction.Box, SizeX: 2 * b.Half[0], SizeY: 2 * b.Half[1], Height: b.Top()}
		if b.Round {
			shape = abstraction.Shape{Kind: abstraction.Cylinder, Radius: b.Half[0], Height: b.Top()}
		}
		alone := spatial.UprightBox{Centre: mgl64.Vec3{0, 0, b.Centre[2]}, Half: b.Half, Round: b.Round}
		t.addStatic(p, shape, b.Bottom(), t.outlineOf(alone), spatial.Planar(b.Centre[0], b.Centre[1], b.Heading))
		return
	}
	heading := 0.0
	if p.Form == physics.OpeningForm {
		heading = p.Boxes[0].Heading
	}
	turn, boxes := spatial.RotZ(-heading), slices.Clone(p.Boxes) // in a frame with that heading
	lo, hi := mgl64.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, mgl64.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range boxes {
		b := &boxes[i]
		b.Centre, b.Heading = turn.Rotate(b.Centre), b.Heading-heading
		x, y := b.Extent()
		for k, half := range [3]float64{x, y, b.Half[2]} {
			lo[k], hi[k] = min(lo[k], b.Centre[k]-half), max(hi[k], b.Centre[k]+half)
		}
	}
	centre, size := lo.Add(hi).Mul(0.5), hi.Sub(lo)
	at := turn.Inverse().Rotate(centre)
	t.addStatic(p, abstraction.Shape{Kind: abstraction.Box, SizeX: size[0], SizeY: size[1], Height: hi[2]}, lo[2],
		outline.OfBoxes(boxes, centre.Vec2()), spatial.Planar(at[0], at[1], heading))
}

// outlineOf returns the silhouette of a box around the z axis. Equal boxes share it, because it takes 100 kB.
func (t *Targets) outlineOf(b spatial.UprightBox) *abstraction.Silhouette {
	if t.outlines[b] == nil {
		if t.outlines == nil {
			t.outlines = map[spatial.UprightBox]*abstraction.Silhouette{}
		}
		t.outlines[b] = outline.OfBoxes([]spatial.UprightBox{b}, mgl64.Vec2{})
	}
	return t.outlines[b]
}

// kindOf returns the kind of a body that is neither ball, robot nor goal post.
func kindOf(own string) abstraction.Kind {
	return cmp.Or(abstraction.Kind(own), abstraction.ObstacleKind)
}

// addStatic adds a body that never moves, from a height above the floor upwards.
func (t *Targets) addStatic(p *physics.Prop, shape abstraction.Shape, bottom float64, outline *abstraction.Silhouette,
	at spatial.Pose) {
	prop := abstraction.NewTarget(kindOf(p.Kind), p.Name, "", shape, outline)
	prop.Static, prop.Open = true, p.Form == physics.OpeningForm
	prop.Raise(bottom)
	prop.Move(at, mgl64.Vec3{})
	t.targets = append(t.targets, prop)
}

// addPosts adds the four goal posts. The name of a post contains the end of the field (minus or plus) and the side of
// the goal (left or right).
func (t *Targets) addPosts() {
	names := [2][2]string{{"post_minus_left", "post_minus_right"}, {"post_plus_left", "post_plus_right"}}
	for g, goal := range t.world.Field.Goals() {
		frame := t.world.Field.GoalPosts(goal)
		for p, box := range frame[:2] { // frame[2] is the bar
			lo, hi := mgl64.Vec3(box.Min), mgl64.Vec3(box.Max)
			size := hi.Sub(lo)
			shape := abstraction.Shape{Kind: abstraction.Box, SizeX: size[0], SizeY: size[1], Height: size[2]}
			post := abstraction.NewTarget(abstraction.PostKind, names[g][p], "", shape, nil)
			post.Move(spatial.Planar((lo[0]+hi[0])/2, (lo[1]+hi[1])/2, 0), mgl64.Vec3{})
			t.targets = append(t.targets, post)
		}
	}
}

// Codes returns the label code of each part of each body of the scene. The first index is that of the body, the second
// that of the part. See abstraction.Picture for the codes.
func (t *Targets) Codes(scene *render.Scene, field *render.Body) [][]int16 {
	codes := make([][]int16, len(scene.Bodies))
	for b := range codes {
		body := &scene.Bodies[b]
		target, known := t.bodies[body]
		codes[b] = make([]int16, len(body.Parts))
		for p := range codes[b] {
			switch {
			case body == field:
				codes[b][p] = abstraction.GoalLabel
			case !known:
				codes[b][p] = abstraction.OtherLabel
			default:
				codes[b][p] = int16(2 * target)
				if onCard(body.Parts[p].Name) {
					codes[b][p]++
				}
			}
		}
	}
	return codes
}

// onCard reports whether a part of a robot belongs to its colour card.
func onCard(part string) bool { return part == "card" || part == "digit" }

// mostSolids is about the largest number of solids into which Seen divides a body that is no target, such as a goal. An
// object in a goal is both in front of and behind parts of the goal, so the parts must be separate solids. The limit
// bounds the memory.
const mostSolids = 100

// Seen returns the scene that images show, as solids. The argument field is the body that contains goals and boards.
func (t *Targets) Seen(scene *render.Scene, field *render.Body) *contour.Scene {
	var all []contour.Solid
	for i := range scene.Bodies {
		body := &scene.Bodies[i]
		target, known := t.bodies[body]
		switch {
		case known && t.targets[target].Kind == abstraction.BallKind:
			all = append(all, contour.Solid{Radius: t.world.Ball.Radius, Body: i, Target: target,
				Code: int16(2 * target)})
		case known:
			if form := t.cache.form(scene, body.Parts); form != nil {
				all = append(all, contour.Solid{Form: form, Body: i, Target: target, Code: int16(2 * target)})
			}
		default:
			code := abstraction.OtherLabel
			if body == field {
				code = abstraction.GoalLabel
			}
			for parts := range slices.Chunk(body.Parts, max(1, len(body.Parts)/mostSolids)) {
				if form := t.cache.form(scene, parts); form != nil {
					all = append(all, contour.Solid{Form: form, Body: i, Target: -1, Code: code})
				}
			}
		}
	}
	return &contour.Scene{Solids: all, Targets: len(t.targets), Looked: t.looked()}
}

// looked returns the lowest and highest corner, in W, of a box that contains the field's markings and the goals' bars.
func (t *Targets) looked() (box [2]mgl64.Vec3) {
	floor := t.lines.Box()
	box = [2]mgl64.Vec3{floor[0].Vec3(0), floor[1].Vec3(0)}
	for i := range t.bars {
		b := &t.bars[i]
		for _, end := range [...]mgl64.Vec3{b.A, b.B} {
			for k, x := range end {
				box[0][k], box[1][k] = min(box[0][k], x-b.Width), max(box[1][k], x+b.Width)
			}
		}
	}
	return box
}

// TargetOf returns the index of the target to which a body of the render.Scene belongs. It returns false if the body
// belongs to no target.
func (t *Targets) TargetOf(body *render.Body) (int, bool) {
	index, ok := t.bodies[body]
	return index, ok
}

// SelfTarget returns the index of the target that is the robot of the given index.
func SelfTarget(robot int) int { return 1 + robot }

// Of returns the environment of a robot in a snapshot. The result is valid until Of is called for another snapshot.
func (t *Targets) Of(robot int, at *physics.Snapshot) abstraction.Environment {
	if !t.fresh || t.step != at.Step {
		t.move(at)
	}
	return abstraction.Environment{
		Targets: t.targets, Surfaces: t.drawn.surfaces, Solids: t.still, Walls: t.walls, Self: &t.targets[1+robot],
		PoseWB: at.Robots[robot].PoseWB, Lines: t.lines, Bars: t.bars, Light: t.light.Even,
		Gravity: t.world.Config.Gravity,
	}
}

// Clone returns independent targets for another goroutine.
func (t *Targets) Clone() *Targets {
	c := *t
	c.targets, c.fresh = slices.Clone(t.targets), false
	c.drawn.surfaces, c.drawn.posesWB = slices.Clone(t.drawn.surfaces), nil
	return &c
}

// SetLight sets the brightness of the light that the environments returned by Of contain.
func (t *Targets) SetLight(light render.Brightness) { t.light, t.fresh = light, false }

// Light returns the brightness that SetLight has set last.
func (t *Targets) Light() render.Brightness { return t.light }

// Invalidate makes the next call of Of read its snapshot even if the step is the same as before. It is needed because
// bodies can be moved without a step.
func (t *Targets) Invalidate() { t.fresh = false }

func (t *Targets) move(at *physics.Snapshot) {
	t.step, t.fresh = at.Step, true
	t.targets[0].Move(spatial.Pose{Pos: at.Ball.PosW, Rot: mgl64.QuatIdent()}, at.Ball.TwistInW.Lin)
	for _, e := range t.extendable {
		t.targets[1+e.robot].SetOutline(e.silhouettes[at.Robots[e.robot].Extension])
	}
	for i := range at.Robots {
		t.targets[1+i].Move(at.Robots[i].PoseWB, at.Robots[i].TwistWBInW.Lin)
	}
	for i := range at.Obstacles {
		t.targets[1+len(at.Robots)+i].Move(at.Obstacles[i].PoseWO, at.Obstacles[i].TwistWOInW.Lin)
	}
	t.drawn.move(at)
	for i := range t.targets {
		p := &t.targets[i].PoseWT.Pos
		t.targets[i].Light = t.light.Spots(p[0], p[1])
	}
}
