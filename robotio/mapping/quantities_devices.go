package mapping

import (
	"reflect"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// deviceQuantities are what a device without pictures measures: the fields of its kind's reading that have a quantity tag, which
// names it, or each of its numbers. The unit tag gives the dimension.
func deviceQuantities(kind sensors.Kind) *quantities {
	q := newQuantities()
	reading := reflect.TypeOf(kind.Reading())
	if reading == nil { // not of this module
		return q
	}
	for i := range reading.NumField() {
		field := reading.Field(i)
		name := field.Tag.Get("quantity")
		if name == "" {
			continue
		}
		dim := dimensionOf(field.Tag.Get("unit"))
		value := func(c *Context) reflect.Value { return reflect.ValueOf(c.Observation.Reading).Elem().Field(i) }
		switch reflect.Zero(field.Type).Interface().(type) {
		case spatial.Pose:
			pose := func(c *Context) spatial.Pose { return *value(c).Addr().Interface().(*spatial.Pose) }
			q.pose(name, pose)
			if field.Tag.Get("frame") == "world" {
				q.pose(name+"field.", func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(pose(c)) })
			}
		case physics.PlanarTwist:
			q.twist(name, func(c *Context) physics.PlanarTwist { return *value(c).Addr().Interface().(*physics.PlanarTwist) })
		case mgl64.Quat:
			q.quat(name, func(c *Context) mgl64.Quat { return *value(c).Addr().Interface().(*mgl64.Quat) })
		case sensors.Heading:
			q.angle(name, func(c *Context) float64 { return value(c).Float() })
			q.quat(strings.TrimSuffix(name, "heading"), func(c *Context) mgl64.Quat { return spatial.RotZ(value(c).Float()) })
		case []float64, []bool:
			q.Vectors[name] = vector{dim, func(c *Context) int { return value(c).Len() }, func(c *Context, i int) float64 { return numberOf(value(c).Index(i)) }}
		case float64, bool:
			q.Numbers[name] = number{dim, func(c *Context) float64 { return numberOf(value(c)) }}
		default: // an array of numbers
			for k, name := range strings.Fields(name) {
				q.Numbers[name] = number{dim, func(c *Context) float64 { return numberOf(value(c).Index(k)) }}
			}
		}
	}
	return q
}

// numberOf is a number or truth value of a reading.
func numberOf(v reflect.Value) float64 {
	if v.Kind() == reflect.Bool {
		return oneIf(v.Bool())
	}
	return v.Float()
}
