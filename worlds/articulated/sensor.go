package articulated

import (
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// SensorKind is the kind of a sensor that Omnipitch has, too.
type SensorKind string

const (
	Camera  SensorKind = "camera"
	Depth   SensorKind = "kinect" // with depth and a registered colour image
	Laser   SensorKind = "laser"
	Lidar   SensorKind = "lidar" // with several layers of beams, around a full turn
	IMU     SensorKind = "imu"
	Contact SensorKind = "bumper"
)

// Sensor is a sensor of a robot. Numbers that the file does not give are 0.
type Sensor struct {
	markup.Place
	Name   string
	Kind   SensorKind
	Link   int          // index of the link that carries it
	PoseLS spatial.Pose // S: x forward, y left, z up
	Rate   float64      // Hz

	Width, Height int     // pixels
	FOV           float64 // across the width, or of a scan
	Samples       int     // of a scan, in each of its layers
	Layers        int     // of a scan
	Lowest        float64 // elevation of the lowest layer
	Highest       float64 // of the highest one
	Min, Max      float64 // of distances, m
	Noise         float64 // standard deviation: of distances in m, of a camera as a fraction of white
	AccelNoise    float64 // standard deviation of a reading, m/s²
	GyroNoise     float64 // rad/s
}

// The limits of a lidar, as sensors.Lidar has them.
const MostRings, LeastPoints, MostPoints = 128, 8, 4096

// PerTurn returns the number of beams that a layer of a scan has in a full turn, at the distance of its beams.
func (s *Sensor) PerTurn() int {
	if !(s.FOV > 0) || s.Samples < 2 {
		return s.Samples
	}
	return int(min(math.Round(2*math.Pi*float64(s.Samples-1)/s.FOV), math.MaxInt32))
}

// write writes the sensor as a sensor of a robot model. The argument joint names the joint that carries it.
func (s *Sensor) write(poseBL spatial.Pose, joint string, t *text) {
	line := func(format string, args ...any) { t.line(s.Place, format, args...) }
	given := func(key string, value float64) {
		if value > 0 {
			line("%s = %s", key, value)
		}
	}
	line("[[sensor]]")
	line("name = %s", Quote(plainName(s.Name)))
	line("kind = %q", string(s.Kind))
	given("rate_hz", s.Rate)
	pose := poseBL.Mul(s.PoseLS)
	roll, pitch, yaw := pose.RollPitchYaw()
	carried := ""
	if joint != "" {
		carried = ", joint = " + Quote(joint)
	}
	line("mount = { x_m = %s, y_m = %s, z_m = %s, roll_deg = %s, pitch_deg = %s, yaw_deg = %s%s }",
		pose.Pos[0], pose.Pos[1], pose.Pos[2], roll/spatial.Degree, pitch/spatial.Degree, yaw/spatial.Degree, carried)
	switch s.Kind {
	case Camera, Depth:
		line("[sensor.image]")
		if s.Width > 0 {
			line("width_px = %d", s.Width)
			line("height_px = %d", s.Height)
		}
		given("fov_deg", s.FOV/spatial.Degree)
		if s.Kind == Depth {
			line("[sensor.ranging]")
			given("min_m", s.Min)
			given("max_m", s.Max)
		}
	case Laser:
		line("[sensor.laser]")
		given("fov_deg", s.FOV/spatial.Degree)
		if s.Samples > 1 {
			gaps := float64(s.Samples - 1)
			if s.FOV > 2*math.Pi-s.FOV/gaps/2 { // the last beam would be the first one
				gaps++
			}
			given("resolution_deg", min(s.FOV, 2*math.Pi)/gaps/spatial.Degree)
		}
		given("min_m", s.Min)
		given("max_m", s.Max)
		if s.Max > 0 {
			line("band = [{ up_to_m = %s, statistical_m = %s }]", s.Max, s.Noise)
		}
	case Lidar:
		line("[sensor.lidar]")
		line("rings = %d", s.Layers)
		line("lowest_deg = %s", s.Lowest/spatial.Degree)
		line("highest_deg = %s", s.Highest/spatial.Degree)
		line("points_per_turn = %d", s.PerTurn())
		given("min_m", s.Min)
		given("max_m", s.Max)
		line("noise_m = %s", s.Noise)
	case IMU:
		line("[sensor.imu]")
		// noise of a reading = density · √rate
		if s.Rate > 0 && s.AccelNoise+s.GyroNoise > 0 {
			line("accel_noise_m_s2_rthz = %s", s.AccelNoise/math.Sqrt(s.Rate))
			line("gyro_noise_rad_s_rthz = %s", s.GyroNoise/math.Sqrt(s.Rate))
		}
	}
}

// plainName returns the name of a sensor as a name of a world file: a letter, then letters, digits, _ and -.
func plainName(name string) string {
	plain := strings.Map(func(c rune) rune {
		if c < 128 && (c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return c
		}
		return '_'
	}, name)
	if c := plain[0] | 0x20; c < 'a' || c > 'z' {
		plain = "sensor_" + plain
	}
	return plain[:min(len(plain), 64)]
}
