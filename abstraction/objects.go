package abstraction

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Detection is one object as the robot's vision would report it.
type Detection struct {
	Kind    Kind
	Name    string  // of the object in the world; empty for a detection of nothing
	Team    string  // of a robot, if its card is seen
	Visible float64 // share of the object that is seen, 0 to 1
	// PosB is a ball's centre or an obstacle's foot, VelB its velocity over the ground; both in the robot's axes, m and
	// m/s.
	PosB, VelB mgl64.Vec3
	VelKnown   bool
	// Of a ball in the air, located in space: where it comes down, and how long that takes. Flying is false otherwise.
	Flying      bool
	TouchdownB  mgl64.Vec3
	TouchdownIn time.Duration
}

// ObjectList is what one frame holds.
type ObjectList struct {
	Detections []Detection
	// Self is where the robot believes to be (poseWB), and whether it knows at all.
	Self      spatial.Pose
	SelfKnown bool
}

// TrueObjects reports everything, exactly, visible or not.
func TrueObjects(scene *Scene, into *ObjectList) {
	into.Detections = into.Detections[:0]
	scene.open()
	for i := range scene.Targets {
		if t := &scene.Targets[i]; t != scene.Self {
			d := scene.detection(t, 1)
			scene.land(&d, t.PoseWT.Pos, t.VelW, t.Shape.Radius)
			into.Detections = append(into.Detections, d)
		}
	}
	into.Self, into.SelfKnown = scene.PoseWB, true
}

func (s *Scene) detection(t *Target, visible float64) Detection {
	return Detection{
		Kind: t.Kind, Name: t.Name, Team: t.Team, Visible: visible,
		PosB: s.toB(&t.PoseWT.Pos), VelB: back(&s.turn, t.VelW[0], t.VelW[1], t.VelW[2]), VelKnown: true,
	}
}

// aloft is how high over the floor a ball is at least, metres, for it to be said to fly.
const aloft = 0.03

// land says where a ball at a place, W, with a velocity comes down, by the parabola without air.
func (s *Scene) land(d *Detection, posW, velW mgl64.Vec3, radius float64) {
	height := posW[2] - radius
	if d.Kind != BallKind || height < aloft || s.Gravity == 0 {
		return
	}
	t := (velW[2] + math.Sqrt(velW[2]*velW[2]+2*s.Gravity*height)) / s.Gravity
	down := mgl64.Vec3{posW[0] + velW[0]*t, posW[1] + velW[1]*t, radius}
	d.Flying, d.TouchdownB, d.TouchdownIn = true, s.toB(&down), time.Duration(t*float64(time.Second))
}
