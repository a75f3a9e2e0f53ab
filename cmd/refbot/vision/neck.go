package vision

import "github.com/go-gl/mathgl/mgl64"

// Neck is the mount of a camera in the head of a robot on legs. Two joints turn the head: pan about a vertical axis,
// and tilt about a horizontal axis. The axes cross.
type Neck struct {
	Axes   mgl64.Vec3 // where the axes cross while the trunk is upright, in the robot's frame, m
	Camera mgl64.Vec3 // viewpoint relative to Axes at pan and tilt 0, m; the camera then looks straight ahead
}

// Posture is the angles on which the pose of a camera in a head depends, in rad.
type Posture struct {
	Pan, Tilt   float64 // of the neck; pan is positive to the left, tilt is positive down
	Roll, Pitch float64 // of the trunk; roll is positive to the right, pitch is positive forward
}

// Toward returns the posture at a share of the way to the next one. A share above 1 extrapolates.
func (p Posture) Toward(next Posture, share float64) Posture {
	to := func(a, b float64) float64 { return a + share*(b-a) }
	return Posture{to(p.Pan, next.Pan), to(p.Tilt, next.Tilt), to(p.Roll, next.Roll), to(p.Pitch, next.Pitch)}
}

// Aim moves the camera of a view, which NewLensView returned, to where it is in a posture. The trunk leans about the
// robot's origin on the floor.
func (n *Neck) Aim(v *View, p Posture) {
	trunk := mgl64.Rotate3DY(p.Pitch).Mul3(mgl64.Rotate3DX(p.Roll))
	head := trunk.Mul3(mgl64.Rotate3DZ(p.Pan)).Mul3(mgl64.Rotate3DY(p.Tilt))
	v.Aim(trunk.Mul3x1(n.Axes).Add(head.Mul3x1(n.Camera)), head.Mul3(opticalAxes))
}
