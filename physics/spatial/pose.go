package spatial

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Pose is the position and orientation of a frame B in a frame A (poseAB).
type Pose struct {
	Pos mgl64.Vec3 // origin of B, in A, metres
	Rot mgl64.Quat // unit quaternion that converts a vector from the axes of B to the axes of A
}

// Identity returns the pose of a frame in itself.
func Identity() Pose { return Pose{Rot: mgl64.QuatIdent()} }

// Translation returns the pose of a frame that is translated by v.
func Translation(v mgl64.Vec3) Pose { return Pose{Pos: v, Rot: mgl64.QuatIdent()} }

// Planar returns the pose of a frame on the floor at (x, y), rotated by heading about z.
func Planar(x, y, heading float64) Pose {
	return Pose{Pos: mgl64.Vec3{x, y, 0}, Rot: RotZ(heading)}
}

// RPY returns a pose from a position and the fixed-axis angles roll (x), pitch (y), yaw (z), applied in that order
// (the convention of REP-103 and of URDF).
func RPY(pos mgl64.Vec3, roll, pitch, yaw float64) Pose {
	rot := RotZ(yaw).
		Mul(mgl64.QuatRotate(pitch, mgl64.Vec3{0, 1, 0})).
		Mul(mgl64.QuatRotate(roll, mgl64.Vec3{1, 0, 0}))
	return Pose{Pos: pos, Rot: rot}
}

// RollPitchYaw returns the angles with which RPY gives the pose's rotation. The pitch is within ±90°. Where it is ±90°,
// roll and yaw turn about the same axis, and the roll is 0.
func (p Pose) RollPitchYaw() (roll, pitch, yaw float64) {
	m := p.Rotation()
	sin := mgl64.Clamp(0-m.At(2, 0), -1, 1)
	if math.Abs(sin) > 1-1e-12 {
		return 0, math.Asin(sin), math.Atan2(-m.At(0, 1), m.At(1, 1))
	}
	return math.Atan2(m.At(2, 1), m.At(2, 2)), math.Asin(sin), math.Atan2(m.At(1, 0), m.At(0, 0))
}

// RotZ returns the rotation by angle about z.
func RotZ(angle float64) mgl64.Quat {
	s, c := math.Sincos(angle / 2)
	return mgl64.Quat{W: c, V: mgl64.Vec3{0, 0, s}}
}

// Mul composes poses: poseAB.Mul(poseBC) is poseAC.
func (p Pose) Mul(q Pose) (r Pose) {
	x, y, z := rotate(&p.Rot, 1, q.Pos[0], q.Pos[1], q.Pos[2])
	r.Pos[0], r.Pos[1], r.Pos[2] = x+p.Pos[0], y+p.Pos[1], z+p.Pos[2]
	r.Rot.W, r.Rot.V[0], r.Rot.V[1], r.Rot.V[2] = multiply(&p.Rot, &q.Rot, 1)
	return r
}

// multiply returns p·q if sense is 1, and p times the inverse of the unit quaternion q if sense is −1. It computes the
// same as Quat.Mul of mgl64, with scalars; see rotate.
func multiply(p, q *mgl64.Quat, sense float64) (w, x, y, z float64) {
	a, b, v := p.W, q.W, &p.V
	x, y, z = sense*q.V[0], sense*q.V[1], sense*q.V[2]
	return a*b - (v[0]*x + v[1]*y + v[2]*z), v[1]*z - v[2]*y + x*a + v[0]*b, v[2]*x - v[0]*z + y*a + v[1]*b,
		v[0]*y - v[1]*x + z*a + v[2]*b
}

// AngularVelocity returns the angular velocity, in rad/s, with which a body turns from one orientation to another in dt
// seconds, to first order. All three are relative to the same frame.
func AngularVelocity(from, to *mgl64.Quat, dt float64) mgl64.Vec3 {
	w, x, y, z := multiply(to, from, -1) // (x, y, z) is half of the rotation vector
	rate := math.Copysign(2, w) / dt
	return mgl64.Vec3{x * rate, y * rate, z * rate}
}

// TurnAbout returns poseAB of a frame B that has been turned, with A as the start, by an angle in rad about an axis
// through a point, by the right-hand rule. The axis, a unit vector, and the point, in m, are in A.
func TurnAbout(axis, point *mgl64.Vec3, angle float64) (r Pose) {
	sin, cos := math.Sincos(angle / 2)
	r.Rot.W, r.Rot.V[0], r.Rot.V[1], r.Rot.V[2] = cos, axis[0]*sin, axis[1]*sin, axis[2]*sin
	x, y, z := rotate(&r.Rot, 1, point[0], point[1], point[2])
	r.Pos[0], r.Pos[1], r.Pos[2] = point[0]-x, point[1]-y, point[2]-z
	return r
}

// Drifted returns the pose after t seconds at a constant twist. The twist is in the frame A of poseAB, like the pose.
func (p Pose) Drifted(twist Twist, t float64) Pose {
	p.Pos = p.Pos.Add(twist.Lin.Mul(t))
	if turn := twist.Ang.Len() * t; turn != 0 {
		p.Rot = mgl64.QuatRotate(turn, twist.Ang.Normalize()).Mul(p.Rot)
	}
	return p
}

// farthestStep is the longest distance between the poses of a body in two successive steps, m, unless an action has put
// the body elsewhere. It is a guess: at 5 ms the body moves at 100 m/s.
const farthestStep = 0.5

// Jumps reports whether q is so far from p that a body cannot have moved from p to q within a step.
func (p *Pose) Jumps(q *Pose) bool { return !(p.Pos.Sub(q.Pos).Len() <= farthestStep) }

// Between returns a pose on the way from p to q: p at the share 0 and q at 1. The position moves evenly along a
// straight line, and the orientation turns by the shorter way. If q Jumps from p, Between returns q.
func (p *Pose) Between(q *Pose, share float64) Pose {
	if share >= 1 || p.Jumps(q) {
		return *q
	}
	near := q.Rot.Scale(math.Copysign(1, p.Rot.Dot(q.Rot))) // q.Rot, or the same rotation on p's side of the sphere
	return Pose{p.Pos.Add(q.Pos.Sub(p.Pos).Mul(share)), mgl64.QuatNlerp(p.Rot, near, share)}
}

// Inverse returns the pose of A in B.
func (p Pose) Inverse() (r Pose) {
	x, y, z := rotate(&p.Rot, -1, p.Pos[0], p.Pos[1], p.Pos[2])
	r.Pos[0], r.Pos[1], r.Pos[2] = -x, -y, -z
	r.Rot.W, r.Rot.V[0], r.Rot.V[1], r.Rot.V[2] = p.Rot.W, -p.Rot.V[0], -p.Rot.V[1], -p.Rot.V[2]
	return r
}

// Apply transforms a point from B to A.
func (p Pose) Apply(pointInB mgl64.Vec3) mgl64.Vec3 {
	x, y, z := rotate(&p.Rot, 1, pointInB[0], pointInB[1], pointInB[2])
	return mgl64.Vec3{x + p.Pos[0], y + p.Pos[1], z + p.Pos[2]}
}

// Rotate transforms a direction or velocity from B to A.
func (p Pose) Rotate(vecInB mgl64.Vec3) mgl64.Vec3 {
	x, y, z := rotate(&p.Rot, 1, vecInB[0], vecInB[1], vecInB[2])
	return mgl64.Vec3{x, y, z}
}

// RotateAll applies Rotate to each vector of vecsInB, and stores the results in dst.
func (p *Pose) RotateAll(dst, vecsInB []mgl64.Vec3) {
	dst = dst[:len(vecsInB)]
	for i := range vecsInB {
		v := &vecsInB[i]
		dst[i][0], dst[i][1], dst[i][2] = rotate(&p.Rot, 1, v[0], v[1], v[2])
	}
}

// Unrotate transforms a direction or velocity from A to B.
func (p Pose) Unrotate(vecInA mgl64.Vec3) mgl64.Vec3 {
	x, y, z := rotate(&p.Rot, -1, vecInA[0], vecInA[1], vecInA[2])
	return mgl64.Vec3{x, y, z}
}

// rotate rotates a vector by a unit quaternion if sense is 1, and by its inverse if sense is −1. It computes the same
// as Quat.Rotate of mgl64, but with scalars: returning arrays from calls takes three times as long.
func rotate(q *mgl64.Quat, sense, vx, vy, vz float64) (rx, ry, rz float64) {
	x, y, z, w := sense*q.V[0], sense*q.V[1], sense*q.V[2], 2*q.W
	cx, cy, cz := y*vz-z*vy, z*vx-x*vz, x*vy-y*vx
	x, y, z = 2*x, 2*y, 2*z
	return vx + w*cx + (y*cz - z*cy), vy + w*cy + (z*cx - x*cz), vz + w*cz + (x*cy - y*cx)
}

// Rotation returns the rotation matrix of Rotate; its transpose is the matrix of Unrotate.
func (p *Pose) Rotation() mgl64.Mat3 {
	w, x, y, z := p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2]
	return mgl64.Mat3{
		1 - 2*(y*y+z*z), 2 * (x*y + w*z), 2 * (x*z - w*y),
		2 * (x*y - w*z), 1 - 2*(x*x+z*z), 2 * (y*z + w*x),
		2 * (x*z + w*y), 2 * (y*z - w*x), 1 - 2*(x*x+y*y),
	}
}

// Heading returns the angle of B's x axis in A's xy plane, in (−π, π].
func (p Pose) Heading() float64 {
	w, x, y, z := p.Rot.W, p.Rot.V[0], p.Rot.V[1], p.Rot.V[2]
	return math.Atan2(2*(x*y+w*z), 1-2*(y*y+z*z))
}

// Mat4 returns the homogeneous 4×4 matrix of the pose, column-major as in package mgl64.
func (p Pose) Mat4() mgl64.Mat4 {
	m := p.Rot.Mat4()
	m[12], m[13], m[14] = p.Pos[0], p.Pos[1], p.Pos[2]
	return m
}

// Turn returns m·(x, y, z). The function of mgl64 passes arrays through memory and takes three times as long.
func Turn(m *mgl64.Mat3, x, y, z float64) mgl64.Vec3 {
	return mgl64.Vec3{m[0]*x + m[3]*y + m[6]*z, m[1]*x + m[4]*y + m[7]*z, m[2]*x + m[5]*y + m[8]*z}
}

// TurnBack returns mᵀ·(x, y, z), the inverse of Turn for a rotation matrix.
func TurnBack(m *mgl64.Mat3, x, y, z float64) mgl64.Vec3 {
	return mgl64.Vec3{m[0]*x + m[1]*y + m[2]*z, m[3]*x + m[4]*y + m[5]*z, m[6]*x + m[7]*y + m[8]*z}
}

// Degree is one degree in radians.
const Degree = math.Pi / 180

// WrapAngle returns the angle in (−π, π] that has the same direction as the angle a, in rad.
func WrapAngle(a float64) float64 {
	if a > -math.Pi && a <= math.Pi { // the usual case; Remainder takes as long as a sine
		return a
	}
	a = math.Remainder(a, 2*math.Pi)
	if a == -math.Pi {
		return math.Pi
	}
	return a
}

// BodyToOptical returns the pose of a camera's optical frame (z forward, x right, y down) in the camera's body frame
// (x forward, y left, z up), as in REP-103: poseBO.
func BodyToOptical() Pose {
	return Pose{Rot: mgl64.Quat{W: 0.5, V: mgl64.Vec3{-0.5, 0.5, -0.5}}}
}

// Vec64 converts a vector to double precision.
func Vec64(v mgl32.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

// Vec32 converts a vector to single precision.
func Vec32(v mgl64.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{float32(v[0]), float32(v[1]), float32(v[2])}
}

// Twist is the linear velocity of a rigid body's origin, and the body's angular velocity. The variable's name states
// the frame of the numbers: twistWBInW is the twist of body B relative to the world, in world axes.
type Twist struct {
	Lin mgl64.Vec3 // m/s
	Ang mgl64.Vec3 // rad/s
}

// PointVelocity returns the velocity of a point that is fixed to the body. The argument offset is the vector from the
// body's origin to the point. All vectors are in the axes of the twist.
func (t Twist) PointVelocity(offset mgl64.Vec3) mgl64.Vec3 { return t.Lin.Add(t.Ang.Cross(offset)) }

// MarkKind is the shape of a floor marking.
type MarkKind uint8

const (
	Segment MarkKind = iota // straight line from A to B
	Arc                     // part of a circle around A
	Spot                    // filled disc around A
)

// Mark is one marking painted on the floor, described by its centre line in the world frame, metres.
type Mark struct {
	Kind   MarkKind
	A, B   [2]float64 // points whose meaning depends on Kind; only a Segment has B
	Radius float64    // radius of an Arc's centre line or of a Spot
	From   float64    // angle at which an Arc starts, rad
	Sweep  float64    // angle that an Arc covers, anticlockwise from the angle From, rad
	Width  float64    // width of the painted line; 0 for a Spot
}

// Distance returns the distance of a point from the marking's centre line, or from the disc of a Spot, metres.
func (m *Mark) Distance(x, y float64) float64 {
	dx, dy := x-m.A[0], y-m.A[1]
	switch m.Kind {
	case Spot:
		return math.Max(0, math.Hypot(dx, dy)-m.Radius)
	case Arc:
		if math.Mod(math.Atan2(dy, dx)-m.From+4*math.Pi, 2*math.Pi) <= m.Sweep {
			return math.Abs(math.Hypot(dx, dy) - m.Radius)
		}
		end := func(angle float64) float64 {
			sin, cos := math.Sincos(angle)
			return math.Hypot(dx-m.Radius*cos, dy-m.Radius*sin)
		}
		return math.Min(end(m.From), end(m.From+m.Sweep))
	}
	ex, ey := m.B[0]-m.A[0], m.B[1]-m.A[1]
	t := 0.0
	if l2 := ex*ex + ey*ey; l2 > 0 {
		t = math.Min(1, math.Max(0, (dx*ex+dy*ey)/l2))
	}
	return math.Hypot(dx-t*ex, dy-t*ey)
}

// Area returns the area of the floor that the marking covers, square metres.
func (m *Mark) Area() float64 {
	switch m.Kind {
	case Spot:
		return math.Pi * m.Radius * m.Radius
	case Arc:
		return m.Radius * m.Sweep * m.Width
	}
	return math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1]) * m.Width
}
