package urdf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

var sensorKinds = map[string]articulated.SensorKind{
	"camera": articulated.Camera,
	"depth":  articulated.Depth, "depth_camera": articulated.Depth,
	"rgbd": articulated.Depth, "rgbd_camera": articulated.Depth,
	"ray": articulated.Laser, "gpu_ray": articulated.Laser,
	"lidar": articulated.Laser, "gpu_lidar": articulated.Laser,
	"imu":     articulated.IMU,
	"contact": articulated.Contact,
}

// sensor reads a sensor of SDF. A sensor of another kind is skipped as a whole.
func (r *reader) sensor(e *markup.Element, link int, robot *articulated.Robot) {
	kindText, _ := e.Attr("type")
	kind, ok := sensorKinds[kindText]
	if !ok {
		e.Used, e.Why = false, fmt.Sprintf("<sensor> of type %.60q", kindText)
		return
	}
	s := articulated.Sensor{Place: e.Place, Name: r.Required(e, "name"), Kind: kind, Link: link}
	s.PoseLS = r.pose(e)
	s.Rate = r.value(e, "update_rate", 0)
	for _, name := range []string{"always_on", "visualize", "topic"} {
		r.Child(e, name) // of no effect on what the sensor measures
	}
	switch kind {
	case articulated.Camera, articulated.Depth:
		r.camera(e, &s)
	case articulated.Laser:
		r.scan(r.either(e, "ray", "lidar"), &s)
		points := s.PerTurn()
		const rings, least, most = articulated.MostRings, articulated.LeastPoints, articulated.MostPoints
		if s.Layers > rings || s.Layers > 1 && (points < least || points > most) {
			e.Used, e.Why = false, fmt.Sprintf("<sensor> with %d layers of %d beams in a full turn: must have at most %d "+
				"layers, of %d to %d", s.Layers, points, rings, least, most)
			return
		}
	case articulated.IMU:
		if imu := r.Child(e, "imu"); imu != nil {
			s.AccelNoise = r.axes(r.Child(imu, "linear_acceleration"))
			s.GyroNoise = r.axes(r.Child(imu, "angular_velocity"))
		}
	}
	for slices.ContainsFunc(robot.Sensors, func(other articulated.Sensor) bool { return other.Name == s.Name }) {
		s.Name = robot.Links[link].Name + "_" + s.Name // in Gazebo, sensors of two links may have the same name
	}
	robot.Sensors = append(robot.Sensors, s)
}

// either returns the child with one of two names, or nil.
func (r *reader) either(e *markup.Element, name, other string) *markup.Element {
	if c := r.Child(e, name); c != nil {
		return c
	}
	return r.Child(e, other)
}

// pose reads the child <pose> of an SDF element: x y z roll pitch yaw.
func (r *reader) pose(e *markup.Element) spatial.Pose {
	var pos, rpy mgl64.Vec3
	if p := r.Child(e, "pose"); p != nil && strings.TrimSpace(string(p.Text)) != "" {
		r.Numbers(p, "", string(p.Text), &pos[0], &pos[1], &pos[2], &rpy[0], &rpy[1], &rpy[2])
	}
	return spatial.RPY(pos, rpy[0], rpy[1], rpy[2])
}

func (r *reader) camera(e *markup.Element, s *articulated.Sensor) {
	c := r.Child(e, "camera")
	if c == nil {
		return
	}
	c.Attr("name")
	s.PoseLS = s.PoseLS.Mul(r.pose(c))
	s.FOV = r.value(c, "horizontal_fov", 0)
	if image := r.Child(c, "image"); image != nil {
		s.Width, s.Height = int(r.value(image, "width", 0)), int(r.value(image, "height", 0))
		r.Child(image, "format") // images have the encoding that a profile asks for
	}
	if s.Kind == articulated.Depth {
		clip := r.Child(c, "clip")
		if depth := r.Child(c, "depth_camera"); depth != nil {
			if own := r.Child(depth, "clip"); own != nil {
				clip = own
			}
		}
		if clip != nil {
			s.Min, s.Max = r.value(clip, "near", 0), r.value(clip, "far", 0)
		}
	}
	s.Noise = r.noise(c)
}

// scan reads the beams of a laser scanner. A scanner with several layers is a Lidar.
func (r *reader) scan(e *markup.Element, s *articulated.Sensor) {
	if e == nil {
		return
	}
	s.Noise = r.noise(e)
	if d := r.Child(e, "range"); d != nil {
		s.Min, s.Max = r.value(d, "min", 0), r.value(d, "max", 0)
	}
	scan := r.Child(e, "scan")
	if scan == nil {
		return
	}
	v, h := r.Child(scan, "vertical"), r.Child(scan, "horizontal")
	if v != nil {
		s.Layers = int(r.value(v, "samples", 1) * r.value(v, "resolution", 1))
		s.Lowest, s.Highest = r.value(v, "min_angle", 0), r.value(v, "max_angle", 0)
	}
	if s.Layers > 1 {
		s.Kind = articulated.Lidar
	}
	if h == nil {
		return
	}
	low, high := r.value(h, "min_angle", 0), r.value(h, "max_angle", 0)
	s.Samples = int(r.value(h, "samples", 0) * r.value(h, "resolution", 1))
	s.FOV = high - low
	if s.Kind == articulated.Laser {
		s.PoseLS.Rot = s.PoseLS.Rot.Mul(spatial.RotZ((low + high) / 2)) // beams are symmetric about x
	} else if s.FOV < 2*math.Pi*(1-1.5/float64(s.Samples)) {
		h.Used, h.Why = false, "limits of <horizontal>: a lidar turns fully"
	}
}

// value reads the number in the text of a child of an SDF element. Without the child, it returns the default.
func (r *reader) value(e *markup.Element, name string, otherwise float64) float64 {
	if c := r.Child(e, name); c != nil {
		r.Numbers(c, "", string(c.Text), &otherwise)
	}
	return otherwise
}

// noise returns the standard deviation of the Gaussian noise of an SDF element.
func (r *reader) noise(e *markup.Element) float64 {
	n := r.Child(e, "noise")
	if n == nil {
		return 0
	}
	kind, _ := n.Attr("type")
	if t := r.Child(n, "type"); t != nil {
		kind = strings.TrimSpace(string(t.Text))
	}
	if kind == "none" {
		return 0
	}
	if kind != "gaussian" {
		n.Used = false
		return 0
	}
	if m := r.Child(n, "mean"); m != nil && r.value(n, "mean", 0) != 0 {
		m.Used = false
	}
	return math.Abs(r.value(n, "stddev", 0))
}

// axes returns the largest noise of the axes x, y and z of an SDF element.
func (r *reader) axes(e *markup.Element) (most float64) {
	for _, axis := range []string{"x", "y", "z"} {
		if c := r.Child(e, axis); c != nil {
			most = max(most, r.noise(c))
		}
	}
	return most
}
