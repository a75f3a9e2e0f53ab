package urdf

import (
	"fmt"
	"math"
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
	Samples       int     // of a scan
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
		scan := r.either(e, "ray", "lidar")
		if n := r.scan(scan, &s); n > 1 {
			e.used, e.why = false, fmt.Sprintf("<sensor> with %d layers of beams", n)
			return
		}
	case IMU:
		if imu := r.child(e, "imu"); imu != nil {
			s.AccelNoise = r.axes(r.child(imu, "linear_acceleration"))
			s.GyroNoise = r.axes(r.child(imu, "angular_velocity"))
		}
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

// scan reads the beams of a laser scanner, and returns the number of its layers.
func (r *reader) scan(e *element, s *Sensor) (layers int) {
	if e == nil {
		return 1
	}
	s.Noise = r.noise(e)
	if d := r.child(e, "range"); d != nil {
		s.Min, s.Max = r.value(d, "min", 0), r.value(d, "max", 0)
	}
	scan := r.child(e, "scan")
	if scan == nil {
		return 1
	}
	if h := r.child(scan, "horizontal"); h != nil {
		low, high := r.value(h, "min_angle", 0), r.value(h, "max_angle", 0)
		s.Samples = int(r.value(h, "samples", 0) * r.value(h, "resolution", 1))
		s.FOV = high - low
		s.PoseLS.Rot = s.PoseLS.Rot.Mul(spatial.RotZ((low + high) / 2)) // beams are symmetric about x
	}
	if v := r.child(scan, "vertical"); v != nil {
		layers = int(r.value(v, "samples", 1))
		for _, name := range []string{"resolution", "min_angle", "max_angle"} {
			r.child(v, name) // of a single layer, without effect
		}
	}
	return layers
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
