package sensors

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// neck is the two joints of a robot that turn a camera in place of a head's own axes. The head's controller commands
// them. Their motion is the robot's: the camera's link carries the camera.
type neck struct {
	robot  *physics.Robot
	joints [2]int     // of pan and tilt
	signs  [2]float64 // 1 or −1: of the angle at a larger position of the joint
	goals  [2]physics.JointTarget
}

const (
	// neckError is the largest distance of a joint from its goal that counts as arrival, rad. A guess: servos of weak
	// gains hold a head with an error of up to four degrees.
	neckError = 6 * spatial.Degree
	// pastLimit is how far a joint may be beyond its limit, rad: limits of joints yield a little. A guess.
	pastLimit = 0.5
)

// CheckJoints returns the key of a joint that cannot turn the camera of a mount, and the reason.
func (h *HeadConfig) CheckJoints(robot *physics.Robot, mount *Mount) (key string, err error) {
	pan, tilt := robot.Joint(h.PanJoint), robot.Joint(h.TiltJoint)
	if tilt < 0 || h.TiltJoint != mount.Joint {
		return "tilt_joint", errors.New("must be the joint of the mount, which carries the camera")
	}
	if pan < 0 || robot.Joints[tilt].Parent != pan {
		return "pan_joint", errors.New("must be the joint that carries tilt_joint")
	}
	if j := &robot.Joints[pan]; j.Slides || !j.Commanded() || !(math.Abs(j.AxisB[2]) > 0.99) {
		return "pan_joint", errors.New("must turn about the robot's z axis, and take commands")
	}
	if j := &robot.Joints[tilt]; j.Slides || !j.Commanded() || !(math.Abs(j.AxisB[1]) > 0.99) {
		return "tilt_joint", errors.New("must turn about the robot's y axis, and take commands")
	}
	return "", nil
}

// attach gives the head the joints of its configuration.
func (h *Head) attach(d *device, robot *physics.Robot) error {
	if key, err := h.cfg.CheckJoints(robot, &d.cfg.Mount); err != nil {
		return fmt.Errorf("head.%s: %w", key, err)
	}
	n := &neck{robot: robot, joints: [2]int{robot.Joint(h.cfg.PanJoint), robot.Joint(h.cfg.TiltJoint)}}
	pan, tilt := n.joints[0], n.joints[1]
	for i, axis := range [2]int{2, 1} {
		j := &robot.Joints[n.joints[i]]
		n.signs[i] = math.Copysign(1, j.AxisB[axis])
		a, b := n.angle(i, j.Lower), n.angle(i, j.Upper)
		h.low[i], h.high[i] = max(min(a, b), -math.Pi), min(max(a, b), math.Pi)
	}
	h.pan, h.tilt = n.angle(0, robot.Joints[pan].Rest()), n.angle(1, robot.Joints[tilt].Rest())
	h.panTo, h.tiltTo, h.neck = h.pan, h.tilt, n
	own := *h.cfg
	offset := h.poseBM.Pos.Sub(robot.Joints[tilt].PointB)
	own.X, own.Z, h.cfg = offset[0], offset[2], &own
	h.poseBM = spatial.Translation(robot.Joints[tilt].PointB)
	h.poseBC = d.poseBS.Mul(spatial.BodyToOptical())
	return nil
}

// angle returns the pan (0) or the tilt (1) at a position of its joint.
func (n *neck) angle(axis int, position float64) float64 {
	return n.signs[axis] * (position - n.robot.Joints[n.joints[axis]].Zero)
}

// follow takes the angles of a neck from the joints' states, and the camera's pose.
func (h *Head) follow(states []physics.JointState, poseBC spatial.Pose) {
	n := h.neck
	pan, tilt := &states[n.joints[0]], &states[n.joints[1]]
	h.pan, h.tilt = n.angle(0, pan.Position), n.angle(1, tilt.Position)
	h.panRate, h.tiltRate = n.signs[0]*pan.Velocity, n.signs[1]*tilt.Velocity
	below := n.robot.Moved(n.robot.Joints[n.joints[0]].Parent, states)
	h.poseBM = below.Mul(spatial.Translation(n.robot.Joints[n.joints[1]].PointB))
	h.poseBC = poseBC
}

// Goals returns the goals of the joints that turn the camera, by their indices. There are none if the head turns the
// camera itself, or if nobody has commanded the head since Release. The slices belong to the head.
func (h *Head) Goals() (joints []int, to []physics.JointTarget) {
	n := h.neck
	if n == nil || h.command.Mode == "" {
		return nil, nil
	}
	for i, angle := range [2]float64{h.panTo, h.tiltTo} {
		j := &n.robot.Joints[n.joints[i]]
		n.goals[i] = physics.JointTarget{Mode: physics.JointPosition, Value: j.Zero + n.signs[i]*angle,
			Speed: h.cfg.Speed}
	}
	return n.joints[:], n.goals[:]
}

// Moves reports whether the head's controller commands a joint.
func (h *Head) Moves(joint int) bool {
	return h != nil && h.neck != nil && (h.neck.joints[0] == joint || h.neck.joints[1] == joint)
}

// Release ends the command to the head. A head of its own stays, and joints keep their goals until
// the next command to them.
func (h *Head) Release() {
	if h.neck != nil {
		h.command = HeadCommand{}
		return
	}
	h.Command(HeadCommand{Mode: HeadHold})
}
