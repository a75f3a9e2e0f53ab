package scenery

import (
	"math/rand/v2"
	"strconv"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/worlds"
)

// Distances, in m, by which stripes, number plates and the numbers on the plates stand out from a hull. The distances
// are large enough to separate the surfaces in depth when they are seen through a curved mirror or lens.
const (
	stripeOut = 0.003
	plateOut  = 0.008
	numberOut = 0.012
)

// coat is a robot's skin with all its values set.
type coat struct {
	hull, cover, panel, stripe paint
	stripes                    int
	number                     int // number on the number plates; 0 for a robot without number plates
	ink                        paint
}

// coat returns the coat of a robot. Values that the skin leaves out are chosen at random.
func (b *builder) coat(r *physics.Robot, skin *worlds.Skin) coat {
	if *skin == (worlds.Skin{}) {
		return coat{hull: black, cover: graphite, panel: black, stripe: white, ink: black}
	}
	s := drawnSkin(*skin, r)
	c := coat{hull: b.painted(s.Hull, black), cover: b.painted(s.Cover, graphite), panel: b.painted(s.Cover, black),
		stripe: b.painted(s.Stripe, white), stripes: s.Stripes, ink: black}
	if s.Plates {
		c.number = r.Number
	}
	return c
}

// Colours from which the colours of skins are chosen. The rules ask for black robots, so hulls are dark. The colours
// are guesses from photographs of teams.
var (
	hullColors  = []render.Color{"", "", "#26282b", "#3a3a3e", "#1d2b3a", "#2f2a20"}
	coverColors = []render.Color{"", "#c9c9c4", "#b3282d", "#24509a", "#e07b1f", "#2f7a3c", "#d9c021", "#5a3f8a",
		"#6b7077"}
	stripeColors = []render.Color{"#e8e8e4", "#d9c021", "#c22f2f", "#2d63b8", "#e07b1f", "#8d9196"}
)

// drawnSkin returns the skin with random values in place of those that it leaves out. The random values depend on the
// skin's seed, the team and the robot's number.
func drawnSkin(s worlds.Skin, r *physics.Robot) worlds.Skin {
	if s.Seed == 0 {
		return s
	}
	stream := uint64(r.Number) << 1
	if r.Team == physics.Magenta {
		stream++
	}
	random := rand.New(rand.NewPCG(s.Seed, stream))
	pick := func(given render.Color, of []render.Color) render.Color {
		if c := of[random.IntN(len(of))]; given == "" {
			return c
		}
		return given
	}
	s.Hull, s.Cover, s.Stripe = pick(s.Hull, hullColors), pick(s.Cover, coverColors), pick(s.Stripe, stripeColors)
	if n := random.IntN(4); s.Stripes == 0 {
		s.Stripes = n
	}
	s.Plates = random.IntN(3) > 0 || s.Plates
	return s
}

// relief reports whether anything stands out from the hull: stripes or number plates.
func (c *coat) relief() bool { return c.stripes > 0 || c.number != 0 }

// within returns how far, in m, the hull of a box-shaped robot lies inside the sides of the robot's body. Nothing that
// stands out from the hull then reaches beyond these sides.
func (c *coat) within() float64 {
	if c.relief() {
		return 0.001 + numberOut
	}
	return 0.005
}

// stripes adds stripes around a hull, between two heights. The function mesh returns the mesh of a stripe with the
// given height.
func (b *builder) stripes(c *coat, bottom, top float64, mesh func(height float64) render.Mesh) {
	pitch := (top - bottom) / float64(max(1, c.stripes))
	for i := range c.stripes {
		b.add("stripe", mesh(min(0.035, 0.5*pitch)), c.stripe, translation(0, 0, bottom+(float64(i)+0.5)*pitch))
	}
}

// plates adds number plates on the left and on the right of a hull. side is the distance of a plate from the hull's
// centre, and z is its height, in m.
func (b *builder) plates(c *coat, side, z, size float64) {
	if c.number == 0 {
		return
	}
	digits := strconv.Itoa(c.number)
	size = min(size, size/(0.3+0.55*float64(len(digits)))*1.1)
	pitch, n := 0.55*size, float64(len(digits))
	for _, turn := range []float64{90, -90} {
		turned := spatial.Planar(0, 0, turn*spatial.Degree)
		b.add("number", shapes.Box(plateOut, (n-1)*pitch+0.75*size, size), white,
			turned.Mul(translation(side+plateOut/2, 0, z)))
		for i, d := range digits {
			y := (float64(i) - (n-1)/2) * pitch
			b.glyph("number", int(d-'0'), size, numberOut-plateOut, c.ink,
				turned.Mul(translation(side+(plateOut+numberOut)/2, y, z)))
		}
	}
}

// Appearance is the part of a robot's appearance that depends on its sensors and its paint.
type Appearance struct {
	Keeper bool // whether the robot has the wide build of a goalkeeper
	// height of the mirror camera's optical frame above the floor, m; 0 for a robot without a mirror
	OmniFocusZ float64
	Mirror     optics.Catadioptric // the mirror's shape
	// poses in the robot's frame of the optical frames of front and depth cameras; each camera is shown as a box
	Cameras []spatial.Pose
	Skin    worlds.Skin
	// Shapes are all that is visible of a robot that is described in URDF. The fields above then have no effect.
	Shapes *render.Group
	Links  []*render.Group // what each of its joints moves
	Team   []int           // material of Shapes and of each of Links that has the colour of the robot's team; −1: none
}

// DefaultMirror returns the shape of a mirror that is common in the league. The mirror is 12 cm wide and 12 cm above
// the camera's lens, and shows the world up to about 10° above the horizon. The values are guesses from photographs.
func DefaultMirror() optics.Hyperbolic { return optics.Hyperbolic{K: 3.3, C: 0.12, RimRadius: 0.06} }

// DefaultAppearance returns the appearance of a field player with its mirror at a height of 0.78 m, as NuBot's software
// assumes. For a robot without a kicker it returns the appearance of a goalkeeper with two depth cameras (the NuBot
// team's description, 2017).
func DefaultAppearance(r *physics.Robot) Appearance {
	if r.Kicker != nil {
		return Appearance{OmniFocusZ: 0.78, Mirror: DefaultMirror()}
	}
	appearance := Appearance{Keeper: true}
	for _, yaw := range []float64{0.5, -0.5} {
		appearance.Cameras = append(appearance.Cameras, spatial.RPY(vec(0.1, 0.12*sign(yaw), 0.6), 0, 0.2,
			yaw).Mul(spatial.BodyToOptical()))
	}
	return appearance
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}
