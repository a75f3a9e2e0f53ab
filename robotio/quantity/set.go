package quantity

import (
	"maps"
	"math"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// Set holds the quantities of one source, by their names in profiles. A Set does not change once it is built.
type Set struct {
	Numbers map[string]Number
	Vectors map[string]Vector
	Texts   map[string]func(*Context) string
	Times   map[string]func(*Context) time.Duration
	Blobs   map[string]func(*Context) []byte
	Lists   map[string]List
	// Parts holds, by the name of a list or blob, the parts of Observation.Overlay that the list or blob reads at
	// levels with images.
	Parts map[string]sensors.OverlayParts
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
		map[string]func(*Context) []byte{}, map[string]List{}, map[string]sensors.OverlayParts{}}
}

// With returns the union of q and more. If q and more have the same name, the union has the quantity of more.
func (q *Set) With(more *Set) *Set {
	union := NewSet()
	for _, s := range []*Set{q, more} {
		maps.Copy(union.Numbers, s.Numbers)
		maps.Copy(union.Vectors, s.Vectors)
		maps.Copy(union.Texts, s.Texts)
		maps.Copy(union.Times, s.Times)
		maps.Copy(union.Blobs, s.Blobs)
		maps.Copy(union.Lists, s.Lists)
		maps.Copy(union.Parts, s.Parts)
	}
	return union
}

// plain, length and angle add a number, whose dimension is in the name of the method. flag adds a truth value.
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

// list adds a list. The function n returns the number of its members. Besides the given quantities, every member has
// its index.
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

// DimensionOf returns the dimension of a unit. The spelling of the unit is that of tags and of keys in world files: m,
// m/s, rad/s, deg.
func DimensionOf(unit string) Dimension {
	switch {
	case unit == "m", strings.HasPrefix(unit, "m/"):
		return Length
	case strings.HasPrefix(unit, "rad"), strings.HasPrefix(unit, "deg"):
		return Angle
	}
	return Plain
}
