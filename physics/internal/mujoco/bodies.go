package mujoco

// #include <stdlib.h>
// #include "world.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// longestPart is the longest step of MuJoCo, in seconds: its default.
const longestPart = 0.002

// New returns an engine in the start state of a model. It fails if the model is not valid, if libmujoco is not
// installed, or if MuJoCo refuses the model.
func New(model *physics.Model) (physics.Engine, error) { return play.Open(model, newBodies) }

// world is robots and obstacles on libmujoco.
type world struct {
	model  *physics.Model
	c      *C.omni_mj
	dt     float64
	parts  int
	robots []robot
	free   []base // of obstacles
	feet   []foot // of robots that move by their joints
	absent []bool // for each robot and then each obstacle, whether it is not in the world

	// views of MuJoCo's memory
	qpos, qvel, warmstart, ctrl, effort, gain, push, damping []float64
}

// base is where the state of a robot's body, or of an obstacle, begins in qpos and qvel. For one that moves freely, com
// is the centre of mass, which has this state, in the frame of the robot or obstacle.
type base struct {
	pos, vel, body int
	com            mgl64.Vec3
}

type robot struct {
	base
	first  int  // index in Snapshot.Joints of its first joint
	legs   bool // it moves by its joints
	wheels physics.WheelSet
	joints []joint
}

// joint is where the state of a joint is; motor is −1 for a joint without one.
type joint struct {
	pos, vel, motor, body int
	p, d                  float64
	// A motor with a D above mostD damps the joint as the joint's own damping does, which MuJoCo integrates implicitly,
	// so that the motion stays stable. Its effort then has the limit without this part.
	mostD float64
}

var _ play.JointedBodies = (*world)(nil)

func newBodies(model *physics.Model) (*world, error) {
	if err := library(); err != nil {
		return nil, err
	}
	first := make([]int, len(model.Robots))
	for i := range first {
		first[i] = model.FirstJoint(i)
	}
	feet := feetOf(model)
	model = withoutWalkers(model)
	w := &world{model: model, dt: model.Step.Seconds(), feet: feet,
		absent: make([]bool, len(model.Robots)+len(model.Obstacles))}
	w.parts = int(math.Ceil(w.dt/longestPart - 1e-9))
	mjcf := compose(model, w.dt/float64(w.parts))
	c, message := C.CString(mjcf), [1000]C.char{}
	loading.Lock()
	w.c = C.omni_mj_new(c, C.int(len(mjcf)), &message[0], C.int(len(message)))
	loading.Unlock()
	C.free(unsafe.Pointer(c))
	if w.c == nil {
		text := strings.Join(strings.Fields(C.GoString(&message[0])), " ")
		return nil, fmt.Errorf("mujoco: refuses the model: %s", named(model, text))
	}
	view := func(p *C.double, n C.int) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(p)), int(n)) }
	w.qpos, w.qvel, w.warmstart = view(w.c.qpos, w.c.nq), view(w.c.qvel, w.c.nv), view(w.c.warmstart, w.c.nv)
	w.ctrl, w.effort, w.gain = view(w.c.ctrl, w.c.nu), view(w.c.effort, w.c.nu), view(w.c.gain, 10*w.c.nu)
	w.push, w.damping = view(w.c.push, 6*w.c.nbody), view(w.c.damping, w.c.nv)
	if err := w.find(first); err != nil {
		return w, err
	}
	return w, w.findFeet()
}

// withoutWalkers returns the model in which robots at level walk have no joints, because package play moves them.
func withoutWalkers(model *physics.Model) *physics.Model {
	m := *model
	m.Robots = slices.Clone(model.Robots)
	for i := range m.Robots {
		if r := &m.Robots[i]; r.Drive.Level == physics.WalkDrive {
			r.Joints, r.Apart = nil, nil
		}
	}
	return &m
}

// find finds the bodies and joints in MuJoCo's arrays. The argument first holds robot.first of each robot.
func (w *world) find(first []int) error {
	owner := unsafe.Slice(w.c.owner, int(w.c.nbody))
	for i := range owner {
		owner[i] = -1
	}
	motors := 0
	for i := range w.model.Robots {
		r := &w.model.Robots[i]
		to := robot{first: first[i], legs: r.Drive.Level == physics.JointsDrive}
		var err error
		if to.wheels, err = r.Drive.WheelSet(); err != nil {
			return fmt.Errorf("mujoco: robot[%d].drive: %w", i, err)
		}
		body := robotName(i)
		to.base = w.base(body, map[bool]string{true: body, false: body + "x"}[to.legs])
		owner[to.body] = C.int(w.model.RobotID(i))
		if to.legs {
			to.com = r.Trunk.CoMB
		}
		t := text{model: w.model, kids: kids(r)}
		for k := range r.Joints {
			j := joint{pos: -1, motor: -1}
			if r.Joints[k].Wheel < 0 {
				at := w.base(t.body(i, k), jointName(i, k))
				j.pos, j.vel, j.body = at.pos, at.vel, at.body
				owner[j.body] = C.int(w.model.RobotID(i))
				w.qpos[j.pos] = r.Joints[k].Rest()
			}
			if r.Joints[k].Commanded() {
				j.motor = motors
				motors++
				j.p, j.d = gains(&r.Joints[k], float64(unsafe.Slice(w.c.inertia, int(w.c.nv))[j.vel]))
				mobility := float64(unsafe.Slice(w.c.mobility, int(w.c.nv))[j.vel])
				j.mostD = mostExplicit / (mobility * w.dt / float64(w.parts))
			}
			to.joints = append(to.joints, j)
		}
		w.robots = append(w.robots, to)
	}
	for i := range w.model.Obstacles {
		at := w.base(obstacleName(i), obstacleName(i))
		owner[at.body] = C.int(w.model.ObstacleID(i))
		at.com[2] = w.model.Obstacles[i].Height / 2
		w.free = append(w.free, at)
	}
	return nil
}

// base returns where a body and a joint are.
func (w *world) base(body, joint string) base {
	b, j := C.CString(body), C.CString(joint)
	defer C.free(unsafe.Pointer(b))
	defer C.free(unsafe.Pointer(j))
	id := int(C.omni_mj_joint(w.c, j))
	at := func(p *C.int) int { return int(*(*C.int)(unsafe.Add(unsafe.Pointer(p), id*int(unsafe.Sizeof(*p))))) }
	return base{pos: at(w.c.qpos_at), vel: at(w.c.dof_at), body: int(C.omni_mj_body(w.c, b))}
}

// Constants of motors without gains. They are guesses; the first is close to that of robots whose gains are published.
const (
	fullAt      = 0.1   // distance from the wanted position at which a motor acts with its largest effort, rad
	fullAtSlide = 0.001 // likewise for a joint that slides, m
	perP        = 0.02  // D divided by P, s
	rate        = 300   // of a motor without a largest effort: its P divided by the inertia is rate², rad/s
)

// gains returns the gains of a joint's motor. The argument is the inertia of what it moves.
func gains(j *physics.Joint, inertia float64) (p, d float64) {
	switch {
	case j.P > 0 || j.D > 0:
		return j.P, j.D
	case j.MaxEffort >= unlimited:
		p = inertia * rate * rate
	case j.Slides:
		p = j.MaxEffort / fullAtSlide
	default:
		p = j.MaxEffort / fullAt
	}
	return p, perP * p
}

// mostExplicit is the largest share of a joint's velocity that its motor takes away in a part of a step. It is a guess:
// at 2, the motion becomes unstable.
const mostExplicit = 0.5

var errClosed = errors.New("mujoco: closed")

// SetServos implements play.JointedBodies.
func (w *world) SetServos(robot int, servos []play.Servo) {
	for k := range servos {
		w.setServo(robot, k, &servos[k])
	}
}

func (w *world) setServo(robot, joint int, s *play.Servo) {
	j := &w.robots[robot].joints[joint]
	if j.motor < 0 {
		return
	}
	gain, own := w.gain[10*j.motor:], w.model.Robots[robot].Joints[joint].Damping
	gain[1], gain[2], w.ctrl[j.motor], w.damping[j.vel] = 0, 0, s.Effort, own
	if s.On {
		p, d := j.p, j.d
		if s.Own {
			p, d = s.P, s.D
		}
		gain[1], w.ctrl[j.motor] = -p, p*s.Position+d*s.Velocity+s.Effort
		if d > j.mostD {
			w.damping[j.vel] = own + d
		} else {
			gain[2] = -d
		}
	}
}

// Step implements play.Bodies.
func (w *world) Step(setpoints []play.Setpoint) error {
	if w.c == nil {
		return errClosed
	}
	for i := range w.robots {
		if r := &w.robots[i]; !r.legs {
			t := setpoints[i].TwistB
			sin, cos := math.Sincos(w.qpos[r.pos+2] + t.Omega*w.dt/2) // mean heading of the step
			w.qvel[r.vel], w.qvel[r.vel+1], w.qvel[r.vel+2] = cos*t.VX-sin*t.VY, sin*t.VX+cos*t.VY, t.Omega
		}
	}
	w.keepAbsent()
	loading.RLock()
	failed := C.omni_mj_step(w.c, C.int(w.parts), C.double(w.dt/float64(w.parts))) != 0
	loading.RUnlock()
	if failed {
		return fmt.Errorf("mujoco: %s", C.GoString(&w.c.error[0]))
	}
	for i := range w.robots {
		if r := &w.robots[i]; !r.legs { // to the direction at the end of the arc
			v := w.qvel[r.vel:]
			sin, cos := math.Sincos(v[2] * w.dt / 2)
			v[0], v[1] = cos*v[0]-sin*v[1], sin*v[0]+cos*v[1]
			w.qpos[r.pos+2] = spatial.WrapAngle(w.qpos[r.pos+2])
		}
	}
	return nil
}

// Read implements play.Bodies.
func (w *world) Read(now *physics.Snapshot) {
	for i := range w.robots {
		r, to := &w.robots[i], &now.Robots[i]
		if r.legs {
			to.PoseWB, to.TwistWBInW = w.get(&r.base)
		} else {
			p, v := w.qpos[r.pos:], w.qvel[r.vel:]
			to.PoseWB = spatial.Planar(p[0], p[1], p[2])
			to.TwistWBInW = spatial.Twist{Lin: mgl64.Vec3{v[0], v[1], 0}, Ang: mgl64.Vec3{0, 0, v[2]}}
			to.WheelRadS = r.wheels.Speeds(to.TwistWBInB())
		}
		states := now.Joints[r.first:]
		for k := range r.joints {
			if j := &r.joints[k]; j.pos >= 0 {
				states[k] = physics.JointState{Position: w.qpos[j.pos], Velocity: w.qvel[j.vel]}
				if j.motor >= 0 {
					own := w.model.Robots[i].Joints[k].Damping
					states[k].Effort = w.effort[j.motor] - (w.damping[j.vel]-own)*w.qvel[j.vel]
				}
			}
		}
	}
	w.readFeet(now)
	for i := range w.free {
		now.Obstacles[i].PoseWO, now.Obstacles[i].TwistWOInW = w.get(&w.free[i])
	}
	touches := unsafe.Slice(w.c.touch, int(w.c.touches))
	for i := range touches {
		t := &touches[i]
		now.Touches = append(now.Touches, physics.Touch{A: physics.BodyID(t.a), B: physics.BodyID(t.b),
			PosW: mgl64.Vec3{float64(t.pos[0]), float64(t.pos[1]), float64(t.pos[2])}, Impulse: float64(t.impulse),
			Closing: float64(t.closing)})
	}
}

// get returns the motion of a body that moves freely. MuJoCo gives the angular velocity in the axes of the body.
func (w *world) get(b *base) (spatial.Pose, spatial.Twist) {
	p, v := w.qpos[b.pos:b.pos+7], w.qvel[b.vel:b.vel+6]
	pose := spatial.Pose{Pos: mgl64.Vec3(p[:3]), Rot: mgl64.Quat{W: p[3], V: mgl64.Vec3(p[4:7])}}
	twist := spatial.Twist{Lin: mgl64.Vec3(v[:3]), Ang: pose.Rotate(mgl64.Vec3(v[3:6]))}
	toOrigin := pose.Rotate(b.com).Mul(-1)
	pose.Pos, twist.Lin = pose.Pos.Add(toOrigin), twist.PointVelocity(toOrigin)
	return pose, twist
}

func (w *world) put(b *base, pose spatial.Pose, twist spatial.Twist) {
	p, v := w.qpos[b.pos:b.pos+7], w.qvel[b.vel:b.vel+6]
	pos, lin, ang := pose.Apply(b.com), twist.PointVelocity(pose.Rotate(b.com)), pose.Unrotate(twist.Ang)
	copy(p, pos[:])
	p[3] = pose.Rot.W
	copy(p[4:], pose.Rot.V[:])
	copy(v, lin[:])
	copy(v[3:], ang[:])
	clear(w.warmstart[b.vel : b.vel+6])
}

// PlaceRobot implements play.Bodies. Joints keep their positions.
func (w *world) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) {
	r := &w.robots[robot]
	if r.legs {
		w.put(&r.base, poseWB, twistWBInW)
	} else {
		copy(w.qpos[r.pos:r.pos+3], []float64{poseWB.Pos[0], poseWB.Pos[1], poseWB.Heading()})
		copy(w.qvel[r.vel:r.vel+3], []float64{twistWBInW.Lin[0], twistWBInW.Lin[1], twistWBInW.Ang[2]})
		clear(w.warmstart[r.vel : r.vel+3])
	}
	w.setAbsent(robot, poseWB)
}

// PlaceObstacle implements play.Bodies.
func (w *world) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) {
	w.put(&w.free[obstacle], poseWO, twistWOInW)
	w.setAbsent(len(w.robots)+obstacle, poseWO)
}

// Push implements play.Bodies: the impulse acts on the trunk of a robot with legs.
func (w *world) Push(id physics.BodyID, impulseW, atW mgl64.Vec3) {
	if i := int(id); i < len(w.robots) {
		w.pushBody(w.robots[i].body, impulseW, atW)
	} else {
		w.pushBody(w.free[i-len(w.robots)].body, impulseW, atW)
	}
}

// PushLink implements play.JointedBodies.
func (w *world) PushLink(robot, joint int, impulseW, atW mgl64.Vec3) {
	if joint < 0 {
		w.pushBody(w.robots[robot].body, impulseW, atW)
	} else {
		w.pushBody(w.robots[robot].joints[joint].body, impulseW, atW)
	}
}

func (w *world) pushBody(body int, impulseW, atW mgl64.Vec3) {
	p, moment := w.push[6*body:6*body+6], atW.Cross(impulseW)
	for k := range 3 {
		p[k] += impulseW[k]
		p[3+k] += moment[k]
	}
	w.c.pushed = 1
}

// Close frees the world.
func (w *world) Close() {
	if w.c != nil {
		C.omni_mj_free(w.c)
		w.c = nil
	}
}
