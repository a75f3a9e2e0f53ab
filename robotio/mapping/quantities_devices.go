package mapping

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
)

// deviceQuantities are those of a sensor without pictures, by its kind.
func deviceQuantities(kind sensors.Kind) *Quantities {
	q := newQuantities()
	switch kind {
	case "odometry":
		q.pose("odometry.", func(c *Context) spatial.Pose { return c.Observation.Odometry.PoseOB })
		q.twist("odometry.", func(c *Context) physics.PlanarTwist { return c.Observation.Odometry.TwistB })
		q.flag("odometry.stuck", func(c *Context) bool { return c.Observation.Odometry.Stuck })
	case "imu":
		q.vec("accel.", func(c *Context) mgl64.Vec3 { return c.Observation.IMU.AccelS })
		q.rates("gyro.", func(c *Context) mgl64.Vec3 { return c.Observation.IMU.GyroS })
		q.quat("orientation.", func(c *Context) mgl64.Quat {
			if c.Observation.IMU.RotKnown {
				return c.Observation.IMU.RotWS
			}
			return mgl64.QuatIdent()
		})
		q.plain("orientation.covariance", func(c *Context) float64 { // REP 145: −1 says that it is not known
			if c.Observation.IMU.RotKnown {
				return 0
			}
			return -1
		})
	case "laser":
		laserQuantities(q)
	case "compass":
		q.angle("compass.heading", func(c *Context) float64 { return c.Observation.Heading.Heading })
		q.quat("compass.", func(c *Context) mgl64.Quat { return spatial.RotZ(c.Observation.Heading.Heading) })
	case "arms":
		q.length("arm.left", func(c *Context) float64 { return c.Observation.Arms.Pressed[0] })
		q.length("arm.right", func(c *Context) float64 { return c.Observation.Arms.Pressed[1] })
	case "bumper":
		q.flag("bumper.touched", func(c *Context) bool { return c.Observation.Bumper.Touched })
		q.Vectors["bumper.switches"] = Vector{
			len: func(c *Context) int { return len(c.Observation.Bumper.Pressed) },
			at: func(c *Context, i int) float64 {
				if c.Observation.Bumper.Pressed[i] {
					return 1
				}
				return 0
			},
		}
	case "battery":
		q.plain("battery.voltage", func(c *Context) float64 { return c.Observation.Battery.Voltage })
		q.plain("battery.current", func(c *Context) float64 { return c.Observation.Battery.Current })
		q.plain("battery.drawn", func(c *Context) float64 { return -c.Observation.Battery.Current })
		q.plain("unknown", func(*Context) float64 { return math.NaN() })
	}
	return q
}

func laserQuantities(q *Quantities) {
	q.angle("scan.first", func(c *Context) float64 { return c.Observation.Scan.First })
	q.angle("scan.step", func(c *Context) float64 { return c.Observation.Scan.Step })
	q.angle("scan.last", func(c *Context) float64 {
		return c.Observation.Scan.First + float64(len(c.Observation.Scan.Ranges)-1)*c.Observation.Scan.Step
	})
	q.length("scan.range_min", func(c *Context) float64 { return c.Sensor.Laser.Min })
	q.length("scan.range_max", func(c *Context) float64 { return c.Sensor.Laser.Max })
	q.plain("scan.period", func(c *Context) float64 { return 1 / c.Sensor.Rate })
	q.Vectors["scan.ranges"] = Vector{
		dim: length,
		len: func(c *Context) int { return len(c.Observation.Scan.Ranges) },
		at:  func(c *Context, i int) float64 { return c.Observation.Scan.Ranges[i] },
	}
	q.flag("pose.known", func(c *Context) bool { return c.Observation.Scan.PoseKnown })
	q.pose("pose.", func(c *Context) spatial.Pose { return c.Observation.Scan.PoseWB })
	q.pose("pose.field.", func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(c.Observation.Scan.PoseWB) })
}
