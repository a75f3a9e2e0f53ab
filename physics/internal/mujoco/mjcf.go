package mujoco

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Names of bodies in the MJCF text. Joints have the same names as the links that they carry.
func robotName(robot int) string        { return fmt.Sprintf("r%d", robot) }
func jointName(robot, joint int) string { return fmt.Sprintf("r%dj%d", robot, joint) }
func obstacleName(obstacle int) string  { return fmt.Sprintf("o%d", obstacle) }

// How geoms collide: two do if the type of one is in the affinity of the other. Robots on wheels do not collide with
// the floor, over which they slide upright. Their contacts, and those of static bodies, are as stiff as MuJoCo's step
// allows.
const (
	onFloor   = `contype="1" conaffinity="3"`
	onWheels  = `contype="1" conaffinity="1"` + stiff
	immovable = `contype="1" conaffinity="0"` + stiff
	floorMask = `contype="2" conaffinity="0"`
	stiff     = ` solref="0.004 1"`
)

// Room for contacts, and for the rows of constraints that they make. A box has up to four contacts with the floor, and
// eight with another box.
const (
	contactsPerShape = 5 // of robots with legs; all of them seldom touch something
	contactsPerOther = 12
	rowsPerContact   = 4
	mostContacts     = 1500 // MuJoCo's memory grows with the square of the rows
)

// text writes the MJCF text of a model.
type text struct {
	strings.Builder
	model  *physics.Model
	motors strings.Builder
	gears  strings.Builder
	apart  strings.Builder
	kids   [][]int // of the present robot: the joints that each joint carries, and last those of the trunk
}

// num writes numbers so that they keep their value.
func num(all ...float64) string {
	var b strings.Builder
	for i, x := range all {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
	}
	return b.String()
}

// compose returns the MJCF text of a model, for steps of h seconds. All frames of bodies have the axes of their robot's
// frame B while joints are at their Zero. The origin of a body that moves freely is its centre of mass, whose path
// MuJoCo integrates best.
func compose(model *physics.Model, h float64) string {
	t := &text{model: model}
	t.floor()
	contacts, rows := 0, 0
	for i := range model.Robots {
		r := &model.Robots[i]
		t.robot(i, r)
		contacts += contactsPerOther
		for k := range r.Joints {
			contacts += contactsPerShape * len(r.Joints[k].Shapes)
			rows += 2 // dry friction, and a stop or a gear
		}
	}
	for i := range model.Obstacles {
		t.obstacle(i, &model.Obstacles[i])
		contacts += contactsPerOther
	}
	contacts = min(contacts, mostContacts)
	return fmt.Sprintf(`<mujoco>
<compiler angle="radian" inertiafromgeom="false" boundmass="1e-6" boundinertia="1e-9"/>
<option timestep="%s" gravity="0 0 %s" integrator="Euler"/>
<size nconmax="%d" njmax="%d"/>
<worldbody>
%s</worldbody>
<contact>
%s</contact>
<equality>
%s</equality>
<actuator>
%s</actuator>
</mujoco>
`, num(h), num(-model.Config.Gravity), contacts+1, contacts*rowsPerContact+rows+1, t.String(), t.apart.String(),
		t.gears.String(), t.motors.String())
}

// floor writes the floor, which must be the first geom, and all static bodies. Their friction is 0: the larger friction
// of two geoms counts.
func (t *text) floor() {
	fmt.Fprintf(t, "<geom type=\"plane\" size=\"0 0 1\" friction=\"0\" %s/>\n", floorMask)
	for _, b := range t.model.StaticBoxes() {
		var centre, half mgl64.Vec3
		for k := range 3 {
			centre[k], half[k] = (b.Min[k]+b.Max[k])/2, (b.Max[k]-b.Min[k])/2
		}
		kind := physics.BoxShape
		if b.Round {
			kind = physics.CylinderShape
		}
		pose := spatial.Planar(centre[0], centre[1], b.Heading)
		pose.Pos[2] = centre[2]
		t.geom(&physics.Shape{Kind: kind, PoseB: pose, Half: half}, mgl64.Vec3{}, immovable)
	}
}

// geom writes a shape, in a frame with the axes of B whose origin is at from.
func (t *text) geom(s *physics.Shape, from mgl64.Vec3, mask string) {
	kind, size := "sphere", s.Half[:1]
	switch s.Kind {
	case physics.CapsuleShape, physics.CylinderShape:
		kind, size = "capsule", []float64{s.Half[0], s.Half[2]}
		if s.Kind == physics.CylinderShape {
			kind = "cylinder"
		}
	case physics.BoxShape:
		kind, size = "box", s.Half[:]
	}
	pos, q := s.PoseB.Pos.Sub(from), s.PoseB.Rot
	fmt.Fprintf(t, "<geom type=\"%s\" size=\"%s\" pos=\"%s\" quat=\"%s\" friction=\"%s\" %s/>\n", kind, num(size...),
		num(pos[:]...), num(q.W, q.V[0], q.V[1], q.V[2]), num(s.Friction), mask)
}

// inertial writes a mass in a frame with the axes of B.
func (t *text) inertial(mass float64, com mgl64.Vec3, i mgl64.Mat3) {
	fmt.Fprintf(t, "<inertial mass=\"%s\" pos=\"%s\" fullinertia=\"%s\"/>\n", num(mass), num(com[:]...),
		num(i.At(0, 0), i.At(1, 1), i.At(2, 2), i.At(0, 1), i.At(0, 2), i.At(1, 2)))
}

func (t *text) obstacle(i int, o *physics.Obstacle) {
	half := mgl64.Vec3{o.SizeX / 2, o.SizeY / 2, o.Height / 2}
	x2, y2, z2 := half[0]*half[0]/3, half[1]*half[1]/3, half[2]*half[2]/3
	kind := physics.BoxShape
	if o.Round {
		kind, x2, y2 = physics.CylinderShape, half[0]*half[0]/4, half[0]*half[0]/4
	}
	centre := mgl64.Vec3{0, 0, half[2]}
	fmt.Fprintf(t, "<body name=\"%s\"><freejoint name=\"%[1]s\"/>\n", obstacleName(i))
	t.inertial(o.Mass, mgl64.Vec3{}, mgl64.Diag3(mgl64.Vec3{y2 + z2, x2 + z2, x2 + y2}.Mul(o.Mass)))
	t.geom(&physics.Shape{Kind: kind, PoseB: spatial.Translation(centre), Half: half,
		Friction: t.model.Config.Contacts.Obstacle.Friction}, centre, onFloor)
	t.WriteString("</body>\n")
}

func (t *text) robot(i int, r *physics.Robot) {
	fmt.Fprintf(t, "<body name=\"%s\">\n", robotName(i))
	var origin mgl64.Vec3
	if r.Drive.Level == physics.JointsDrive {
		fmt.Fprintf(t, "<freejoint name=\"%s\"/>\n", robotName(i))
		origin = r.Trunk.CoMB
		t.inertial(r.Trunk.Mass, mgl64.Vec3{}, r.Trunk.InertiaB)
		for k := range r.Trunk.Shapes {
			t.geom(&r.Trunk.Shapes[k], origin, onFloor)
		}
	} else {
		t.chassis(i, r)
	}
	t.kids = kids(r)
	for _, k := range t.kids[len(r.Joints)] {
		t.link(i, k, origin, nil)
	}
	t.WriteString("</body>\n")
	t.exclude(i, r)
	for k := range r.Joints {
		t.motor(i, k, &r.Joints[k])
	}
}

// minCarrier is the smallest share of a robot's mass that its body has without the links. It is a guess: the mass of
// some models is less than that of their links.
const minCarrier = 0.1

// chassis writes the body of a robot on wheels. It slides over the floor and turns, and does not tilt.
func (t *text) chassis(i int, r *physics.Robot) {
	name, mass := robotName(i), r.Body.Mass
	for k := range r.Joints {
		if r.Joints[k].Wheel < 0 {
			mass -= r.Joints[k].Mass
		}
	}
	for _, axis := range []string{`x" type="slide" axis="1 0 0`, `y" type="slide" axis="0 1 0`,
		`z" type="hinge" axis="0 0 1`} {
		fmt.Fprintf(t, "<joint name=\"%s%s\"/>\n", name, axis)
	}
	t.inertial(max(mass, minCarrier*r.Body.Mass), mgl64.Vec3{0, 0, r.Body.CoMZ},
		mgl64.Diag3(mgl64.Vec3{1, 1, 1}.Mul(r.Body.InertiaZ)))
	up := r.Body.Height / 2
	hull := physics.Shape{Kind: physics.CylinderShape, PoseB: spatial.Translation(mgl64.Vec3{0, 0, up}),
		Half: mgl64.Vec3{r.Body.Radius, r.Body.Radius, up}, Friction: t.model.Config.Contacts.Robot.Friction}
	if r.Body.Boxed() {
		hull.Kind, hull.Half = physics.BoxShape, mgl64.Vec3{r.Body.Length / 2, r.Body.Width / 2, up}
	}
	t.geom(&hull, mgl64.Vec3{}, onWheels)
}

// kids returns the joints that each joint carries, and last those that the trunk carries. It leaves out the joints of
// driven wheels; what a wheel carries moves with the wheel's carrier.
func kids(r *physics.Robot) [][]int {
	all := make([][]int, len(r.Joints)+1)
	for k := range r.Joints {
		p := r.Joints[k].Parent
		for p >= 0 && r.Joints[p].Wheel >= 0 {
			p = r.Joints[p].Parent
		}
		if r.Joints[k].Wheel >= 0 {
			continue
		}
		if p < 0 {
			p = len(r.Joints)
		}
		all[p] = append(all[p], k)
	}
	return all
}

// shares reports whether a joint and the only one that it carries move the same body, because there is nothing between
// them.
func shares(r *physics.Robot, kids [][]int, joint int) bool {
	return r.Joints[joint].Mass == 0 && len(r.Joints[joint].Shapes) == 0 && len(kids[joint]) == 1
}

// link writes the link of a joint, and those that it carries. The frame of the carrier is at from. The argument with
// lists former joints that move the same body.
func (t *text) link(i, k int, from mgl64.Vec3, with []int) {
	r := &t.model.Robots[i]
	j := &r.Joints[k]
	with = append(with, k)
	if shares(r, t.kids, k) {
		t.link(i, t.kids[k][0], from, with)
		return
	}
	pos := j.PointB.Sub(from)
	fmt.Fprintf(t, "<body name=\"%s\" pos=\"%s\">\n", jointName(i, k), num(pos[:]...))
	for _, w := range with {
		t.joint(i, w, r.Joints[w].PointB.Sub(j.PointB))
	}
	t.inertial(j.Mass, j.CoMB.Sub(j.PointB), j.InertiaB)
	for s := range j.Shapes {
		t.geom(&j.Shapes[s], j.PointB, onFloor)
	}
	for _, kid := range t.kids[k] {
		t.link(i, kid, j.PointB, nil)
	}
	t.WriteString("</body>\n")
}

func (t *text) joint(i, k int, pos mgl64.Vec3) {
	j := &t.model.Robots[i].Joints[k]
	kind, limited := "hinge", ""
	if j.Slides {
		kind = "slide"
	}
	if low, high := max(j.Lower, -unlimited), min(j.Upper, unlimited); low > -unlimited || high < unlimited {
		limited = fmt.Sprintf(` limited="true" range="%s"`, num(low, high))
	}
	fmt.Fprintf(t, "<joint name=\"%s\" type=\"%s\" pos=\"%s\" axis=\"%s\" ref=\"%s\" armature=\"%s\" damping=\"%s\" "+
		"frictionloss=\"%s\"%s/>\n", jointName(i, k), kind, num(pos[:]...), num(j.AxisB[:]...), num(j.Zero),
		num(j.Armature), num(j.Damping), num(j.Friction), limited)
}

// unlimited is a position, and an effort, that joints do not reach.
const unlimited = 1e6

// motor writes the motor of a joint, or the gear of one that mimics another. MuJoCo measures both joints of a gear from
// their Zero.
func (t *text) motor(i, k int, j *physics.Joint) {
	switch {
	case j.Wheel >= 0:
	case j.Mimics >= 0:
		zero := j.Multiplier*t.model.Robots[i].Joints[j.Mimics].Zero + j.Offset - j.Zero
		fmt.Fprintf(&t.gears, "<joint joint1=\"%s\" joint2=\"%s\" polycoef=\"%s 0 0 0\"/>\n", jointName(i, k),
			jointName(i, j.Mimics), num(zero, j.Multiplier))
	default:
		most := min(j.MaxEffort, unlimited)
		fmt.Fprintf(&t.motors, "<general joint=\"%s\" gaintype=\"fixed\" gainprm=\"1\" biastype=\"affine\" "+
			"biasprm=\"0 0 0\" forcelimited=\"true\" forcerange=\"%s\"/>\n", jointName(i, k), num(-most, most))
	}
}

// exclude lists the pairs of links that pass through each other. The hull of a robot on wheels may surround its links.
func (t *text) exclude(i int, r *physics.Robot) {
	seen := map[[2]string]bool{}
	add := func(a, b int) {
		pair := [2]string{t.body(i, a), t.body(i, b)}
		if pair[0] != pair[1] && !seen[pair] && !seen[[2]string{pair[1], pair[0]}] {
			seen[pair] = true
			fmt.Fprintf(&t.apart, "<exclude body1=\"%s\" body2=\"%s\"/>\n", pair[0], pair[1])
		}
	}
	for _, pair := range r.Apart {
		add(pair[0], pair[1])
	}
	if r.Drive.Level != physics.JointsDrive {
		for k := range r.Joints {
			add(-1, k)
		}
	}
}

// body returns the name of the body that a joint moves; of the trunk for -1.
func (t *text) body(i, joint int) string {
	r := &t.model.Robots[i]
	for joint >= 0 && r.Joints[joint].Wheel >= 0 {
		joint = r.Joints[joint].Parent
	}
	if joint < 0 {
		return robotName(i)
	}
	for shares(r, t.kids, joint) {
		joint = t.kids[joint][0]
	}
	return jointName(i, joint)
}

var ours = regexp.MustCompile(`'?\br(\d+)(?:j(\d+))?\b'?`)

// named replaces the names of robots and joints in a message of MuJoCo.
func named(model *physics.Model, message string) string {
	return ours.ReplaceAllStringFunc(message, func(name string) string {
		m := ours.FindStringSubmatch(name)
		i, _ := strconv.Atoi(m[1])
		if i >= len(model.Robots) {
			return name
		}
		r := &model.Robots[i]
		k, err := strconv.Atoi(m[2])
		if err != nil || k >= len(r.Joints) {
			return fmt.Sprintf("robot[%d] %s", i, r.Name)
		}
		return fmt.Sprintf("the link of joint %q of robot[%d] %s", r.Joints[k].Name, i, r.Name)
	})
}
