package articulated

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// Robot is a robot as links that joints connect, as a file describes it.
type Robot struct {
	Name    string
	Links   []Link
	Joints  []Joint
	Sensors []Sensor
	Apart   [][2]string // pairs of links that pass through each other
	// Skipped lists what the file has and the Robot has not.
	Skipped markup.Notes
	File    string       // for messages
	Place   markup.Place // of the element that has all others

	root    int   // index of the link that no joint holds
	order   []int // joints, depth first
	parents []int // for each joint, the index of its parent link
	holds   []int // for each joint, the index of its child link
	follows []int // for each joint that mimics another one, the index of that joint
}

// Link is a rigid part of a robot.
type Link struct {
	markup.Place
	Name       string
	Inertial   *Inertial // nil: without mass
	Visuals    []Visual
	Collisions []Collision
}

// Inertial is the mass of a link, with the inertia about its centre of mass in the axes of the frame C.
type Inertial struct {
	markup.Place
	PoseLC                       spatial.Pose // L: the link
	Mass                         float64
	IXX, IXY, IXZ, IYY, IYZ, IZZ float64
}

// Tensor returns the matrix of inertia, in the axes of C.
func (i *Inertial) Tensor() mgl64.Mat3 {
	return mgl64.Mat3{i.IXX, i.IXY, i.IXZ, i.IXY, i.IYY, i.IYZ, i.IXZ, i.IYZ, i.IZZ}
}

// Collision is a shape that touches others.
type Collision struct {
	markup.Place
	PoseLS spatial.Pose // S: the shape
	Geometry
	Friction float64 // coefficient with the floor and other bodies; 0: not given
	// Layers and Touches are sets of bits. Two shapes of a robot collide if one is in a layer that the other touches.
	Layers, Touches uint32
}

// Visual is a shape that cameras see.
type Visual struct {
	Collision
	Material Material
}

// Shape is the kind of a geometry.
type Shape string

const (
	Box       Shape = "box"      // around its origin
	Cylinder  Shape = "cylinder" // around its origin, along z
	Sphere    Shape = "sphere"
	Capsule   Shape = "capsule"   // a cylinder with a half sphere at each end
	Ellipsoid Shape = "ellipsoid" // around its origin
	Mesh      Shape = "mesh"
)

// Geometry is a shape with its measures, in m.
type Geometry struct {
	Shape          Shape
	Size           mgl64.Vec3 // of a box or an ellipsoid, from side to side
	Radius, Length float64    // of a cylinder, or of a capsule without its ends; a sphere has a Radius
	File           string     // of a mesh, as the description names it
	Scale          mgl64.Vec3 // of a mesh
}

// Material is the appearance of a visual shape.
type Material struct {
	Name    string
	Color   *[4]float64 // red, green, blue and alpha in sRGB, 0 to 1; nil if none is given
	Texture string      // file, as the description names it
}

// JointType is the kind of motion that a joint allows.
type JointType string

const (
	Fixed      JointType = "fixed"
	Continuous JointType = "continuous" // turns without limits
	Revolute   JointType = "revolute"
	Prismatic  JointType = "prismatic"
)

// Joint connects two links.
type Joint struct {
	markup.Place
	Name          string
	Type          JointType
	Parent, Child string
	PosePJ        spatial.Pose // pose of the child at the position Reference, in the frame of the parent
	Axis          mgl64.Vec3   // unit vector, in the frame of the child
	PointC        mgl64.Vec3   // point of the axis, in the frame of the child
	Limit         *Limit
	Damping       float64 // N·m·s/rad or N·s/m
	Friction      float64 // N·m or N
	Mimic         *Mimic

	Reference float64 // position of the joint while the child is at PosePJ
	Start     float64 // position at the start
	Armature  float64 // inertia of what the motor turns before the gear, as the joint feels it: kg·m² or kg
	Motor     Motor
	P, D      float64 // gains of the motor, effort per position and per velocity; 0: not given
}

// Motor says whether a joint has a motor.
type Motor uint8

const (
	AssumedMotor Motor = iota // has one, except that it turns without limits of position and effort
	WithMotor
	WithoutMotor
)

// Limit bounds the position, rad or m, and the speed and the effort of a joint. A bound beyond 1e9 is infinite.
type Limit struct{ Lower, Upper, Velocity, Effort float64 }

// Mimic makes a joint follow another one: position = Multiplier·other + Offset.
type Mimic struct {
	markup.Place
	Joint              string
	Multiplier, Offset float64
}

// fault returns an error at a place of the robot's file.
func (r *Robot) fault(at markup.Place, format string, args ...any) error {
	return &markup.Error{File: r.File, Place: at, Rule: fmt.Sprintf(format, args...)}
}

// maxLinks is the largest number of links, and maxErrors that of errors that Connect returns.
const maxLinks, maxErrors = 1000, 20

// Connect checks that the joints make one tree of the links, and orders them. A reader calls it when it has read all
// links and joints. The error joins all problems that were found, each a [markup.Error].
func (r *Robot) Connect() error {
	if n := len(r.Links); n == 0 || n > maxLinks {
		return r.fault(r.Place, "%d links: must be 1 to %d", n, maxLinks)
	}
	var errs []error
	fail := func(at markup.Place, format string, args ...any) {
		if len(errs) < maxErrors {
			errs = append(errs, r.fault(at, format, args...))
		}
	}
	r.bind(fail)
	if errs == nil {
		r.sort(fail)
	}
	return errors.Join(errs...)
}

// bind finds the links and joints that joints name.
func (r *Robot) bind(fail func(at markup.Place, format string, args ...any)) {
	links, joints := map[string]int{}, map[string]int{}
	for i := range r.Links {
		links[r.Links[i].Name] = i
	}
	held := make([]int, len(r.Links)) // 1 + joint
	for i := range r.Joints {
		j := &r.Joints[i]
		parent, okP := links[j.Parent]
		child, okC := links[j.Child]
		switch {
		case !okP:
			fail(j.Place, "joint %q: its parent %q is no link", j.Name, j.Parent)
		case !okC:
			fail(j.Place, "joint %q: its child %q is no link", j.Name, j.Child)
		case held[child] > 0:
			fail(j.Place, "joint %q holds the link %q, which joint %q holds already", j.Name, j.Child,
				r.Joints[held[child]-1].Name)
		default:
			held[child] = i + 1
		}
		r.parents, r.holds = append(r.parents, parent), append(r.holds, child)
		joints[j.Name] = i
	}
	r.follows = make([]int, len(r.Joints))
	for i := range r.Joints {
		if m := r.Joints[i].Mimic; m != nil {
			other, ok := joints[m.Joint]
			if !ok {
				fail(m.Place, "joint %q mimics %q, which is no joint", r.Joints[i].Name, m.Joint)
			}
			r.follows[i] = other
		}
	}
	r.root = -1
	for i, joint := range held {
		if joint > 0 {
			continue
		}
		if r.root >= 0 {
			fail(r.Links[i].Place, "no joint holds the links %q and %q: all but one must be held", r.Links[r.root].Name,
				r.Links[i].Name)
			return
		}
		r.root = i
	}
}

// sort orders the joints, each after that of its parent link and before those of other links: the order in which MuJoCo
// and ROS's tools list the joints of a robot whose file nests its links.
func (r *Robot) sort(fail func(at markup.Place, format string, args ...any)) {
	below := make([][]int, len(r.Links))
	for i, parent := range r.parents {
		below[parent] = append(below[parent], i)
	}
	var visit func(link int)
	visit = func(link int) {
		for _, i := range below[link] {
			r.order = append(r.order, i)
			visit(r.holds[i])
		}
	}
	if r.root >= 0 {
		visit(r.root)
	}
	if len(r.order) < len(r.Joints) {
		fail(r.Place, "the joints form a ring: they must form a tree")
	}
	for i := range r.Joints {
		j, position := i, r.position(i, nil)
		for range r.Joints {
			if r.Joints[j].Mimic != nil {
				j = r.follows[j]
			}
		}
		if r.Joints[j].Mimic != nil {
			fail(r.Joints[i].Mimic.Place, "joint %q mimics itself", r.Joints[i].Name)
		} else if !(math.Abs(position) <= markup.Largest) {
			fail(r.Joints[i].Mimic.Place, "joint %q is at %g: must lie within ±%g", r.Joints[i].Name, position,
				markup.Largest)
		}
	}
}

// Meshes returns the names of the mesh files that the robot needs.
func (r *Robot) Meshes() (all []string) {
	add := func(g *Geometry) {
		if g.Shape == Mesh && !slices.Contains(all, g.File) {
			all = append(all, g.File)
		}
	}
	for i := range r.Links {
		l := &r.Links[i]
		for k := range l.Visuals {
			add(&l.Visuals[k].Geometry)
		}
		for k := range l.Collisions {
			add(&l.Collisions[k].Geometry)
		}
	}
	return all
}

// Root returns the link that no joint holds.
func (r *Robot) Root() *Link { return &r.Links[r.root] }

// Link and Joint return the index of the link or joint with a name, or -1.
func (r *Robot) Link(name string) int {
	for i := range r.Links {
		if r.Links[i].Name == name {
			return i
		}
	}
	return -1
}

func (r *Robot) Joint(name string) int {
	for i := range r.Joints {
		if r.Joints[i].Name == name {
			return i
		}
	}
	return -1
}

// Poses returns the pose of each link in the frame of the root link. The argument positions holds the positions of
// joints by their names; others are at 0, or where the joint that they mimic puts them.
func (r *Robot) Poses(positions map[string]float64) []spatial.Pose {
	poses := make([]spatial.Pose, len(r.Links))
	poses[r.root] = spatial.Identity()
	for _, i := range r.order {
		j := &r.Joints[i]
		poses[r.holds[i]] = poses[r.parents[i]].Mul(j.PosePJ).Mul(j.motion(r.position(i, positions) - j.Reference))
	}
	return poses
}

// starts returns the positions at the start that are not 0, by the names of joints.
func (r *Robot) starts() (positions map[string]float64) {
	for i := range r.Joints {
		if j := &r.Joints[i]; j.Start != 0 {
			if positions == nil {
				positions = map[string]float64{}
			}
			positions[j.Name] = j.Start
		}
	}
	return positions
}

// position returns the position of the joint with an index.
func (r *Robot) position(joint int, positions map[string]float64) float64 {
	other, factor, offset := r.mimics(joint)
	return factor*positions[r.Joints[other].Name] + offset
}

// motion returns how a joint's child moves, from its pose at the Reference, by an angle or a distance.
func (j *Joint) motion(by float64) spatial.Pose {
	switch j.Type {
	case Continuous, Revolute:
		turn := spatial.Pose{Rot: mgl64.QuatRotate(by, j.Axis)}
		if j.PointC != (mgl64.Vec3{}) {
			turn.Pos = j.PointC.Sub(turn.Rotate(j.PointC))
		}
		return turn
	case Prismatic:
		return spatial.Translation(j.Axis.Mul(by))
	}
	return spatial.Identity()
}

// Moves reports whether the joint has a position that can change.
func (j *Joint) Moves() bool { return j.Type != Fixed }
