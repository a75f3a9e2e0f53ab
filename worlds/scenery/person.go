package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// Dimensions, in m, of a person 1.75 m high. People of other heights are scaled. Source of hip and stride: D. A.
// Winter, "Biomechanics and motor control of human movement", 4th ed., 2009, figure 4.1 (hip at 0.53 of the height).
// The other dimensions are guesses.
const (
	personHeight = 1.75
	hipZ         = 0.92
	hipY         = 0.095
	stride       = 1.4 // length of a stride of both legs, metres
	swing        = 0.4 // swing of a leg to either side at walking speed, rad
	walkingSpeed = 1.0 // m/s: from this speed on, legs swing fully
)

// Colours of people. They are guesses.
var (
	skins  = []render.Color{"#efc4a0", "#dca77f", "#c08a5e", "#8d5a3b", "#5b3a29"}
	hairs  = []render.Color{"#1a1512", "#2b1d14", "#5e4026", "#a8814d", "#77736e"}
	shirts = []render.Color{"#e6e6e2", "#b3282d", "#24509a", "#2f7a3c", "#d9a21b", "#e07b1f", "#5a3f8a", "#3a3f45",
		"#7fb2d6", "#8a2f5c"}
	trousers   = []render.Color{"#1d2230", "#2b2b2d", "#2e4468", "#5a5f66", "#8a7a5c"}
	shoes      = []render.Color{"#141416", "#dededa", "#5c3420", "#a02828"}
	refereeTop = render.Color("#151517")
)

// people are the people of a scene, with the bodies of the legs of those who walk.
type people struct {
	all     []int     // indices of all people among the obstacles of the physics.Model, whether they walk or stand
	walkers []int     // indices of those who walk
	scale   []float64 // scale of each of those; 1 for a person of personHeight
	legs    int       // index of the body of the first leg; each walker has two legs, first the left and then the right
}

// obstaclePerson adds an obstacle that looks like a person.
func (b *builder) obstaclePerson(o *physics.Obstacle, as *worlds.Obstacle) {
	b.person(o.Name, o.Height, as.Looks == worlds.LooksReferee, as.Clothes, as.Moves())
}

// walkers adds the legs of those obstacles that are walking people, and returns all people.
func (b *builder) walkers(all []physics.Obstacle, as []worlds.Obstacle) (p people) {
	p.legs = len(b.scene.Bodies)
	for i := range all {
		if i >= len(as) || !as[i].Person() {
			continue
		}
		if p.all = append(p.all, i); as[i].Moves() {
			b.legs(all[i].Name, all[i].Height, as[i].Looks == worlds.LooksReferee, as[i].Clothes)
			p.walkers, p.scale = append(p.walkers, i), append(p.scale, all[i].Height/personHeight)
		}
	}
	return p
}

// person adds a body that stands on the floor and faces along its x axis. If the person walks, the body has no legs;
// they are added separately.
func (b *builder) person(name string, height float64, referee bool, clothes uint64, walks bool) {
	b.startBody(name)
	w := b.wardrobe(referee, clothes)
	k := height / personHeight
	b.upperBody(k, &w)
	if walks {
		return
	}
	for _, side := range []float64{1, -1} {
		b.leg(k, &w, translation(0, side*hipY*k, hipZ*k).Mul(spatial.RPY(mgl64.Vec3{}, 0.04*side, 0, 0.15*side)))
	}
}

// legs adds the two legs of a person who walks. Each leg is a separate body that hangs from the hip.
func (b *builder) legs(name string, height float64, referee bool, clothes uint64) {
	w := b.wardrobe(referee, clothes)
	for _, side := range []string{".left_leg", ".right_leg"} {
		b.startBody(name + side)
		b.leg(height/personHeight, &w, spatial.Identity())
	}
}

// wardrobe is the paints of a person's clothes, skin and hair.
type wardrobe struct {
	skin, hair, shirt, sleeve, trousers, shoes paint
	long                                       bool // whether the person has long hair
}

func (b *builder) wardrobe(referee bool, clothes uint64) wardrobe {
	random := rand.New(rand.NewPCG(clothes, 5))
	pick := func(of []render.Color) paint {
		linear, _ := of[random.IntN(len(of))].Linear()
		return b.material(render.Material{Color: linear, F0: plastic, Roughness: 0.8, Shininess: 8})
	}
	w := wardrobe{skin: pick(skins), hair: pick(hairs), shirt: pick(shirts), trousers: pick(trousers),
		shoes: pick(shoes)}
	if w.sleeve = w.skin; random.IntN(2) == 0 {
		w.sleeve = w.shirt
	}
	w.long = random.IntN(3) == 0
	if referee {
		linear, _ := refereeTop.Linear()
		w.shirt = b.material(render.Material{Color: linear, F0: plastic, Roughness: 0.8, Shininess: 8})
		w.trousers = w.shirt
	}
	return w
}

// upperBody adds everything above the hip. The argument k is the scale of the person, 1 for a height of 1.75 m.
func (b *builder) upperBody(k float64, w *wardrobe) {
	round := func(name string, p paint, sides int, sections ...shapes.Ellipse) {
		for i := range sections {
			s := &sections[i]
			s.Centre, s.RX, s.RY = s.Centre.Mul(k), s.RX*k, s.RY*k
		}
		b.add(name, shapes.Loft(sides, sections...), p, translation(0, 0, 0))
	}
	e := func(x, y, z, rx, ry float64) shapes.Ellipse {
		return shapes.Ellipse{Centre: vec(x, y, z), RX: rx, RY: ry}
	}
	round("hip", w.trousers, 10, e(0, 0, 0.80, 0.095, 0.15), e(0, 0, 0.90, 0.115, 0.175), e(0, 0, 0.98, 0.10, 0.155))
	round("torso", w.shirt, 10, e(0, 0, 0.95, 0.112, 0.166), e(0, 0, 1.08, 0.105, 0.152),
		e(0.01, 0, 1.25, 0.122, 0.185), e(0, 0, 1.38, 0.11, 0.195), e(-0.01, 0, 1.45, 0.075, 0.13),
		e(-0.01, 0, 1.48, 0.05, 0.06))
	round("neck", w.skin, 8, e(-0.01, 0, 1.46, 0.05, 0.05), e(0, 0, 1.56, 0.048, 0.048))
	round("head", w.skin, 10, e(0.02, 0, 1.53, 0.06, 0.045), e(0.015, 0, 1.58, 0.088, 0.066),
		e(0.01, 0, 1.65, 0.096, 0.074), e(0, 0, 1.71, 0.085, 0.068), e(0, 0, 1.735, 0.05, 0.04))
	low := 1.62
	if w.long {
		low = 1.47
	}
	round("hair", w.hair, 10, e(-0.045, 0, low, 0.05, 0.075), e(-0.035, 0, 1.66, 0.075, 0.085),
		e(-0.012, 0, 1.71, 0.092, 0.078), e(-0.005, 0, 1.75, 0.04, 0.035))
	b.add("nose", shapes.Box(0.025*k, 0.022*k, 0.04*k), w.skin, translation(0.11*k, 0, 1.625*k))
	for _, side := range []float64{1, -1} {
		b.add("eye", shapes.Box(0.008*k, 0.024*k, 0.012*k), black, translation(0.102*k, 0.03*side*k, 1.655*k))
		round("arm", w.sleeve, 8, e(0.05, 0.25*side, 0.90, 0.032, 0.03), e(0.01, 0.255*side, 1.14, 0.042, 0.038),
			e(0.005, 0.25*side, 1.20, 0.044, 0.04))
		round("arm", w.shirt, 8, e(0, 0.252*side, 1.16, 0.052, 0.047), e(-0.005, 0.225*side, 1.33, 0.058, 0.052),
			e(-0.01, 0.185*side, 1.43, 0.04, 0.04))
		round("hand", w.skin, 8, e(0.07, 0.245*side, 0.80, 0.025, 0.02), e(0.06, 0.248*side, 0.85, 0.045, 0.024),
			e(0.05, 0.25*side, 0.92, 0.028, 0.026))
	}
}

// leg adds a leg that hangs from the hip.
func (b *builder) leg(k float64, w *wardrobe, poseBP spatial.Pose) {
	e := func(z, rx, ry float64) shapes.Ellipse {
		return shapes.Ellipse{Centre: vec(0, 0, (z-hipZ)*k), RX: rx * k, RY: ry * k}
	}
	b.add("leg", shapes.Loft(8, e(0.06, 0.055, 0.05), e(0.45, 0.062, 0.06), e(0.55, 0.07, 0.065),
		e(0.86, 0.092, 0.085)), w.trousers, poseBP)
	b.add("shoe", shapes.BevelledBox(0.27*k, 0.10*k, 0.085*k, 0.02*k), w.shoes,
		poseBP.Mul(translation(0.055*k, 0, (0.0425-hipZ)*k)))
}

// step returns the angle, in rad, by which the left leg of a walking person swings forward. The angle depends only on
// the person's position and speed, so it does not depend on when an image is rendered.
func step(o *physics.ObstacleState, k float64) float64 {
	v := o.TwistWOInW.Lin.Vec2()
	speed := v.Len()
	if !(speed > 1e-3) {
		return 0
	}
	way := o.PoseWO.Pos.Vec2().Dot(v.Mul(1/speed)) / (stride * k)
	return swing * min(1, speed/walkingSpeed) * math.Sin(2*math.Pi*way)
}

// lower lowers the bodies of walking people, because the hip is lower when the legs are not upright.
func (p *people) lower(obstacles []spatial.Pose, snapshot *physics.Snapshot) {
	for i, walker := range p.walkers {
		angle := step(&snapshot.Obstacles[walker], p.scale[i])
		obstacles[walker].Pos[2] -= hipZ * p.scale[i] * (1 - math.Cos(angle))
	}
}

// appendLegs appends the poses of walking people's legs to a slice. The argument obstacles is the index of the first
// obstacle among the bodies.
func (p *people) appendLegs(into []spatial.Pose, obstacles int, snapshot *physics.Snapshot) []spatial.Pose {
	for i, walker := range p.walkers {
		angle := step(&snapshot.Obstacles[walker], p.scale[i])
		into = append(into, into[obstacles+walker].Mul(legPose(p.scale[i], 1, angle)),
			into[obstacles+walker].Mul(legPose(p.scale[i], -1, angle)))
	}
	return into
}

// legPose returns the pose of one leg in a person's frame, while the left leg swings forward by an angle in rad. The
// argument side is 1 for the left leg and −1 for the right leg.
func legPose(k, side, angle float64) spatial.Pose {
	return spatial.RPY(mgl64.Vec3{0, side * hipY * k, hipZ * k}, 0, -side*angle, 0)
}
