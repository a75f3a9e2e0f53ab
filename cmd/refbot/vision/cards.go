package vision

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// Range in which cards are detected, in m from the camera. All limits are guesses. Closer cards do not fit into the
// image. Dai et al. recognised cards from 1 to 4 m away.
const (
	cardNearest  = 0.3
	cardFarthest = 5.0
	cardDeepest  = 9.0 // with a depth image; Kinects measure up to 8 m
)

// CardRobot is a robot detected by its cards.
type CardRobot struct {
	Color     Class   // ClassCyan or ClassMagenta
	X, Y      float64 // position of the robot's centre, m, in the frame of the robot with the camera
	Bearing   float64 // direction from the camera, rad to the left
	Distance  float64 // horizontal distance from the camera, m: the mean of all measurements, weighted by accuracy
	Deviation float64 // expected standard deviation of Distance, m
	// ByHeight is the distance determined from the elevation of the card's centre alone, as in the paper by Dai et al.,
	// in m. It is +Inf if the elevation does not determine the distance.
	ByHeight float64
	BySize   float64 // distance determined from the apparent size of the card, m
	ByDepth  float64 // distance determined from a depth image, m; 0 without one
	Cards    int     // number of visible cards, 1 or 2
}

// At returns the position that the robot would have at a given distance from the camera, in m, in the frame of the
// robot with the camera.
func (m *CardRobot) At(view *View, distance float64) (x, y float64) {
	sin, cos := math.Sincos(m.Bearing)
	return view.Pos[0] + distance*cos, view.Pos[1] + distance*sin
}

// CardFinder finds robots by their colour cards in the images of one camera. It combines the elevation of a card (Dai
// et al., "Communication-less cooperation between soccer robots", RoboCup 2016, equation 1) with its apparent size.
type CardFinder struct {
	view     *View
	measures CardMeasures
	linear   [256]float32
	spans    [][2]int // columns of each row in which a card may appear
	classes  []Class
	blobs    BlobFinder
	columns  []cardColumn
	sorted   []float64
	cards    []card
	mates    []CardRobot
	depth    []byte // depth image of the same pixels in mm, as in 16UC1; nil without one
	noise    DepthNoise
}

// NewCardFinder returns a finder of robots with the given cards.
func NewCardFinder(view *View, m CardMeasures) *CardFinder {
	f := &CardFinder{view: view, measures: m, linear: linearTable[float32](), spans: make([][2]int, view.Height),
		classes: make([]Class, view.Width*view.Height)}
	over, reach := m.Height-view.Pos[2], m.Size/2+cardOffLevel
	lowest, highest := min(0, over-reach)/cardNearest-cardOffTilt, max(0, over+reach)/cardNearest+cardOffTilt
	for i := range f.classes {
		f.classes[i] = ClassUnknown
		v, u := i/view.Width, i%view.Width
		if t := tangent(view.Index(i)); t >= lowest && t <= highest {
			s := &f.spans[v]
			if s[1] == 0 {
				s[0] = u
			}
			s[1] = u + 1
		}
	}
	return f
}

// Find returns the robots in an rgb8 image, closest first. The result is valid until the next call. It is nil for an
// image of another size.
func (f *CardFinder) Find(pix []byte) []CardRobot {
	f.mates, f.cards = f.mates[:0], f.cards[:0]
	if len(pix) != 3*len(f.classes) {
		return nil
	}
	f.segment(pix)
	for _, color := range [2]Class{ClassCyan, ClassMagenta} {
		for _, b := range f.blobs.Find(f.classes, f.view.Width, color) {
			if c, ok := f.measure(pix, &b, color); ok {
				f.cards = append(f.cards, c)
			}
		}
	}
	slices.SortFunc(f.cards, func(a, b card) int { return cmp.Compare(b.width, a.width) })
	for i := range f.cards {
		if c := &f.cards[i]; !c.taken {
			if m := f.robot(c, f.others(i)); c.width > cardNarrow*(c.upper-c.lower) {
				f.mates = append(f.mates, m)
			}
		}
	}
	slices.SortFunc(f.mates, func(a, b CardRobot) int { return cmp.Compare(a.Distance, b.Distance) })
	return f.mates
}

// FindWithDepth is like Find, for a camera that also measures depth with the given noise. millimetres is the 16UC1
// depth image of the same pixels. Cards are then detected farther away, and their distance is more accurate.
func (f *CardFinder) FindWithDepth(pix, millimetres []byte, noise DepthNoise) []CardRobot {
	if len(millimetres) == 2*len(f.classes) {
		f.depth, f.noise = millimetres, noise
		defer func() { f.depth = nil }()
	}
	return f.Find(pix)
}

// others finds all other cards of the robot to which the card with the index i belongs, and marks them as taken. It
// returns the widest card on another side of the robot, or nil if no other side is visible. A partly occluded card can
// appear as several cards.
func (f *CardFinder) others(i int) (widest *card) {
	c := &f.cards[i]
	d := f.measures.bySize(&c.elevation)
	for k := i + 1; k < len(f.cards); k++ {
		o := &f.cards[k]
		apart := d * math.Abs(math.Remainder(o.bearing-c.bearing, 2*math.Pi))
		if o.taken || o.color != c.color || apart > cardReach*f.measures.Offset ||
			math.Abs(f.measures.bySize(&o.elevation)-d) > 2*f.measures.Offset {
			continue
		}
		o.taken = true
		if apart < c.width*d/2 { // part of the same card
			continue
		}
		if widest == nil {
			widest = o
		}
	}
	return widest
}

// cardReach is the largest apparent distance between the centres of two cards of a robot. Its unit is the distance of a
// card from the robot's centre. The value is √2 plus a margin.
const cardReach = 1.7

// robot returns the robot that carries the card c. other is a second visible card, around the corner of c, or nil.
// Cards at angles ψ and ψ − 90° to the line of sight have apparent widths cos ψ and sin ψ, and lie sin ψ and −cos ψ
// offsets sideways of the robot's centre. The mean of their positions, weighted by width, lies straight before the
// centre, at a distance of 1/(cos ψ + sin ψ) offsets.
func (f *CardFinder) robot(c, other *card) CardRobot {
	height := f.view.Pos[2]
	m := CardRobot{Color: c.color, Bearing: c.bearing, ByHeight: f.measures.byHeight(&c.elevation, height),
		BySize: f.measures.bySize(&c.elevation), Cards: 1}
	m.Distance, m.Deviation = f.distance(c)
	m.ByDepth = c.deep
	before := f.measures.Offset
	if other != nil {
		share := other.width / (c.width + other.width)
		m.Cards = 2
		m.Bearing += share * math.Remainder(other.bearing-c.bearing, 2*math.Pi)
		if d := f.measures.byHeight(&other.elevation, height); math.IsInf(d+m.ByHeight, 1) {
			m.ByHeight = math.Inf(1)
		} else {
			m.ByHeight += share * (d - m.ByHeight)
		}
		m.BySize += share * (f.measures.bySize(&other.elevation) - m.BySize)
		d, _ := f.distance(other)
		m.Distance += share * (d - m.Distance)
		if c.deep > 0 && other.deep > 0 {
			m.ByDepth += share * (other.deep - c.deep)
		}
		before /= (c.width + other.width) / math.Hypot(c.width, other.width)
	}
	m.ByHeight, m.BySize, m.Distance = m.ByHeight+before, m.BySize+before, m.Distance+before
	if m.ByDepth > 0 {
		m.ByDepth += before
	}
	m.X, m.Y = m.At(f.view, m.Distance)
	return m
}

// distance returns the mean of all measurements of a card's distance, weighted by accuracy, and its standard deviation,
// in m.
func (f *CardFinder) distance(c *card) (d, deviation float64) {
	d, deviation = f.measures.distance(&c.elevation, f.view.Pos[2])
	if c.deep == 0 {
		return d, deviation
	}
	byAngles, byDepth := 1/(deviation*deviation), 1/(c.deepError*c.deepError)
	return (byAngles*d + byDepth*c.deep) / (byAngles + byDepth), 1 / math.Sqrt(byAngles+byDepth)
}

// deepen measures the distance of a card along the floor by the depth of its pixels.
func (f *CardFinder) deepen(c *card, b *Blob) {
	f.sorted = f.sorted[:0]
	axis := f.view.Index(f.view.Height/2*f.view.Width + f.view.Width/2)
	for v := b.Top; v <= b.Bottom; v++ {
		for i := v*f.view.Width + b.Left; i <= v*f.view.Width+b.Right; i++ {
			if z := binary.LittleEndian.Uint16(f.depth[2*i:]); z > 0 && f.classes[i] == c.color {
				ray := f.view.Index(i)
				f.sorted = append(f.sorted, float64(z)/1000*math.Hypot(ray[0], ray[1])/ray.Dot(axis))
			}
		}
	}
	if len(f.sorted) == 0 {
		return
	}
	slices.Sort(f.sorted)
	c.deep = f.sorted[len(f.sorted)/2]
	// Half of the pixels are assumed to have the same error, as neighbours have in devices that match patterns.
	c.deepError = f.noise.along(c.deep) / math.Sqrt2
}
