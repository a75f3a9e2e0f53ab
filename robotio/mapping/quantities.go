package mapping

import (
	"maps"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// quantities are what a profile may fill message fields with, by their names in profiles; each is read from a Context.
type quantities struct {
	Numbers map[string]number
	Vectors map[string]vector
	Texts   map[string]func(*Context) string
	Times   map[string]func(*Context) time.Duration
	Blobs   map[string]func(*Context) []byte
	Lists   map[string]list
	// of lists and blobs that, at levels with images, are read from these parts of the Overlay
	Parts map[string]sensors.OverlayParts
}

// number is a quantity of one number; truth values are 0 and 1.
type number struct {
	dim dimension
	get func(*Context) float64
}

// vector is a quantity of several numbers.
type vector struct {
	dim dimension
	get func(*Context) []float64
}

// list is something of which there are several. Members are read from the one that Context.at says.
type list struct {
	Members *quantities
	len     func(*Context) int
}

func newQuantities() *quantities {
	return &quantities{map[string]number{}, map[string]vector{}, map[string]func(*Context) string{},
		map[string]func(*Context) time.Duration{},
		map[string]func(*Context) []byte{}, map[string]list{}, map[string]sensors.OverlayParts{}}
}

// with returns q with more quantities, which hide those of the same name.
func (q *quantities) with(more *quantities) *quantities {
	all := newQuantities()
	for _, from := range []*quantities{q, more} {
		maps.Copy(all.Numbers, from.Numbers)
		maps.Copy(all.Vectors, from.Vectors)
		maps.Copy(all.Texts, from.Texts)
		maps.Copy(all.Times, from.Times)
		maps.Copy(all.Blobs, from.Blobs)
		maps.Copy(all.Lists, from.Lists)
		maps.Copy(all.Parts, from.Parts)
	}
	return all
}

// plain, length and angle add a number by its dimension, flag a truth value.
func (q *quantities) plain(name string, get func(*Context) float64) {
	q.Numbers[name] = number{plain, get}
}
func (q *quantities) length(name string, get func(*Context) float64) {
	q.Numbers[name] = number{length, get}
}
func (q *quantities) angle(name string, get func(*Context) float64) {
	q.Numbers[name] = number{angle, get}
}
func (q *quantities) flag(name string, get func(*Context) bool) {
	q.plain(name, func(c *Context) float64 { return oneIf(get(c)) })
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// vec adds name.x, name.y and name.z of a point or of a velocity, metres.
func (q *quantities) vec(name string, get func(*Context) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		q.length(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// rates adds name.x, name.y and name.z of rates of turn.
func (q *quantities) rates(name string, get func(*Context) mgl64.Vec3) {
	for i, axis := range []string{"x", "y", "z"} {
		q.angle(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// pixel adds name.u and name.v of a place in an image.
func (q *quantities) pixel(name string, get func(*Context) [2]float64) {
	for i, axis := range []string{"u", "v"} {
		q.plain(name+axis, func(c *Context) float64 { return get(c)[i] })
	}
}

// quat adds an orientation as a quaternion.
func (q *quantities) quat(name string, get func(*Context) mgl64.Quat) {
	for i, axis := range []string{"qx", "qy", "qz"} {
		q.plain(name+axis, func(c *Context) float64 { return get(c).V[i] })
	}
	q.plain(name+"qw", func(c *Context) float64 { return get(c).W })
}

// pose adds a place, an orientation as a quaternion, and the heading.
func (q *quantities) pose(name string, get func(*Context) spatial.Pose) {
	q.vec(name, func(c *Context) mgl64.Vec3 { return get(c).Pos })
	q.quat(name, func(c *Context) mgl64.Quat { return get(c).Rot })
	q.angle(name+"heading", func(c *Context) float64 { return get(c).Heading() })
}

// twist adds a velocity over the floor in the robot's axes.
func (q *quantities) twist(name string, get func(*Context) physics.PlanarTwist) {
	q.length(name+"vx", func(c *Context) float64 { return get(c).VX })
	q.length(name+"vy", func(c *Context) float64 { return get(c).VY })
	q.angle(name+"omega", func(c *Context) float64 { return get(c).Omega })
}

// polar adds bearing and distance over the floor of a point in the robot's axes.
func (q *quantities) polar(name string, get func(*Context) mgl64.Vec3) {
	q.angle(name+"bearing", func(c *Context) float64 { v := get(c); return math.Atan2(v[1], v[0]) })
	q.length(name+"distance", func(c *Context) float64 { v := get(c); return math.Hypot(v[0], v[1]) })
}

// list adds a list of n members, which may be numbered by their index.
func (q *quantities) list(name string, n func(*Context) int, members *quantities) {
	members.plain("index", func(c *Context) float64 { return float64(c.at) })
	q.Lists[name] = list{members, n}
}

// dimension says how a quantity scales with the units of length and of angle; seconds are seconds.
type dimension uint8

const (
	plain  dimension = iota
	length           // metres; of speeds, metres per second
	angle            // radians; of rates of turn, radians per second
)

// dimensionOf is the dimension of a unit as schema and the tags of readings have it: m, m/s, rad/s, deg.
func dimensionOf(unit string) dimension {
	switch {
	case unit == "m", strings.HasPrefix(unit, "m/"):
		return length
	case strings.HasPrefix(unit, "rad"), strings.HasPrefix(unit, "deg"):
		return angle
	}
	return plain
}

// units are how many of a profile's units make a metre and a radian.
type units struct{ perMetre, perRadian float64 }

// lengthUnits are the names of units in profiles, and how many make a metre.
var lengthUnits = map[string]float64{"m": 1, "cm": 100, "mm": 1000}

// unitsOf returns the units of their names in profiles.
func unitsOf(length, angle string) units {
	u := units{lengthUnits[length], 1}
	if angle == "deg" {
		u.perRadian = 57.29577951308232
	}
	return u
}

// scale is how many of the units make one of SI.
func (u units) scale(d dimension) float64 {
	switch d {
	case length:
		return u.perMetre
	case angle:
		return u.perRadian
	}
	return 1
}

// deviceQuantities are those of a sensor without images: the fields of its kind's reading that have a quantity tag,
// which names the field, or each of its numbers. The unit tag gives the dimension.
func deviceQuantities(kind sensors.Kind) *quantities {
	q := newQuantities()
	reading := reflect.TypeOf(kind.Reading())
	if reading == nil { // a kind that a Go program has plugged in
		return q
	}
	for i := range reading.NumField() {
		field := reading.Field(i)
		name := field.Tag.Get("quantity")
		if name == "" {
			continue
		}
		dim := dimensionOf(field.Tag.Get("unit"))
		switch reflect.Zero(field.Type).Interface().(type) {
		case spatial.Pose:
			pose := measured[spatial.Pose](i)
			q.pose(name, pose)
			if field.Tag.Get("frame") == "world" {
				q.pose(name+"field.", func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(pose(c)) })
			}
		case physics.PlanarTwist:
			q.twist(name, measured[physics.PlanarTwist](i))
		case mgl64.Quat:
			q.quat(name, measured[mgl64.Quat](i))
		case sensors.Heading:
			heading := measured[sensors.Heading](i)
			q.angle(name, func(c *Context) float64 { return float64(heading(c)) })
			q.quat(strings.TrimSuffix(name, "heading"),
				func(c *Context) mgl64.Quat { return spatial.RotZ(float64(heading(c))) })
			q.angle(strings.TrimSuffix(name, "heading")+"field.heading", func(c *Context) float64 {
				return spatial.WrapAngle(float64(heading(c)) + teamFrame(c.Robot.Team).Heading())
			})
		case []float64:
			q.Vectors[name] = vector{dim, measured[[]float64](i)}
		case []bool:
			bools := measured[[]bool](i)
			q.Vectors[name] = vector{dim, func(c *Context) []float64 {
				c.numbers = c.numbers[:0]
				for _, b := range bools(c) {
					c.numbers = append(c.numbers, oneIf(b))
				}
				return c.numbers
			}}
		case float64:
			q.Numbers[name] = number{dim, measured[float64](i)}
		case bool:
			q.flag(name, measured[bool](i))
		default: // an array of numbers
			for k, name := range strings.Fields(name) {
				q.Numbers[name] = number{dim, func(c *Context) float64 { return readingField(c, i).Index(k).Float() }}
			}
		}
	}
	return q
}

// measured returns what gets field i of a reading, which is a T.
func measured[T any](i int) func(*Context) T {
	return func(c *Context) T { return *readingField(c, i).Addr().Interface().(*T) }
}

func readingField(c *Context, i int) reflect.Value {
	return reflect.ValueOf(c.Observation.Reading).Elem().Field(i)
}
