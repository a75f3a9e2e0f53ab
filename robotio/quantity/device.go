package quantity

import (
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// deviceQuantities returns the quantities of a kind of sensor without images. They are the fields of the sensor's
// reading that have the tag quantity. The tag holds the name of the quantity, or, for an array, one name for each
// number. The tag unit gives the dimension.
func deviceQuantities(kind sensors.Kind) *Set {
	q := NewSet()
	reading := reflect.TypeOf(kind.Reading())
	if reading == nil { // a Go program has added the kind
		return q
	}
	for i := range reading.NumField() {
		field := reading.Field(i)
		name := field.Tag.Get("quantity")
		if name == "" {
			continue
		}
		dim := DimensionOf(field.Tag.Get("unit"))
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
		case sensors.PlanarCovariance:
			planar := measured[sensors.PlanarCovariance](i)
			q.Vectors[name] = Vector{Get: func(c *Context) []float64 { return c.spatialCovariance(planar(c)) }}
		case sensors.HeadingVariance:
			variance := measured[sensors.HeadingVariance](i)
			q.plain(strings.TrimSuffix(name, "covariance")+"confidence", func(c *Context) float64 {
				return max(0, 1-math.Sqrt(float64(variance(c)))/anyHeading)
			})
			q.Vectors[name] = Vector{Get: func(c *Context) []float64 {
				v, tilt := float64(variance(c)), unmeasured
				if v == 0 {
					tilt = 0
				}
				c.numbers = append(c.numbers[:0], tilt, 0, 0, 0, tilt, 0, 0, 0, v)
				return c.numbers
			}}
		case []float64:
			q.Vectors[name] = Vector{dim, measured[[]float64](i)}
		case []bool:
			bools := measured[[]bool](i)
			q.Vectors[name] = Vector{dim, func(c *Context) []float64 {
				c.numbers = c.numbers[:0]
				for _, b := range bools(c) {
					c.numbers = append(c.numbers, oneIf(b))
				}
				return c.numbers
			}}
		case []sensors.LidarPoint:
			points := measured[[]sensors.LidarPoint](i)
			q.plain(name+"number", func(c *Context) float64 { return float64(len(points(c))) })
			q.plain(name+"stride22", func(c *Context) float64 { return float64(22 * len(points(c))) })
			q.blob(name+"xyzirt", func(c *Context, into []byte) []byte {
				return c.Observation.Reading.(*sensors.PointCloud).AppendXYZIRT(into)
			})
		case []int16:
			q.plain("sound.bitrate", func(c *Context) float64 {
				return 16 * c.Observation.Reading.(*sensors.SoundReading).SampleRate
			})
			q.blob(name, func(c *Context, into []byte) []byte {
				return c.Observation.Reading.(*sensors.SoundReading).AppendS16LE(into)
			})
		case []sensors.HeardSound:
			heard := measured[[]sensors.HeardSound](i)
			members := NewSet()
			members.quat("", func(c *Context) mgl64.Quat {
				return mgl64.QuatBetweenVectors(mgl64.Vec3{1, 0, 0}, heard(c)[c.Member].Direction)
			})
			members.plain("level", func(c *Context) float64 { return heard(c)[c.Member].Level })
			members.Times["onset"] = func(c *Context) time.Duration { return heard(c)[c.Member].Onset }
			q.list(name, func(c *Context) int { return len(heard(c)) }, members)
		case []sensors.JointReading:
			joints := measured[[]sensors.JointReading](i)
			q.list(name, func(c *Context) int { return len(joints(c)) },
				jointQuantities(func(c *Context) *sensors.JointReading { return &joints(c)[c.Member] }))
		case float64:
			q.Numbers[name] = Number{dim, measured[float64](i)}
		case bool:
			q.flag(name, measured[bool](i))
		default: // an array of float64
			for k, name := range strings.Fields(name) {
				q.Numbers[name] = Number{dim, func(c *Context) float64 { return readingField(c, i).Index(k).Float() }}
			}
		}
	}
	return q
}

// measured returns the function that reads field i of a reading, which has type T.
func measured[T any](i int) func(*Context) T {
	return func(c *Context) T { return *readingField(c, i).Addr().Interface().(*T) }
}

func readingField(c *Context, i int) reflect.Value {
	return reflect.ValueOf(c.Observation.Reading).Elem().Field(i)
}

// anyHeading is the standard deviation of a heading that may be anything, in rad.
const anyHeading = math.Pi / sqrt3

const sqrt3 = 1.7320508075688772

// unmeasured is the variance of what a sensor does not measure, in m² or rad². ROS's drivers of wheeled robots use it
// for the height, the roll and the pitch. Source: diff_drive_controller of ros_controllers, turtlebot_node.
const unmeasured = 1e6

// spatialCovariance returns the 6 × 6 covariance of a planar pose or twist, row-major, in the form of ROS: x, y, z and
// the rotations about these axes.
func (c *Context) spatialCovariance(planar sensors.PlanarCovariance) []float64 {
	c.numbers = append(c.numbers[:0], make([]float64, 36)...)
	if planar == (sensors.PlanarCovariance{}) {
		return c.numbers
	}
	for i, row := range [3]int{0, 1, 5} {
		for j, column := range [3]int{0, 1, 5} {
			c.numbers[6*row+column] = planar[3*i+j]
		}
		c.numbers[7*(2+i)] = unmeasured
	}
	return c.numbers
}
