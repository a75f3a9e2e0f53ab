package urdf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
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

// Sensor is a sensor of a <gazebo> element. Numbers that the file does not give are 0.
type Sensor struct {
	Place
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

var sensorKinds = map[string]SensorKind{
	"camera": Camera, "depth": Depth, "depth_camera": Depth, "rgbd": Depth,
	"rgbd_camera": Depth, "ray": Laser, "gpu_ray": Laser, "lidar": Laser, "gpu_lidar": Laser, "imu": IMU,
	"contact": Contact,
}

// sensor reads a sensor of SDF. A sensor of another kind is skipped as a whole.
func (r *reader) sensor(e *element, link int, robot *Robot) {
	kindText, _ := e.attr("type")
	kind, ok := sensorKinds[kindText]
	if !ok {
		e.used, e.why = false, fmt.Sprintf("<sensor> of type %.60q", kindText)
		return
	}
	s := Sensor{Place: e.Place, Name: r.required(e, "name"), Kind: kind, Link: link}
	s.PoseLS = r.pose(e)
	s.Rate = r.value(e, "update_rate", 0)
	for _, name := range []string{"always_on", "visualize", "topic"} {
		r.child(e, name) // of no effect on what the sensor measures
	}
	switch kind {
	case Camera, Depth:
		r.camera(e, &s)
	case Laser:
		r.scan(r.either(e, "ray", "lidar"), &s)
		points := s.perTurn()
		if s.Layers > mostRings || s.Layers > 1 && (points < leastPoints || points > mostPoints) {
			e.used, e.why = false, fmt.Sprintf("<sensor> with %d layers of %d beams in a full turn: must have at most %d "+
				"layers, of %d to %d", s.Layers, points, mostRings, leastPoints, mostPoints)
			return
		}
	case IMU:
		if imu := r.child(e, "imu"); imu != nil {
			s.AccelNoise = r.axes(r.child(imu, "linear_acceleration"))
			s.GyroNoise = r.axes(r.child(imu, "angular_velocity"))
		}
	}
	for slices.ContainsFunc(robot.Sensors, func(other Sensor) bool { return other.Name == s.Name }) {
		s.Name = robot.Links[link].Name + "_" + s.Name // in Gazebo, sensors of two links may have the same name
	}
	robot.Sensors = append(robot.Sensors, s)
}

// either returns the child with one of two names, or nil.
func (r *reader) either(e *element, name, other string) *element {
	if c := r.child(e, name); c != nil {
		return c
	}
	return r.child(e, other)
}

// pose reads the child <pose> of an SDF element: x y z roll pitch yaw.
func (r *reader) pose(e *element) spatial.Pose {
	var pos, rpy mgl64.Vec3
	if p := r.child(e, "pose"); p != nil && strings.TrimSpace(p.text) != "" {
		r.numbers(p, "", p.text, &pos[0], &pos[1], &pos[2], &rpy[0], &rpy[1], &rpy[2])
	}
	return spatial.RPY(pos, rpy[0], rpy[1], rpy[2])
}

func (r *reader) camera(e *element, s *Sensor) {
	c := r.child(e, "camera")
	if c == nil {
		return
	}
	c.attr("name")
	s.PoseLS = s.PoseLS.Mul(r.pose(c))
	s.FOV = r.value(c, "horizontal_fov", 0)
	if image := r.child(c, "image"); image != nil {
		s.Width, s.Height = int(r.value(image, "width", 0)), int(r.value(image, "height", 0))
		r.child(image, "format") // images have the encoding that a profile asks for
	}
	if s.Kind == Depth {
		clip := r.child(c, "clip")
		if depth := r.child(c, "depth_camera"); depth != nil {
			if own := r.child(depth, "clip"); own != nil {
				clip = own
			}
		}
		if clip != nil {
			s.Min, s.Max = r.value(clip, "near", 0), r.value(clip, "far", 0)
		}
	}
	s.Noise = r.noise(c)
}

// The limits of a lidar, as sensors.Lidar has them.
const mostRings, leastPoints, mostPoints = 128, 8, 4096

// perTurn returns the number of beams that a layer of a scan has in a full turn, at the distance of its beams.
func (s *Sensor) perTurn() int {
	if !(s.FOV > 0) || s.Samples < 2 {
		return s.Samples
	}
	return int(min(math.Round(2*math.Pi*float64(s.Samples-1)/s.FOV), math.MaxInt32))
}

// scan reads the beams of a laser scanner. A scanner with several layers is a Lidar.
func (r *reader) scan(e *element, s *Sensor) {
	if e == nil {
		return
	}
	s.Noise = r.noise(e)
	if d := r.child(e, "range"); d != nil {
		s.Min, s.Max = r.value(d, "min", 0), r.value(d, "max", 0)
	}
	scan := r.child(e, "scan")
	if scan == nil {
		return
	}
	v, h := r.child(scan, "vertical"), r.child(scan, "horizontal")
	if v != nil {
		s.Layers = int(r.value(v, "samples", 1) * r.value(v, "resolution", 1))
		s.Lowest, s.Highest = r.value(v, "min_angle", 0), r.value(v, "max_angle", 0)
	}
	if s.Layers > 1 {
		s.Kind = Lidar
	}
	if h == nil {
		return
	}
	low, high := r.value(h, "min_angle", 0), r.value(h, "max_angle", 0)
	s.Samples = int(r.value(h, "samples", 0) * r.value(h, "resolution", 1))
	s.FOV = high - low
	if s.Kind == Laser {
		s.PoseLS.Rot = s.PoseLS.Rot.Mul(spatial.RotZ((low + high) / 2)) // beams are symmetric about x
	} else if s.FOV < 2*math.Pi*(1-1.5/float64(s.Samples)) {
		h.used, h.why = false, "limits of <horizontal>: a lidar turns fully"
	}
}

// noise returns the standard deviation of the Gaussian noise of an SDF element.
func (r *reader) noise(e *element) float64 {
	n := r.child(e, "noise")
	if n == nil {
		return 0
	}
	kind, _ := n.attr("type")
	if t := r.child(n, "type"); t != nil {
		kind = strings.TrimSpace(t.text)
	}
	if kind == "none" {
		return 0
	}
	if kind != "gaussian" {
		n.used = false
		return 0
	}
	if m := r.child(n, "mean"); m != nil && r.value(n, "mean", 0) != 0 {
		m.used = false
	}
	return math.Abs(r.value(n, "stddev", 0))
}

// axes returns the largest noise of the axes x, y and z of an SDF element.
func (r *reader) axes(e *element) (most float64) {
	for _, axis := range []string{"x", "y", "z"} {
		if c := r.child(e, axis); c != nil {
			most = max(most, r.noise(c))
		}
	}
	return most
}
