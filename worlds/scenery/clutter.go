package scenery

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Dimensions, in m, that determine where clutter and bystanders are. They are guesses, except for clutterPitch, which
// defines what a clutter of 1 is.
const (
	clutterPitch = 0.7 // length of the field's perimeter per thing, at a clutter of 1
	clearOfLines = 0.3
	// distance that things keep from the start poses of robots, people and balls, and from the paths of people
	clearOfStart = 1.0
	behindBoards = 2.2  // largest distance of things from the boards, behind the boards
	cableReach   = 0.35 // distance from the centre of a cable to its end
	clutterTries = 20   // number of tries to place a thing; after the last one the thing is left out
)

// surroundings adds bystanders and clutter around the field to a scene.
type surroundings struct {
	*builder
	model  *physics.Model
	random *rand.Rand
	taken  []circle
	still  []spatial.Pose
}

type circle struct {
	centre mgl64.Vec2
	radius float64
}

// surround adds bystanders and clutter to the scene, and returns their poses.
func (b *builder) surround(scene *physics.Model, l *looks) []spatial.Pose {
	if l.hall.Bystanders == 0 && l.hall.Clutter == 0 {
		return nil
	}
	s := surroundings{builder: b, model: scene}
	for i := range scene.Robots {
		s.keepClear(scene.Robots[i].Pose.Pos.Vec2(), clearOfStart)
	}
	if !scene.Ball.Absent {
		s.keepClear(mgl64.Vec2{scene.Ball.X, scene.Ball.Y}, clearOfStart)
	}
	for i := range scene.Obstacles {
		from := scene.Obstacles[i].Pose.Pos.Vec2()
		s.keepClear(from, clearOfStart)
		if i >= len(l.obstacles) || l.obstacles[i].Walk == nil {
			continue
		}
		points := l.obstacles[i].Walk.Points
		for k := range points { // the last way point is joined to the first
			to := mgl64.Vec2{points[k].X, points[k].Y}
			s.keepWayClear(from, to)
			from = to
		}
		s.keepWayClear(from, mgl64.Vec2{points[0].X, points[0].Y})
	}
	for i := range l.hall.Balls {
		s.keepClear(mgl64.Vec2{l.hall.Balls[i].X, l.hall.Balls[i].Y}, 0.4)
	}
	s.random = rand.New(rand.NewPCG(l.hall.Seed, 7))
	for i := range l.hall.Bystanders {
		s.bystander(fmt.Sprintf("hall.bystander%d", i+1))
	}
	s.random = rand.New(rand.NewPCG(l.hall.Seed, 8))
	around := 2 * (scene.Field.Length + scene.Field.Width + 4*scene.Field.Border)
	s.clutter(int(math.Round(l.hall.Clutter * around / clutterPitch)))
	return s.still
}

func (s *surroundings) keepClear(centre mgl64.Vec2, radius float64) {
	s.taken = append(s.taken, circle{centre, radius})
}

// keepWayClear makes sure that nothing is placed on a person's path between two points.
func (s *surroundings) keepWayClear(from, to mgl64.Vec2) {
	way := to.Sub(from)
	n := math.Ceil(way.Len()/clearOfStart) + 1
	for i := range int(n) {
		s.keepClear(from.Add(way.Mul(float64(i)/n)), clearOfStart)
	}
}

// takePlace returns a free place beside the field for a thing with the given radius, and the heading from there towards
// the field. The place is between the field's lines and the boards. If behind is true, or if there is too little space,
// the place is behind the boards. The result ok is false if no place is left.
func (s *surroundings) takePlace(radius float64, behind bool) (pos mgl64.Vec2, inwards float64, ok bool) {
	f := &s.model.Field
	if !behind && f.Border < clearOfLines+2*radius {
		behind = true
	}
	for range clutterTries {
		from, to := clearOfLines+radius, f.Border-radius
		if f.Bare() {
			from, to = -behindBoards/2, -radius // along the hall's walls
		} else if behind {
			from, to = f.Border+boardThickness+0.1+radius, f.Border+min(boardThickness+behindBoards,
				s.scene.Room.Margin-radius)
			if from > to {
				return pos, 0, false // the hall's walls are too near
			}
		}
		out := from + (to-from)*s.random.Float64()
		x, y := f.Length/2+out, f.Width/2+out
		along := (2*s.random.Float64() - 1) * (x + y)
		side := float64(1 - 2*s.random.IntN(2))
		if math.Abs(along) < x { // at one of the touch lines
			pos, inwards = mgl64.Vec2{along, side * y}, -side*math.Pi/2
		} else {
			pos, inwards = mgl64.Vec2{side * x, math.Copysign(math.Abs(along)-x, along)}, math.Pi*(1+side)/2
			if !behind && math.Abs(pos[1]) < f.GoalWidth/2+0.5+radius {
				continue // the place is in a goal or next to one
			}
		}
		if !slices.ContainsFunc(s.taken,
			func(c circle) bool { return c.centre.Sub(pos).Len() < c.radius+radius+0.05 }) {
			s.keepClear(pos, radius)
			return pos, inwards, true
		}
	}
	return pos, 0, false
}

// fixBody records the pose of the body that was begun last.
func (s *surroundings) fixBody(pose spatial.Pose) {
	s.body.Static, s.body.Cameras = true, cameraRegion(s.model, pose)
	s.still = append(s.still, pose)
}

func (s *surroundings) bystander(name string) {
	height, clothes, turn := 1.6+0.3*s.random.Float64(), s.random.Uint64N(1e6), 0.6*(s.random.Float64()-0.5)
	if pos, inwards, ok := s.takePlace(0.3, true); ok {
		s.person(name, height, false, clothes, false)
		s.fixBody(spatial.Planar(pos[0], pos[1], inwards+turn))
	}
}

// thing is a kind of clutter.
type thing struct {
	name   string
	radius float64
	// whether the thing is always behind the boards; all other things are behind the boards half of the time
	behind bool
	add    func(s *surroundings, pose spatial.Pose)
}

var things = []thing{
	{"cables", cableReach, false, (*surroundings).cable},
	{"bags", 0.3, false, (*surroundings).bag},
	{"boxes", 0.35, true, (*surroundings).crate},
	{"tables", 0.8, true, (*surroundings).table},
}

// clutter adds n things. All things of a kind share one body.
func (s *surroundings) clutter(n int) {
	if n == 0 {
		return
	}
	type placed struct {
		kind int
		pose spatial.Pose
	}
	var all []placed
	for range n {
		kind := [...]int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3}[s.random.IntN(10)]
		t := &things[kind]
		if pos, inwards, ok := s.takePlace(t.radius, t.behind || s.random.IntN(2) == 0); ok {
			all = append(all, placed{kind, spatial.Planar(pos[0], pos[1], inwards+0.5*(s.random.Float64()-0.5))})
		}
	}
	for kind := range things {
		s.startBody("hall." + things[kind].name)
		s.fixBody(spatial.Identity())
		for i := range all {
			if all[i].kind == kind {
				things[kind].add(s, all[i].pose)
			}
		}
	}
}

// randomOf returns the paint for one of the given colours, chosen at random.
func (s *surroundings) randomOf(colors ...render.Color) paint {
	return s.painted(colors[s.random.IntN(len(colors))], black)
}

// cable adds a cable that lies on the floor in curves.
func (s *surroundings) cable(pose spatial.Pose) {
	p, r := s.randomOf("#141416", "#141416", "#c9541c", "#d8d8d4", "#24509a"), 0.004+0.005*s.random.Float64()
	at, heading := mgl64.Vec2{-0.3, 0}, 0.6*(s.random.Float64()-0.5)
	var pieces []render.Mesh
	for range 7 {
		sin, cos := math.Sincos(heading)
		next := at.Add(mgl64.Vec2{cos, sin}.Mul(0.1))
		if next.Len() > cableReach {
			break
		}
		pieces = append(pieces, shapes.Tube(at.Vec3(r), next.Vec3(r), r, 5))
		at, heading = next, heading+1.1*(s.random.Float64()-0.5)
	}
	s.add("cable", shapes.Join(pieces...), p, pose)
}

// bag adds a sports bag that lies on the floor, or a backpack that stands on it.
func (s *surroundings) bag(pose spatial.Pose) {
	p := s.randomOf("#17181b", "#22365e", "#8a2127", "#3f4a35", "#55585c", "#c46a1e")
	e := func(z, rx, ry float64) shapes.Ellipse { return shapes.Ellipse{Centre: vec(0, 0, z), RX: rx, RY: ry} }
	high, wide, deep := 0.27, 0.26, 0.14
	if s.random.IntN(2) == 0 {
		high, wide, deep = 0.45, 0.16, 0.12
	}
	s.add("bag", shapes.Loft(10, e(0, 0.85*wide, 0.85*deep), e(0.2*high, wide, deep), e(0.75*high, 0.92*wide, 0.9*deep),
		e(high, 0.6*wide, 0.5*deep)), p, pose)
	a, b := vec(-0.4*wide, 0, 0.97*high), vec(0.4*wide, 0, 0.97*high)
	top := vec(0, 0, high+0.09)
	s.add("handle", shapes.Join(shapes.Tube(a, top, 0.012, 5), shapes.Tube(top, b, 0.012, 5)), black, pose)
}

// crate adds a cardboard box, a tool box, or a box for a robot. Some of the boxes have another box on top.
func (s *surroundings) crate(pose spatial.Pose) {
	z := 0.0
	for range 1 + s.random.IntN(2) {
		x, y, h := 0.3+0.2*s.random.Float64(), 0.3+0.15*s.random.Float64(), 0.2+0.25*s.random.Float64()
		turned := pose.Mul(spatial.Planar(0, 0, 0.3*(s.random.Float64()-0.5))).Mul(translation(0, 0, z+h/2))
		switch s.random.IntN(3) {
		case 0:
			s.add("box", shapes.Box(x, y, h), s.randomOf("#b08d5c", "#a07a48", "#bfa071"), turned)
			s.add("tape", shapes.Box(x+0.004, 0.05, h+0.004), s.randomOf("#cdb98f", "#8f7a55"), turned)
		case 1:
			s.add("box", shapes.BevelledBox(x, y, h, 0.015), s.randomOf("#b3282d", "#24509a", "#d9a21b", "#2c2e31"),
				turned)
			s.add("handle", shapes.Box(0.16, 0.03, 0.03), black, turned.Mul(translation(0, 0, h/2+0.01)))
		default:
			s.add("box", shapes.BevelledBox(x, y, h, 0.006), black, turned)
			s.add("edge", shapes.Box(x+0.008, y+0.008, 0.02), aluminium, turned.Mul(translation(0, 0, 0.2*h)))
		}
		z += h
	}
}

// table adds the table of a team with a computer on it.
func (s *surroundings) table(pose spatial.Pose) {
	const high, deep, wide = 0.74, 0.7, 1.4
	s.add("top", shapes.Box(deep, wide, 0.03), s.randomOf("#d8d5cc", "#b79a6b", "#8b8d90"),
		pose.Mul(translation(0, 0, high-0.015)))
	var legs []render.Mesh
	for _, x := range []float64{-1, 1} {
		for _, y := range []float64{-1, 1} {
			legs = append(legs, shapes.Tube(vec(x*(deep/2-0.05), y*(wide/2-0.05), 0),
				vec(x*(deep/2-0.05), y*(wide/2-0.05), high-0.02), 0.018, 6))
		}
	}
	s.add("leg", shapes.Join(legs...), graphite, pose)
	on := pose.Mul(spatial.Planar(0.05, (wide-0.5)*(s.random.Float64()-0.5), 0.4*(s.random.Float64()-0.5)))
	s.add("computer", shapes.Box(0.24, 0.34, 0.018), graphite, on.Mul(translation(0, 0, high+0.009)))
	s.add("computer", shapes.Box(0.01, 0.34, 0.22), s.randomOf("#141416", "#9a9ca0"),
		on.Mul(translation(0.15, 0, high+0.12)))
}
