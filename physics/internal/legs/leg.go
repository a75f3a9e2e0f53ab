package legs

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// LegJoints is the number of joints of a leg.
const LegJoints = physics.LegJoints

// leg is the geometry of a leg: three joints of the hip, the knee, and two joints of the ankle: first pitch, then roll.
// Vectors are in B while all joints are at their Zero; x, y and z of B are then the axes of the joints. The axes of the
// hip meet at hip, and those of the ankle at ankle. If they do not meet, both points are on an axis of pitch.
type leg struct {
	joint      [LegJoints]int // indices, from the hip to the foot
	joints     [LegJoints]*physics.Joint
	sign, zero [LegJoints]float64
	meet       bool // the axes meet
	yawFirst   bool // the hip turns by yaw, roll and pitch; otherwise by pitch, roll and yaw
	hip, ankle mgl64.Vec3
	thigh      segment
	shank      segment
	sole       mgl64.Vec3 // middle of the sole's rectangle; the ankle's place without shapes
	toe        float64    // half of the sole's length, m
}

// segment is a vector in the sagittal plane: its length, and the angle about y by which it is turned from straight
// down.
type segment struct{ length, angle float64 }

func newSegment(v mgl64.Vec3) segment {
	return segment{length: math.Hypot(v[0], v[2]), angle: math.Atan2(-v[0], -v[2])}
}

// mostOffset is the distance up to which axes count as meeting, in metres.
const mostOffset = 1e-3

// findLegs returns the left and the right leg of a robot.
func findLegs(r *physics.Robot) (all [2]leg, err error) {
	var found []leg
	for _, joints := range r.Legs() {
		if l, ok := newLeg(r, joints); ok {
			found = append(found, l)
		}
	}
	if len(found) != 2 || found[0].hip[1]*found[1].hip[1] >= 0 {
		return all, fmt.Errorf("robot %s: has %d legs with six joints (three of the hip, the knee, pitch and roll of the "+
			"ankle): must have two, left and right", r.Name, len(found))
	}
	if found[0].hip[1] < 0 {
		found[0], found[1] = found[1], found[0]
	}
	return [2]leg(found), nil
}

// newLeg returns the leg with some joints, and whether thigh and shank have a length.
func newLeg(r *physics.Robot, joints [LegJoints]int) (l leg, ok bool) {
	for i, k := range joints {
		j := &r.Joints[k]
		sum := j.AxisB[0] + j.AxisB[1] + j.AxisB[2] // the axis is one of B's
		l.joint[i], l.joints[i], l.sign[i], l.zero[i] = k, j, math.Copysign(1, sum), j.Zero
	}
	l.yawFirst = math.Abs(l.joints[0].AxisB[2]) > 0.5
	point := func(i int) mgl64.Vec3 { return r.Joints[l.joint[i]].PointB }
	yaw, roll, pitch, knee := point(0), point(1), point(2), point(3)
	if !l.yawFirst {
		yaw, pitch = pitch, yaw
	}
	l.hip = mgl64.Vec3{pitch[0], roll[1], pitch[2]}
	l.ankle = mgl64.Vec3{point(4)[0], point(5)[1], point(4)[2]}
	l.meet = true
	for _, miss := range []float64{yaw[0] - l.hip[0], yaw[1] - l.hip[1], roll[2] - l.hip[2], point(5)[2] - l.ankle[2],
		l.hip[1] - l.ankle[1]} {
		l.meet = l.meet && math.Abs(miss) <= mostOffset
	}
	l.thigh, l.shank = newSegment(knee.Sub(l.hip)), newSegment(l.ankle.Sub(knee))
	if l.thigh.length == 0 || l.shank.length == 0 {
		return l, false
	}
	l.sole = l.ankle
	if foot := l.joints[LegJoints-1]; len(foot.Shapes) > 0 {
		var half mgl64.Vec2
		l.sole, half = foot.Sole()
		l.toe = half[0]
	}
	return l, true
}

// positions sets the positions of the leg's joints, from the hip to the foot, with which the foot has a pose: the pose
// in B of the middle of the sole, with axes that are those of B while the joints are at their Zero. A leg that is too
// short points to the foot. If the axes do not meet, positions moves the goal of the leg whose axes do by what the sole
// misses. The foot's turn is exact: it depends on no distance.
func (l *leg) positions(soleB spatial.Pose, to []float64) {
	l.meeting(soleB, to)
	if l.meet {
		return
	}
	wanted := soleB.Pos
	for range mostCorrections {
		miss := wanted.Sub(l.soleAt(to))
		if miss.Len() <= exact {
			return
		}
		soleB.Pos = soleB.Pos.Add(miss)
		l.meeting(soleB, to)
	}
}

// Each correction of a T1, whose axes are 0.02 m apart, divides the miss by about 20.
const (
	mostCorrections = 10
	exact           = 1e-9 // m
)

// soleAt returns the place of the middle of the sole in B, for positions of the leg's joints.
func (l *leg) soleAt(positions []float64) mgl64.Vec3 {
	at := l.sole
	for i := LegJoints - 1; i >= 0; i-- {
		moved := l.joints[i].Moved(positions[i])
		at = moved.Apply(at)
	}
	return at
}

// meeting sets positions in closed form, for a leg whose axes meet.
func (l *leg) meeting(soleB spatial.Pose, to []float64) {
	turn := soleB.Rotation()
	ankle := soleB.Apply(l.ankle.Sub(l.sole))
	// hip in the axes of the foot, from the ankle
	r := turn.Transpose().Mul3x1(l.hip.Sub(ankle))
	roll := math.Atan2(r[1], r[2])
	up := math.Hypot(r[1], r[2])
	a, b := l.thigh.length, l.shank.length
	bend := math.Acos(mgl64.Clamp((r.LenSqr()-a*a-b*b)/(2*a*b), -1, 1))
	knee := bend - l.shank.angle + l.thigh.angle
	// from hip to ankle, as the shank sees it
	sinT, cosT := math.Sincos(l.thigh.angle - knee)
	sinS, cosS := math.Sincos(l.shank.angle)
	pitch := math.Atan2(a*sinT+b*sinS, a*cosT+b*cosS) - math.Atan2(r[0], up)
	h := turn.Mul3(mgl64.Rotate3DX(-roll)).Mul3(mgl64.Rotate3DY(-pitch - knee)) // of the thigh
	if l.yawFirst {
		to[0] = math.Atan2(-h.At(0, 1), h.At(1, 1))
		to[1] = math.Asin(mgl64.Clamp(h.At(2, 1), -1, 1))
		to[2] = math.Atan2(-h.At(2, 0), h.At(2, 2))
	} else {
		to[0] = math.Atan2(h.At(0, 2), h.At(2, 2))
		to[1] = math.Asin(mgl64.Clamp(-h.At(1, 2), -1, 1))
		to[2] = math.Atan2(h.At(1, 0), h.At(1, 1))
	}
	to[3], to[4], to[5] = knee, pitch, roll
	for i := range LegJoints {
		to[i] = l.zero[i] + l.sign[i]*to[i]
	}
}
