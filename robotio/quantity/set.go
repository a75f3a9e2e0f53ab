package quantity

import (
	"maps"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// Set holds the quantities of one source, by their names in profiles. A Set does not change after it has been built.
type Set struct {
	Numbers map[string]Number
	Vectors map[string]Vector
	Texts   map[string]func(*Context) string
	Times   map[string]func(*Context) time.Duration
	Blobs   map[string]func(*Context) []byte
	Lists   map[string]List
	// Needs maps the name of a list or blob to what it reads besides the observation.
	Needs map[string]Needs
}

// Needs is what a message reads besides the observation.
type Needs struct {
	Overlay sensors.OverlayParts // parts of Observation.Overlay, at levels with images
	Beliefs bool                 // whether it reads Context.Believed
	Marks   bool                 // whether it reads Context.HiddenMarks
}

// Add adds what another part of the message needs.
func (n *Needs) Add(other Needs) {
	n.Overlay |= other.Overlay
	n.Beliefs, n.Marks = n.Beliefs || other.Beliefs, n.Marks || other.Marks
}

// Number is a quantity of one number in SI units; false is 0 and true is 1.
type Number struct {
	Dim Dimension
	Get func(*Context) float64
}

// Vector is a quantity of several numbers in SI units. The slice that it returns is valid until the next call with the
// same Context.
type Vector struct {
	Dim Dimension
	Get func(*Context) []float64
}

// List is a quantity with several members. The function Len prepares the members and returns their number. After that,
// the quantities in Members read the member whose index is Context.Member.
type List struct {
	Members *Set
	Len     func(*Context) int
}

// NewSet returns an empty set.
func NewSet() *Set {
	return &Set{map[string]Number{}, map[string]Vector{}, map[string]func(*Context) string{},
		map[string]func(*Context) time.Duration{},
		map[string]func(*Context) []byte{}, map[string]List{}, map[string]Needs{}}
}

// With returns the union of q and extra. If both have a quantity of the same name, the union has the quantity of extra.
func (q *Set) With(extra *Set) *Set {
	union := NewSet()
	for _, s := range []*Set{q, extra} {
		maps.Copy(union.Numbers, s.Numbers)
		maps.Copy(union.Vectors, s.Vectors)
		maps.Copy(union.Texts, s.Texts)
		maps.Copy(union.Times, s.Times)
		maps.Copy(union.Blobs, s.Blobs)
		maps.Copy(union.Lists, s.Lists)
		maps.Copy(union.Needs, s.Needs)
	}
	return union
}

// plain, length and angle add a number. length and angle are its dimensions; plain adds a number without a unit. flag
// adds a truth value.
func (q *Set) plain(name string, get func(*Context) float64) {
	q.Numbers[name] = Number{Plain, get}
}
func (q *Set) length(name string, get func(*Context) float64) {
	q.Numbers[name] = Number{Length, get}
}
func (q *Set) angle(name string, get func(*Context) float64) {
	q.Numbers[name] = Number{Angle, get}
}
func (q *Set) flag(name string, get func(*Context) bool) {
	q.plain(name, func(c *Context) float64 { return oneIf(get(c)) })
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// vec adds the components x, y and z of a point in m or a velocity in m/s.
func (q *Set) vec(name string, get func(*Context) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		q.length(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// rates adds the components x, y and z of an angular velocity in rad/s.
func (q *Set) rates(name string, get func(*Context) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		q.angle(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// pixel adds the components u and v of a position in an image.
func (q *Set) pixel(name string, get func(*Context) [2]float64) {
	for i, axis := range []string{"u", "v"} {
		q.plain(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// quat adds the components qx, qy, qz and qw of an orientation.
func (q *Set) quat(name string, get func(*Context) mgl64.Quat) {
	for i, axis := range []string{"qx", "qy", "qz"} {
		q.plain(name+axis, func(c *Context) float64 { return get(c).V[i] })
	}
	q.plain(name+"qw", func(c *Context) float64 { return get(c).W })
}

// pose adds a position, an orientation as a quaternion, and the heading.
func (q *Set) pose(name string, get func(*Context) spatial.Pose) {
	q.vec(name, func(c *Context) mgl64.Vec3 { return get(c).Pos })
	q.quat(name, func(c *Context) mgl64.Quat { return get(c).Rot })
	q.angle(name+"heading", func(c *Context) float64 { return get(c).Heading() })
}

// twist adds the components vx, vy and omega of a planar velocity in the robot's axes.
func (q *Set) twist(name string, get func(*Context) physics.PlanarTwist) {
	q.length(name+"vx", func(c *Context) float64 { return get(c).VX })
	q.length(name+"vy", func(c *Context) float64 { return get(c).VY })
	q.angle(name+"omega", func(c *Context) float64 { return get(c).Omega })
}

// polar adds the bearing and the horizontal distance of a point, which the function get returns in the robot's axes.
func (q *Set) polar(name string, get func(*Context) mgl64.Vec3) {
	q.angle(name+"bearing", func(c *Context) float64 { v := get(c); return math.Atan2(v[1], v[0]) })
	q.length(name+"distance", func(c *Context) float64 { v := get(c); return math.Hypot(v[0], v[1]) })
}

// list adds a list. The function n returns the number of its members. Every member has the given quantities and its
// index.
func (q *Set) list(name string, n func(*Context) int, members *Set) {
	members.plain("index", func(c *Context) float64 { return float64(c.Member) })
	q.Lists[name] = List{members, n}
}

// Dimension says which unit of a profile scales a quantity. Times have no unit that a profile can choose.
type Dimension uint8

// The dimensions.
const (
	Plain  Dimension = iota
	Length           // m or m/s
	Angle            // rad or rad/s
)

// DimensionOf returns the dimension of a unit. The unit is spelt as in tags of Go structs and in keys of world files:
// m, m/s, rad/s, deg.
func DimensionOf(unit string) Dimension {
	switch {
	case unit == "m", strings.HasPrefix(unit, "m/"):
		return Length
	case strings.HasPrefix(unit, "rad"), strings.HasPrefix(unit, "deg"):
		return Angle
	}
	return Plain
}

// Source is the origin of the quantities of a topic: a kind of sensor, all kinds of cameras, a robot, or the world.
type Source string

// These sources are not kinds of sensors.
const (
	World   Source = "world"
	Robot   Source = "robot"
	Cameras Source = "cameras" // cameras of every kind
)

// Choices returns all sources.
func (Source) Choices() []string {
	return append(sensors.Kind("").Choices(), string(Cameras), string(Robot), string(World))
}

// TakesImages reports whether s is a kind of camera, or Cameras.
func (s Source) TakesImages() bool { return s == Cameras || sensors.Kind(s).TakesImages() }

// Of returns the quantities of a topic from the source s. levels lists the levels at which the sensor feeds the topic;
// nil means all levels. For cameras, the result holds only the quantities that exist at each of these levels.
func Of(s Source, levels []abstraction.Level) *Set {
	key := setKey{s, ContentOf(s, levels)}
	if q, ok := sets.Load(key); ok {
		return q.(*Set)
	}
	q, _ := sets.LoadOrStore(key, setOf(key))
	return q.(*Set)
}

// sets holds the sets of Of, because a profile needs the same ones for many entries.
var sets sync.Map // from setKey to *Set

type setKey struct {
	source  Source
	content Content
}

func setOf(k setKey) *Set {
	s := k.source
	q := worldQuantities()
	if s == World {
		return q
	}
	q = q.With(robotQuantities())
	switch {
	case s == Robot:
		return q.With(beliefQuantities())
	case !s.TakesImages():
		return q.With(deviceQuantities(sensors.Kind(s)))
	}
	q = q.With(lensQuantities())
	switch k.content {
	case pixels:
		q = q.With(shapeQuantities())
	case images:
		q = q.With(shapeQuantities()).With(imageQuantities(sensors.Kind(s)))
	case features:
		q = q.With(shapeQuantities()).With(featureQuantities())
	case objects:
		q = q.With(objectQuantities())
	}
	return q
}

// Content is the kind of data in a camera's observations.
type Content uint8

// The kinds of content. Mixed means that the observations hold no data of cameras, or that the kind of data depends on
// the level.
const (
	Mixed Content = iota
	images
	features
	objects
	pixels // images at some levels and features at others
)

// ContentOf returns the content that observations from the source s have at all of the given levels.
func ContentOf(s Source, levels []abstraction.Level) (c Content) {
	if !s.TakesImages() {
		return Mixed
	}
	for i, l := range levels {
		atLevel := objects
		switch {
		case l.Rendered():
			atLevel = images
		case l == abstraction.Features:
			atLevel = features
		}
		switch {
		case i == 0 || atLevel == c:
			c = atLevel
		case c != Mixed && c != objects && atLevel != objects:
			c = pixels
		default:
			return Mixed
		}
	}
	return c
}

// In reports whether the observation o holds the content c. The data may be missing at a level that a Go program has
// added.
func (c Content) In(o *sensors.Observation) bool {
	switch c {
	case images:
		return o.Color != nil
	case features:
		return o.Features != nil
	case objects:
		return o.Objects != nil
	case pixels:
		return o.Color != nil || o.Features != nil
	}
	return true
}
