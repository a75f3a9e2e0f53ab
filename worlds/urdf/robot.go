package urdf

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Robot is the content of a URDF file.
type Robot struct {
	Name    string
	Links   []Link
	Joints  []Joint
	Sensors []Sensor // of <gazebo> elements
	// Skipped lists what the file has and the Robot has not.
	Skipped []Note

	file    string
	place   Place
	root    int   // index of the link that no joint holds
	order   []int // joints, each after the joint of its parent link
	parents []int // for each joint, the index of its parent link
	holds   []int // for each joint, the index of its child link
	follows []int // for each joint that mimics another one, the index of that joint
}

// Link is a rigid part of a robot.
type Link struct {
	Place
	Name       string
	Inertial   *Inertial // nil: without mass
	Visuals    []Visual
	Collisions []Collision
}

// Inertial is the mass of a link, with the inertia about its centre of mass in the axes of the frame C.
type Inertial struct {
	Place
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
	Place
	PoseLS spatial.Pose // S: the shape
	Geometry
}

// Visual is a shape that cameras see.
type Visual struct {
	Collision
	Material Material
}

// Shape is the kind of a geometry.
type Shape string

const (
	Box      Shape = "box"      // around its origin
	Cylinder Shape = "cylinder" // around its origin, along z
	Sphere   Shape = "sphere"
	Mesh     Shape = "mesh"
)

// Geometry is a shape with its measures, in m.
type Geometry struct {
	Shape          Shape
	Size           mgl64.Vec3 // of a box
	Radius, Length float64    // of a cylinder; a sphere has a Radius
	File           string     // of a mesh, as the URDF names it
	Scale          mgl64.Vec3 // of a mesh
}

// Material is the appearance of a visual shape.
type Material struct {
	Name    string
	Color   *[4]float64 // red, green, blue and alpha in sRGB, 0 to 1; nil if none is given
	Texture string      // file, as the URDF names it
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
	Place
	Name          string
	Type          JointType
	Parent, Child string
	PosePJ        spatial.Pose // pose of the child at position 0, in the frame of the parent
	Axis          mgl64.Vec3   // unit vector, in the frame of the child
	Limit         *Limit
	Damping       float64 // N·m·s/rad or N·s/m
	Friction      float64 // N·m or N
	Mimic         *Mimic
}

// Limit bounds the position, rad or m, and the speed and the effort of a joint. A bound beyond 1e9 is infinite.
type Limit struct{ Lower, Upper, Velocity, Effort float64 }

// Mimic makes a joint follow another one: position = Multiplier·other + Offset.
type Mimic struct {
	Place
	Joint              string
	Multiplier, Offset float64
}

// Parse reads a URDF file. The filename is for messages only. The error joins all problems that were found, each an
// [Error].
func Parse(filename string, data []byte) (*Robot, error) {
	r := &reader{file: filename}
	top, err := r.parse(data)
	if err != nil {
		return nil, err
	}
	robot := r.robot(top)
	if r.errs == nil {
		r.connect(robot)
	}
	if r.errs != nil {
		return nil, errors.Join(r.errs...)
	}
	var skipped notes
	unused(top, "", &skipped)
	robot.Skipped = append(skipped, robot.Skipped...)
	return robot, nil
}

// connect checks that the joints make one tree of the links, and orders them.
func (r *reader) connect(robot *Robot) {
	links := map[string]int{}
	for i := range robot.Links {
		links[robot.Links[i].Name] = i
	}
	fail := func(at Place, format string, args ...any) {
		r.fail(&element{Place: at, name: "robot"}, format, args...)
	}
	held := make([]int, len(robot.Links)) // 1 + joint
	joints := map[string]int{}
	for i := range robot.Joints {
		j := &robot.Joints[i]
		parent, okP := links[j.Parent]
		child, okC := links[j.Child]
		switch {
		case !okP:
			fail(j.Place, "joint %q: its parent %q is no link", j.Name, j.Parent)
		case !okC:
			fail(j.Place, "joint %q: its child %q is no link", j.Name, j.Child)
		case held[child] > 0:
			fail(j.Place, "joint %q holds the link %q, which joint %q holds already", j.Name, j.Child,
				robot.Joints[held[child]-1].Name)
		default:
			held[child] = i + 1
		}
		robot.parents, robot.holds = append(robot.parents, parent), append(robot.holds, child)
		joints[j.Name] = i
	}
	robot.follows = make([]int, len(robot.Joints))
	for i := range robot.Joints {
		if m := robot.Joints[i].Mimic; m != nil {
			other, ok := joints[m.Joint]
			if !ok {
				fail(m.Place, "joint %q mimics %q, which is no joint", robot.Joints[i].Name, m.Joint)
			}
			robot.follows[i] = other
		}
	}
	robot.root = -1
	for i, joint := range held {
		if joint > 0 {
			continue
		}
		if robot.root >= 0 {
			fail(robot.Links[i].Place, "no joint holds the links %q and %q: all but one must be held",
				robot.Links[robot.root].Name, robot.Links[i].Name)
			return
		}
		robot.root = i
	}
	if r.errs != nil {
		return
	}
	below := make([][]int, len(robot.Links))
	for i, parent := range robot.parents {
		below[parent] = append(below[parent], i)
	}
	if robot.root >= 0 {
		robot.order = append(robot.order, below[robot.root]...)
	}
	for i := 0; i < len(robot.order); i++ {
		robot.order = append(robot.order, below[robot.holds[robot.order[i]]]...)
	}
	if len(robot.order) < len(robot.Joints) {
		fail(robot.place, "the joints form a ring: they must form a tree")
	}
	for i := range robot.Joints {
		j, position := i, robot.position(i, nil)
		for range robot.Joints {
			if robot.Joints[j].Mimic != nil {
				j = robot.follows[j]
			}
		}
		if robot.Joints[j].Mimic != nil {
			fail(robot.Joints[i].Mimic.Place, "joint %q mimics itself", robot.Joints[i].Name)
		} else if !(math.Abs(position) <= largest) {
			fail(robot.Joints[i].Mimic.Place, "joint %q is at %g: must lie within ±%g", robot.Joints[i].Name, position,
				largest)
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
		poses[r.holds[i]] = poses[r.parents[i]].Mul(j.PosePJ).Mul(j.motion(r.position(i, positions)))
	}
	return poses
}

// position returns the position of the joint with an index.
func (r *Robot) position(joint int, positions map[string]float64) float64 {
	other, factor, offset := r.mimics(joint)
	return factor*positions[r.Joints[other].Name] + offset
}

// motion returns the pose of a joint's child at a position, relative to its pose at 0.
func (j *Joint) motion(position float64) spatial.Pose {
	switch j.Type {
	case Continuous, Revolute:
		return spatial.Pose{Rot: mgl64.QuatRotate(position, j.Axis)}
	case Prismatic:
		return spatial.Translation(j.Axis.Mul(position))
	}
	return spatial.Identity()
}

// Moves reports whether the joint has a position that can change.
func (j *Joint) Moves() bool { return j.Type != Fixed }

// String returns a note as a text with its lines: "<transmission> (lines 12, 40)".
func (n Note) String() string {
	const most = 200
	text := fmt.Sprintf("%s (line %d", n.What, n.Places[0].Line)
	if len(n.Places) > 1 {
		text = fmt.Sprintf("%s (lines %d", n.What, n.Places[0].Line)
	}
	for i, p := range n.Places[1:] {
		if i == most {
			return fmt.Sprintf("%s and %d more)", text, len(n.Places)-1-most)
		}
		text += fmt.Sprintf(", %d", p.Line)
	}
	return text + ")"
}
