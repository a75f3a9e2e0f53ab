package articulated

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// Differential names the joints of the driven wheels of a differential drive.
type Differential struct{ Left, Right []string }

const (
	// nearFloor is the largest height above the floor of the lowest point of a shape that carries the robot, m. It is a
	// guess: casters of small robots are modelled to within some millimetres.
	nearFloor = 0.005
	sameWheel = 1e-4 // largest difference between the radii of the driven wheels, m
	// Defaults of limits that the file does not give. They are guesses for small service robots.
	wheelSpeed = 1.0 // m/s
	accel      = 2.0 // m/s²
)

// wheel is a driven wheel.
type wheel struct {
	joint  *Joint
	centre mgl64.Vec3 // in the frame R
	axis   mgl64.Vec3 // likewise
	radius float64
}

// stand is how a robot stands on the floor: its shapes, and its wheels.
type stand struct {
	poses  []spatial.Pose // of links, at the joints' zero
	start  []spatial.Pose // of links, at the joints' start
	bodies []placed
	wheels []wheel
	floor  float64 // height of the floor in the frame R
}

// stand returns how the robot stands on the wheels of the given joints, or on its lowest shape if there are none.
func (r *Robot) stand(joints []string, meshes Meshes) (*stand, error) {
	s := &stand{poses: r.Poses(nil), start: r.Poses(r.starts()), floor: math.Inf(1)}
	driven := make([]bool, len(r.Links))
	for _, name := range joints {
		i := r.Joint(name)
		if i < 0 {
			return nil, r.fault(r.Place, "has no joint %q to drive%s", name, r.Drivable())
		}
		if j := &r.Joints[i]; j.Type != Continuous && j.Type != Revolute || j.Mimic != nil {
			return nil, r.fault(j.Place, "joint %q cannot be driven: must be continuous, and mimic none",
				name)
		}
		driven[r.holds[i]] = true
	}
	var err error
	if s.bodies, err = r.bodies(s.start, driven, meshes); err != nil {
		return nil, err
	}
	for _, name := range joints {
		w, err := r.wheel(r.Joint(name), s)
		if err != nil {
			return nil, err
		}
		s.wheels = append(s.wheels, w)
		s.floor = min(s.floor, w.centre[2]-w.radius)
	}
	if len(joints) == 0 {
		for i := range s.bodies {
			s.floor = min(s.floor, -s.bodies[i].support(mgl64.Vec3{0, 0, -1}))
		}
	}
	if math.IsInf(s.floor, 0) {
		return nil, r.fault(r.Place, "has neither collision nor visual shapes")
	}
	return s, nil
}

// Drivable returns the part of an error that names the joints that can be driven.
func (r *Robot) Drivable() string {
	var names []string
	for i := range r.Joints {
		if j := &r.Joints[i]; j.Type == Continuous && len(names) < 8 {
			names = append(names, j.Name)
		}
	}
	if names == nil {
		return ": it has no continuous joints"
	}
	return ": its continuous joints are " + strings.Join(names, ", ")
}

// wheel returns the wheel that a joint turns.
func (r *Robot) wheel(joint int, s *stand) (wheel, error) {
	j, pose := &r.Joints[joint], s.start[r.holds[joint]]
	w := wheel{joint: j, centre: pose.Apply(j.PointC), axis: pose.Rotate(j.Axis)}
	if math.Abs(w.axis[2]) > 0.01 {
		return w, r.fault(j.Place, "joint %q cannot be driven: its axis must be level", j.Name)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range s.bodies {
		if b := &s.bodies[i]; b.link == r.holds[joint] {
			w.radius = max(w.radius, b.reach(w.centre, w.axis))
			low, high = min(low, -b.support(w.axis.Mul(-1))), max(high, b.support(w.axis))
		}
	}
	if w.radius == 0 {
		return w, r.fault(j.Place, "joint %q cannot be driven: its link %q has no shape", j.Name,
			j.Child)
	}
	w.centre = w.centre.Add(w.axis.Mul((low+high)/2 - w.centre.Dot(w.axis))) // the middle of the wheel's width
	return w, nil
}

// text is the text of a robot model, with the place in the URDF from which each line comes.
type text struct {
	bytes.Buffer
	places []markup.Place
}

// line adds a line. Numbers are rounded to a picometre or so, which hides the last bits of sums.
func (t *text) line(at markup.Place, format string, args ...any) {
	for i, a := range args {
		if x, ok := a.(float64); ok {
			args[i] = strconv.FormatFloat(math.Round(x*1e12)/1e12, 'g', -1, 64)
		}
	}
	fmt.Fprintf(t, format+"\n", args...)
	t.places = append(t.places, at)
}

// Model returns the robot as the text of a robot model, and the place in the URDF from which each line comes. Without
// the argument drive, it gives no wheels. Driven wheels count their turns: the robot has odometry, as with Gazebo's
// plugins that drive robots.
func (r *Robot) Model(drive *Differential, meshes Meshes) ([]byte, []markup.Place, error) {
	var joints []string
	if drive != nil {
		joints = slices.Concat(drive.Left, drive.Right)
	}
	s, err := r.stand(joints, meshes)
	if err != nil {
		return nil, nil, err
	}
	var t text
	r.body(s, &t)
	if drive != nil {
		if err := r.drive(s, &t); err != nil {
			return nil, nil, err
		}
	}
	poseBR := spatial.Translation(mgl64.Vec3{0, 0, -s.floor})
	t.line(r.Place, "[ros1]")
	t.line(r.Place, "profiles = [\"standard\"]")
	moves, mover := r.movers()
	for i := range r.Sensors {
		carrier := ""
		if k := mover[r.Sensors[i].Link]; k >= 0 {
			carrier = r.Joints[moves[k]].Name
		}
		r.Sensors[i].write(poseBR.Mul(s.poses[r.Sensors[i].Link]), carrier, &t)
	}
	if drive != nil { // last, since the order of sensors must not depend on the wheels
		at := s.wheels[0].joint.Place
		t.line(at, "[[sensor]]")
		t.line(at, "name = \"odometry\"")
		t.line(at, "kind = \"odometry\"")
		t.line(at, "rate_hz = 50")
	}
	return t.Bytes(), t.places, nil
}

// body writes the hull and the mass, at the joints' start. The hull is the smaller one of the upright cylinder and the
// box around the origin that contain all shapes.
func (r *Robot) body(s *stand, t *text) {
	var x, y, top, radius float64
	up := mgl64.Vec3{0, 0, 1}
	for i := range s.bodies {
		b := &s.bodies[i]
		for _, side := range []float64{-1, 1} {
			x, y = max(x, b.support(mgl64.Vec3{side, 0, 0})), max(y, b.support(mgl64.Vec3{0, side, 0}))
		}
		top = max(top, b.support(up)-s.floor)
		radius = max(radius, b.reach(mgl64.Vec3{}, up))
	}
	t.line(r.Place, "[body]")
	if box := 4 * x * y; box < math.Pi*radius*radius {
		radius = math.Hypot(x, y)
		t.line(r.Place, "length_m = %s", 2*x)
		t.line(r.Place, "width_m = %s", 2*y)
	}
	t.line(r.Place, "radius_m = %s", radius)
	t.line(r.Place, "height_m = %s", top)
	mass, centre, inertia := r.mass(s.start)
	if mass > 0 {
		t.line(r.Place, "mass_kg = %s", mass)
		t.line(r.Place, "com_height_m = %s", centre[2]-s.floor)
		for k, key := range []string{"com_x_m", "com_y_m"} {
			if math.Abs(centre[k]) > 1e-9 {
				t.line(r.Place, key+" = %s", centre[k])
			}
		}
		t.line(r.Place, "inertia_zz_kg_m2 = %s", inertia)
	}
}

// drive writes the wheels, the casters and the limits of the drive.
func (r *Robot) drive(s *stand, t *text) error {
	speed, force, arm := math.Inf(1), math.Inf(1), 0.0
	first := &s.wheels[0]
	for i := range s.wheels {
		w := &s.wheels[i]
		if math.Abs(w.radius-first.radius) > sameWheel {
			return r.fault(w.joint.Place, "the wheel of joint %q has a radius of %.4g m, and that of %q "+
				"has %.4g m: must be the same", w.joint.Name, w.radius, first.joint.Name, first.radius)
		}
		if l := w.joint.Limit; l != nil && l.Velocity > 0 {
			speed = min(speed, l.Velocity*w.radius)
		}
		if l := w.joint.Limit; l != nil && l.Effort > 0 {
			force = min(force, l.Effort/w.radius)
		}
		arm = max(arm, math.Hypot(w.centre[0], w.centre[1]))
	}
	if math.IsInf(speed, 0) {
		speed = wheelSpeed
	}
	at := first.joint.Place
	t.line(at, "[drive]")
	t.line(at, "level = \"wheels\"")
	t.line(at, "wheel_radius_m = %s", first.radius)
	t.line(at, "max_wheel_speed_m_s = %s", speed)
	t.line(at, "max_speed_m_s = %s", speed)
	t.line(at, "max_omega_deg_s = %s", min(speed/arm/spatial.Degree, 3600))
	t.line(at, "max_accel_m_s2 = %s", accel)
	t.line(at, "max_alpha_deg_s2 = %s", min(accel/arm/spatial.Degree, 36000))
	if !math.IsInf(force, 0) {
		t.line(at, "max_wheel_force_n = %s", min(force, 2000))
	}
	for i := range s.wheels {
		w := &s.wheels[i]
		// the direction in which the wheel rolls when its joint turns forwards
		forward := w.axis.Cross(mgl64.Vec3{0, 0, 1})
		t.line(w.joint.Place, "[[drive.wheel]]")
		t.line(w.joint.Place, "kind = \"standard\"")
		t.line(w.joint.Place, "joint = %s", Quote(w.joint.Name))
		t.line(w.joint.Place, "x_m = %s", w.centre[0])
		t.line(w.joint.Place, "y_m = %s", w.centre[1])
		t.line(w.joint.Place, "heading_deg = %s", math.Atan2(forward[1], forward[0])/spatial.Degree)
	}
	for i := range s.bodies {
		b := &s.bodies[i]
		if -b.support(mgl64.Vec3{0, 0, -1}) > s.floor+nearFloor || slices.ContainsFunc(s.wheels, func(w wheel) bool {
			return w.joint.Child == r.Links[b.link].Name
		}) {
			continue
		}
		t.line(b.Place, "[[drive.caster]]")
		t.line(b.Place, "x_m = %s", b.poseRS.Pos[0])
		t.line(b.Place, "y_m = %s", b.poseRS.Pos[1])
	}
	return nil
}

// Quote returns a string of TOML. The text is printable.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
