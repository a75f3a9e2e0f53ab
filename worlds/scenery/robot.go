package scenery

import (
	"math"
	"reflect"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// Heights, in m, at which the sections of a robot end, for a robot 0.8 m high. They scale with Body.Height.
const (
	skirtZ = 0.11 // below this height the wheels are visible
	deckZ  = 0.31
	cardZ  = 0.52
)

// hullPlan returns the outline of the hull in plan view, in m. For a round robot it is an octagon with a flat front for
// the ball. For a box-shaped robot it is a rectangle with its corners cut off, which lies inside the robot's sides by
// the distance within, in m.
func hullPlan(body *physics.Body, within float64) []mgl64.Vec2 {
	if body.Boxed() {
		const cut = 0.02
		x, y := body.Length/2-within, body.Width/2-within
		return []mgl64.Vec2{{x, -y + cut}, {x, y - cut}, {x - cut, y}, {-x + cut, y}, {-x, y - cut}, {-x, -y + cut},
			{-x + cut, -y}, {x - cut, -y}}
	}
	radius := body.Radius
	plan := []mgl64.Vec2{
		{0.80, -0.40}, {0.80, 0.40}, {0.44, 0.87}, {-0.40, 0.87},
		{-0.87, 0.40}, {-0.87, -0.40}, {-0.40, -0.87}, {0.44, -0.87},
	}
	for i := range plan {
		plan[i] = plan[i].Mul(radius)
	}
	return plan
}

// robot adds a robot's body: chassis, wheels, colour cards, tower and mirror. Everything is within Body.Radius and
// Body.Height. Robots of the same appearance share their parts. Robots of different scenes share them too, if the parts
// have the same meshes in both scenes.
func (b *builder) robot(r *physics.Robot, appearance Appearance) {
	b.startBody(r.Name)
	coat := b.coat(r, &appearance.Skin)
	skin := drawnSkin(appearance.Skin, r)
	look := skin.Look
	var paints []paint
	if appearance.Shapes != nil {
		paints = b.paints(appearance.Shapes, r.Team, appearance.Team[0])
	}
	switch {
	case look == nil:
		appearance.Skin = worlds.Skin{} // everything that the skin determines is in coat
	case appearance.Shapes == nil:
		appearance.Skin = skin
		paints = b.lookPaints(r, look, &skin)
	}
	as := build{r.Body, r.Drive, r.Dribbler != nil, r.Team, digit(r.Number), appearance, coat, paints, 0}
	if i := slices.IndexFunc(b.built, func(other built) bool {
		return reflect.DeepEqual(other.renumbered(0),
			as)
	}); i >= 0 {
		b.body.Parts = b.built[i].parts
		return
	}
	as.firstMesh = len(b.scene.Meshes)
	found := b.cache.robot(as, func() ([]render.Part, []render.Mesh) {
		if appearance.Shapes != nil {
			b.group(appearance.Shapes, as.paints)
		} else if look != nil {
			b.look(r, look, paints)
		} else {
			b.assemble(r, appearance, &coat)
		}
		meshes := slices.Clone(b.scene.Meshes[as.firstMesh:])
		b.scene.Meshes = b.scene.Meshes[:as.firstMesh]
		return b.body.Parts, meshes
	})
	b.body.Parts, b.scene.Meshes = found.parts, append(b.scene.Meshes, found.meshes...)
	b.built = append(b.built, found)
}

// paints returns the paint of each material of a group. The material with the index marked has the colour of the team's
// cards.
func (b *builder) paints(g *render.Group, team physics.Team, marked int) (all []paint) {
	for i, m := range g.Materials {
		if i == marked {
			all = append(all, card(team))
		} else {
			all = append(all, b.material(m))
		}
	}
	return all
}

// group adds the parts of a group.
func (b *builder) group(g *render.Group, paints []paint) {
	for _, p := range g.Parts {
		b.add(p.Name, g.Meshes[p.Mesh], paints[p.Material], p.PoseBP)
	}
}

func (b *builder) assemble(r *physics.Robot, appearance Appearance, coat *coat) {
	if appearance.Keeper {
		b.keeper(r, coat, appearance.OmniFocusZ > 0)
	} else {
		b.player(r, coat)
	}
	b.wheels(&r.Drive, &r.Body)
	if appearance.OmniFocusZ > 0 {
		b.tower(r, appearance)
	}
	for i, poseBC := range appearance.Cameras {
		b.camera(CameraPart(i), poseBC)
	}
}

// camera adds a box 7 cm deep that ends at a camera's viewpoint, and the arm that holds it.
func (b *builder) camera(name string, poseBC spatial.Pose) {
	box := poseBC.Mul(spatial.BodyToOptical().Inverse()).Mul(translation(-0.034, 0, 0))
	b.add(name, shapes.BevelledBox(0.07, 0.06, 0.05, 0.006), graphite, box)
	p := box.Pos
	if inner := vec(0.4*p[0], 0.4*p[1], p[2]); inner.Sub(p).Len() > 0.05 {
		b.add(name, shapes.Tube(inner, p, 0.009, 8), aluminium, translation(0, 0, 0))
	}
}

// unit returns the factor by which heights are scaled: 1 for a robot 0.8 m high.
func unit(r *physics.Robot) float64 { return r.Body.Height / 0.8 }

func (b *builder) player(r *physics.Robot, coat *coat) {
	radius, u := r.Body.Inner(), unit(r)
	plan := hullPlan(&r.Body, coat.within())
	b.add("base", shapes.Prism(shapes.Polygon(8, 0.62*radius), 0.03*u, skirtZ*u, 0), rubber, translation(0, 0, 0))
	b.add("hull", shapes.Prism(plan, skirtZ*u, deckZ*u, 0.02), coat.hull, translation(0, 0, 0))
	b.add("deck", shapes.Prism(shapes.Polygon(8, 0.80*radius), deckZ*u, (deckZ+0.012)*u, 0), aluminium,
		translation(0, 0, 0))
	side := 1.06 * radius
	b.add("tower", shapes.BevelledBox(side, side, (cardZ-deckZ-0.012)*u, 0.02), coat.cover,
		translation(0, 0, (cardZ+deckZ+0.012)/2*u))
	b.add("lid", shapes.BevelledBox(side+0.02, side+0.02, 0.012*u, 0.004), coat.cover,
		translation(0, 0, (cardZ+0.006)*u))
	b.add("stop", shapes.Lathe([]mgl64.Vec2{{0.014, 0}, {0.014, 0.014}, {0.02, 0.016}, {0.02, 0.024}, {0.014, 0.03}},
		8), red, translation(-0.36*side, 0.3*side, (cardZ+0.012)*u))
	b.cards(r, side/2, (cardZ+deckZ+0.012)/2*u, math.Min(side*0.86, (cardZ-deckZ-0.03)*u))
	if r.Dribbler != nil {
		b.arms(r)
	}
	b.stripes(coat, skirtZ*u+0.02, deckZ*u-0.02, func(height float64) render.Mesh {
		wide := slices.Clone(plan)
		for i := range wide {
			wide[i] = wide[i].Mul(1 + stripeOut/plan[2][1])
		}
		return shapes.Prism(wide, -height/2, height/2, 0)
	})
	b.plates(coat, plan[2][1], (skirtZ+deckZ)/2*u, min(0.13*u, 0.6*plan[0][0]))
}

// cards adds four square cards in the team's colour with the robot's number. distance is the distance of the cards from
// the robot's centre, in m.
func (b *builder) cards(r *physics.Robot, distance, z, size float64) {
	color := card(r.Team)
	for i := range 4 {
		turn := spatial.Planar(0, 0, float64(i)*math.Pi/2)
		b.add("card", shapes.Box(0.012, size, size), color, turn.Mul(translation(distance+0.004, 0, z)))
		b.digit(r.Number, size, turn.Mul(translation(distance+0.011, 0, z)))
	}
}

// card returns the paint of a team's cards.
func card(team physics.Team) paint {
	if team == physics.Magenta {
		return magenta
	}
	return cyan
}

// segments holds the segments of each digit, one bit each, from the lowest bit: top, upper right, lower right, bottom,
// lower left, upper left, middle.
var segments = [10]uint8{0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f}

// digit returns the last digit of a number. It returns −1 if the number has no digit to show.
func digit(number int) int {
	if number < 0 {
		return -1
	}
	return number % 10
}

// digit adds the last digit of a number to a card of the given size. The digit is readable from +x.
func (b *builder) digit(number int, size float64, pose spatial.Pose) {
	if last := digit(number); last >= 0 {
		b.glyph("digit", last, size, 0.006, white, pose)
	}
}

// strokeWidth is the width of a digit's strokes, and digitHeight is the height of a digit, both divided by the size of
// its card.
const (
	strokeWidth = 0.075
	digitHeight = 2*0.30 + strokeWidth
)

// glyph adds the strokes of a digit. The argument thick is the thickness of the strokes, in m.
func (b *builder) glyph(name string, digit int, size, thick float64, p paint, pose spatial.Pose) {
	h, w, t := 0.30*size, 0.17*size, strokeWidth*size // half the height, half the width, and the width of a stroke, m
	strokes := []struct{ right, up, dy, dz float64 }{
		{0, h, 2*w + t, t}, {w, h / 2, t, h}, {w, -h / 2, t, h}, {0, -h, 2*w + t, t},
		{-w, -h / 2, t, h}, {-w, h / 2, t, h}, {0, 0, 2*w + t, t},
	}
	for i, s := range strokes {
		if segments[digit]>>i&1 == 1 {
			// Seen from +x, the direction to the right is +y.
			b.add(name, shapes.Box(thick, s.dy, s.dz), p, pose.Mul(translation(0, s.right, s.up)))
		}
	}
}

// arms adds the two levers with wheels with which the robot holds the ball.
func (b *builder) arms(r *physics.Robot) {
	radius, u := r.Body.Front(), unit(r)
	for _, side := range []float64{-1, 1} {
		y := side * 0.30 * radius
		root, tip := vec(0.70*radius, y, 0.27*u), vec(0.80*radius, y, 0.19*u)
		b.add("arm", shapes.Tube(root, tip, 0.012, 8), aluminium, translation(0, 0, 0))
		axle := vec(0, side*0.018, 0)
		b.add("arm", shapes.Tube(tip.Sub(axle), tip.Add(axle), 0.028, 12), rubber, translation(0, 0, 0))
	}
	b.add("plate", shapes.BevelledBox(0.012, 0.62*radius, 0.07*u, 0.004), aluminium, translation(0.80*radius, 0,
		0.17*u))
}

// wheels adds the wheels. A wheel has a dark tyre and a bright hub, and its axle points outwards.
func (b *builder) wheels(d *physics.Drive, body *physics.Body) {
	const width = 0.044
	for _, w := range d.AllWheels() {
		// The wheel has a position along its axle, which is limited so that the wheel stays within the hull. It has a
		// distance from the robot's centre at right angles to the axle.
		angle := w.Heading + math.Pi/2
		sin, cos := math.Sincos(angle)
		along, beside := w.X*cos+w.Y*sin, -w.X*sin+w.Y*cos
		if along < 0 {
			angle, along, beside = angle+math.Pi, -along, -beside
		}
		room := math.Sqrt(math.Max(0, body.Radius*body.Radius-math.Pow(d.WheelRadius+math.Abs(beside), 2)))
		if body.Boxed() {
			room = (math.Abs(cos)*body.Length + math.Abs(sin)*body.Width) / 2
		}
		distance := math.Min(along, room-width/2-0.004)
		turn := spatial.Planar(0, 0, angle).Mul(spatial.Translation(vec(0, beside, 0)))
		outwards := func(x0, x1, r float64, sides int) {
			p := rubber
			if r < d.WheelRadius {
				p = aluminium
			}
			m := shapes.Tube(vec(x0, 0, d.WheelRadius), vec(x1, 0, d.WheelRadius), r, sides)
			b.add("wheel", m, p, turn)
		}
		outwards(distance-width/2, distance+width/2, d.WheelRadius, 14)
		outwards(distance, distance+width/2+0.003, 0.55*d.WheelRadius, 8)
	}
}

// tower adds the camera that looks up, the mirror above it, and the rods between them.
func (b *builder) tower(r *physics.Robot, appearance Appearance) {
	u, m, focus := unit(r), appearance.Mirror, appearance.OmniFocusZ
	foot := (cardZ + 0.012) * u
	lens := focus + m.PinholeZ()
	b.add("camera", shapes.Lathe([]mgl64.Vec2{{0.05, foot}, {0.05, foot + 0.012}, {0.03, foot + 0.018},
		{0.03, lens - 0.022}, {0.021, lens - 0.018}, {0.021, lens - 0.002}}, 14), graphite, translation(0, 0, 0))
	b.add("lens", shapes.Lathe([]mgl64.Vec2{{0.016, lens - 0.004}, {0.014, lens}, {0, lens + 0.003}}, 10), glass,
		translation(0, 0, 0))
	profile := m.Outline(9)
	for i := range profile {
		profile[i][1] += focus
	}
	rim := profile[len(profile)-1]
	b.add(Mirror, shapes.Lathe(profile, 24), chrome, translation(0, 0, 0))
	top := math.Min(rim[1]+0.012, r.Body.Height)
	holder := rim[0] + 0.028
	b.add(Mirror, shapes.Lathe([]mgl64.Vec2{{holder, rim[1] + 0.0005}, {holder, top - 0.003}, {holder - 0.006, top}},
		24), graphite, translation(0, 0, 0))
	for i := range 3 {
		turn := spatial.Planar(0, 0, math.Pi/3+float64(i)*2*math.Pi/3)
		b.add(Rod, shapes.Tube(vec(holder-0.008, 0, foot), vec(holder-0.008, 0, rim[1]+0.002), 0.0025, 6), aluminium,
			turn)
	}
}

// openFrameZ is the height of the frame of a goalkeeper 0.8 m high with a mirror camera, in m. The mirror sees the
// floor beyond the frame from 0.7 m on. 0.56 is a guess.
const openFrameZ = 0.56

// keeper adds the body of a goalkeeper. It is as wide as the rules allow, flat, and has a frame. The frame reaches up
// to its full height, or to openFrameZ if it must not hide the view of a mirror camera.
func (b *builder) keeper(r *physics.Robot, coat *coat, omni bool) {
	radius, u := r.Body.Radius, unit(r)
	// half lengths of the sides; the distance of a corner from the centre is 0.98 of the radius
	hx, hy := 0.50*radius, 0.84*radius
	if r.Body.Boxed() {
		hx, hy = 0.98*r.Body.Length/2, 0.98*r.Body.Width/2
		if coat.relief() {
			hx, hy = hx-numberOut, hy-numberOut
		}
	}
	top := r.Body.Height
	if omni {
		top = openFrameZ * u
	}
	b.add("base", shapes.BevelledBox(1.6*hx, 1.6*hy, 0.08*u, 0.01), rubber, translation(0, 0, 0.07*u))
	b.add("hull", shapes.BevelledBox(2*hx, 2*hy, 0.20*u, 0.02), coat.hull, translation(0, 0, 0.21*u))
	b.add("deck", shapes.BevelledBox(1.9*hx, 1.9*hy, 0.012*u, 0.004), aluminium, translation(0, 0, 0.316*u))
	side := math.Min(1.3*hx, 1.3*hy)
	b.add("tower", shapes.BevelledBox(side, side, 0.20*u, 0.02), coat.cover, translation(0, 0, 0.42*u))
	b.cards(r, side/2, 0.42*u, math.Min(side*0.86, 0.18*u))
	const t = 0.025
	for _, sy := range []float64{-1, 1} {
		y := sy * (hy - t/2)
		for _, sx := range []float64{-1, 1} {
			b.add("frame", shapes.Box(t, t, top-0.31*u), aluminium, translation(sx*(hx-t/2)*0.9, y, (top+0.31*u)/2))
		}
		b.add("frame", shapes.Box(1.8*hx, t, t), aluminium, translation(0, y, top-t/2))
		b.add("panel", shapes.Box(1.6*hx, 0.006, 0.9*(top-0.31*u)), coat.panel, translation(0, y, (top+0.31*u)/2))
	}
	for _, sx := range []float64{-1, 1} {
		b.add("frame", shapes.Box(t, 2*(hy-t), t), aluminium, translation(sx*(hx-t/2)*0.9, 0, top-t/2))
	}
	if !omni {
		b.add("frame", shapes.Box(t, 2*(hy-t), t), aluminium, translation(0, 0, 0.60*u))
	}
	b.stripes(coat, 0.13*u, 0.29*u, func(height float64) render.Mesh {
		return shapes.BevelledBox(2*(hx+stripeOut), 2*(hy+stripeOut), height, min(0.02, height/4))
	})
	b.plates(coat, hy, 0.21*u, min(0.13*u, 1.2*hx))
}

// jointed is a body of the scene that a joint of a robot moves.
type jointed struct{ robot, joint int }

// teamLink is what a joint of a team's robots moves.
type teamLink struct {
	shapes *render.Group
	team   physics.Team
}

// links adds a body for each joint of a robot that moves visible links. They have the names of the joints.
func (b *builder) links(robot int, r *physics.Robot, look *Appearance) (all []jointed) {
	for i, g := range look.Links {
		if len(g.Parts) == 0 {
			continue
		}
		b.startBody(r.Name + "." + r.Joints[i].Name)
		key := teamLink{g, r.Team}
		if b.shared[key] == nil { // other robots of the team have the same shapes
			b.group(g, b.paints(g, r.Team, look.Team[i+1]))
			if b.shared == nil {
				b.shared = map[teamLink][]render.Part{}
			}
			b.shared[key] = b.body.Parts
		}
		b.body.Parts = b.shared[key]
		all = append(all, jointed{robot, i})
	}
	return all
}

// frame adds the two plates of a robot that can extend itself. The plates are separate bodies.
func (b *builder) frame(r *physics.Robot) {
	if r.Extension == nil {
		return
	}
	for _, plate := range []func(physics.ExtensionState) (centre, half mgl64.Vec3){r.SidePlate, r.TopPlate} {
		_, half := plate(physics.NotExtended)
		b.startBody(r.Name + ".frame")
		b.add("plate", shapes.Box(2*half[0], 2*half[1], 2*half[2]), black, translation(0, 0, 0))
	}
}

// appendFrame appends the poses of a robot's plates.
func appendFrame(into []spatial.Pose, r *physics.Robot, state *physics.RobotState) []spatial.Pose {
	side, _ := r.SidePlate(state.Extension)
	top, _ := r.TopPlate(state.Extension)
	return append(into, state.PoseWB.Mul(spatial.Translation(side)), state.PoseWB.Mul(spatial.Translation(top)))
}
