package robotio

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/sensors"
)

// deviceWords are what a device without pictures tells, by its kind.
func deviceWords(kind sensors.Kind) *lexicon {
	l := newLexicon()
	switch kind {
	case "odometry":
		l.pose("odometry.", func(s *scene) spatial.Pose { return s.o.Odometry.PoseOB })
		l.twist("odometry.", func(s *scene) physics.PlanarTwist { return s.o.Odometry.TwistB })
		l.flag("odometry.stuck", func(s *scene) bool { return s.o.Odometry.Stuck })
	case "imu":
		l.vec("accel.", func(s *scene) mgl64.Vec3 { return s.o.IMU.AccelS })
		l.rates("gyro.", func(s *scene) mgl64.Vec3 { return s.o.IMU.GyroS })
		l.quat("orientation.", func(s *scene) mgl64.Quat {
			if s.o.IMU.RotKnown {
				return s.o.IMU.RotWS
			}
			return mgl64.QuatIdent()
		})
		l.plain("orientation.covariance", func(s *scene) float64 { // REP 145: −1 says that it is not known
			if s.o.IMU.RotKnown {
				return 0
			}
			return -1
		})
	case "laser":
		laserWords(l)
	case "compass":
		l.angle("compass.heading", func(s *scene) float64 { return s.o.Heading.Heading })
		l.quat("compass.", func(s *scene) mgl64.Quat { return spatial.RotZ(s.o.Heading.Heading) })
	case "arms":
		l.length("arm.left", func(s *scene) float64 { return s.o.Arms.Pressed[0] })
		l.length("arm.right", func(s *scene) float64 { return s.o.Arms.Pressed[1] })
	case "bumper":
		l.flag("bumper.touched", func(s *scene) bool { return s.o.Bumper.Touched })
		l.Vectors["bumper.switches"] = vector{
			Len: func(s *scene) int { return len(s.o.Bumper.Pressed) },
			At: func(s *scene, i int) float64 {
				if s.o.Bumper.Pressed[i] {
					return 1
				}
				return 0
			},
		}
	case "battery":
		l.plain("battery.voltage", func(s *scene) float64 { return s.o.Battery.Voltage })
		l.plain("battery.current", func(s *scene) float64 { return s.o.Battery.Current })
		l.plain("battery.drawn", func(s *scene) float64 { return -s.o.Battery.Current })
		l.plain("unknown", func(*scene) float64 { return math.NaN() })
	}
	return l
}

func laserWords(l *lexicon) {
	l.angle("scan.first", func(s *scene) float64 { return s.o.Scan.First })
	l.angle("scan.step", func(s *scene) float64 { return s.o.Scan.Step })
	l.angle("scan.last", func(s *scene) float64 { return s.o.Scan.First + float64(len(s.o.Scan.Ranges)-1)*s.o.Scan.Step })
	l.length("scan.range_min", func(s *scene) float64 { return s.cfg.Laser.Min })
	l.length("scan.range_max", func(s *scene) float64 { return s.cfg.Laser.Max })
	l.plain("scan.period", func(s *scene) float64 { return 1 / s.cfg.Rate })
	l.Vectors["scan.ranges"] = vector{
		Dim: mapping.Length,
		Len: func(s *scene) int { return len(s.o.Scan.Ranges) },
		At:  func(s *scene, i int) float64 { return s.o.Scan.Ranges[i] },
	}
	l.flag("pose.known", func(s *scene) bool { return s.o.Scan.PoseKnown })
	l.pose("pose.", func(s *scene) spatial.Pose { return s.o.Scan.PoseWB })
	l.pose("pose.field.", func(s *scene) spatial.Pose { return teamFrame(s.robot.Team).Mul(s.o.Scan.PoseWB) })
}
