package abstraction

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Detection is one object reported by the robot's vision.
type Detection struct {
	Kind    Kind
	Name    string  // of the object in the world; "" for a false positive
	Team    string  // name of the team; only for a robot with a visible card
	Visible float64 // visible fraction of the object, 0 to 1
	// PosB is the centre of a ball, or the foot of any other object, in the robot's frame, m. VelB is the velocity of
	// the object over the ground, in the robot's axes, m/s.
	PosB, VelB mgl64.Vec3
	VelKnown   bool
	// Size is the extent along the object's own axes, m; zero for a false positive. Bottom is the height of its lower
	// end over the point on the floor, m.
	Size   mgl64.Vec3
	Bottom float64
	Open   bool // whether robots pass through the object, as through a door
	// Flying is true for a ball in the air whose position in space is known. TouchdownB is the predicted position of
	// its centre when it lands, in the robot's frame, m. TouchdownIn is the time until it lands.
	Flying      bool
	TouchdownB  mgl64.Vec3
	TouchdownIn time.Duration
}

// ObjectList is vision's report for one frame.
type ObjectList struct {
	Detections []Detection
	// Self is the robot's estimate of its own pose in the world. It is valid if SelfKnown is true.
	Self      spatial.Pose
	SelfKnown bool
	// Goals, Lines, Crossings and Circles are reported only if VisionConfig.Lines is set.
	Goals     []GoalObject
	Lines     []LineObject
	Crossings []CrossingObject
	Circles   []mgl64.Vec2 // centres of the circles, in the robot's frame, metres
}

// GoalObject is a goal of which at least one post was detected. It contains the positions of the feet of the posts in
// the robot's frame, m. Left and right are as seen from the field.
type GoalObject struct {
	Name                  string // goal_minus or goal_plus, the name of its end of the field
	LeftB, RightB         mgl64.Vec3
	LeftKnown, RightKnown bool
}

// LineObject is a straight part of a line in the robot's frame, metres.
type LineObject struct {
	StartB     mgl64.Vec2 `json:"start_m"`
	EndB       mgl64.Vec2 `json:"end_m"`
	Confidence float64    `json:"confidence"` // length of the part as a fraction of the whole line's length, 0 to 1
}

// CrossingObject is a point where lines of the field cross, in the robot's frame, m.
type CrossingObject struct {
	AtB  mgl64.Vec2   `json:"at_m"`
	Kind CrossingKind `json:"kind"`
}

// Clear empties the list and keeps its memory.
func (l *ObjectList) Clear() {
	l.Detections, l.Goals, l.Lines = l.Detections[:0], l.Goals[:0], l.Lines[:0]
	l.Crossings, l.Circles = l.Crossings[:0], l.Circles[:0]
	l.Self, l.SelfKnown = spatial.Pose{}, false
}

// addGoals appends a goal for each end of the field at which at least one post was detected.
func (l *ObjectList) addGoals() {
	for i := range l.Detections {
		d := &l.Detections[i]
		end, side, ok := strings.Cut(strings.TrimPrefix(d.Name, "post_"), "_")
		if d.Kind != PostKind || !ok {
			continue
		}
		k := slices.IndexFunc(l.Goals, func(g GoalObject) bool { return g.Name == "goal_"+end })
		if k < 0 {
			k = len(l.Goals)
			l.Goals = append(l.Goals, GoalObject{Name: "goal_" + end})
		}
		g := &l.Goals[k]
		if side == "left" {
			g.LeftB, g.LeftKnown = d.PosB, true
		} else {
			g.RightB, g.RightKnown = d.PosB, true
		}
	}
}

// TrueObjects sets a list to the exact positions and velocities of all targets, whether they are visible or not. If
// withLines is true, it also reports the goals and the lines of the field.
func TrueObjects(env *Environment, withLines bool, into *ObjectList) {
	into.Clear()
	env.prepare()
	for i := range env.Targets {
		if t := &env.Targets[i]; t != env.Self && !t.PoseWT.Absent() {
			d := into.detect(t, 1)
			d.PosB, d.VelB = env.toB(&t.PoseWT.Pos), env.velocityB(&t.VelW)
			env.predictTouchdown(d, t.PoseWT.Pos, t.VelW, t.Shape.Radius)
		}
	}
	into.Self, into.SelfKnown = env.PoseWB, true
	if withLines {
		into.addGoals()
		env.trueLines(into)
	}
}

// detect appends a detection of a target, without position and velocity. The pointer is valid until the next call.
func (l *ObjectList) detect(t *Target, visible float64) *Detection {
	n := len(l.Detections)
	if n == cap(l.Detections) {
		l.Detections = append(l.Detections, Detection{})
	}
	l.Detections = l.Detections[:n+1]
	// set field by field, because assigning a composite literal makes an extra copy
	d := &l.Detections[n]
	d.Kind, d.Name, d.Team, d.Visible, d.VelKnown = t.Kind, t.Name, t.Team, visible, true
	d.Flying, d.TouchdownB, d.TouchdownIn = false, mgl64.Vec3{}, 0
	d.Size, d.Bottom, d.Open = t.size, t.Bottom, t.Open
	return d
}

// flyingHeight is the height of a ball's lowest point, in m, from which the ball counts as flying.
const flyingHeight = 0.03

// predictTouchdown sets where and when a flying ball lands. The ball follows a parabola without drag from the given
// position and velocity in W. For other objects, and for a ball on the floor, predictTouchdown changes nothing.
func (s *Environment) predictTouchdown(d *Detection, posW, velW mgl64.Vec3, radius float64) {
	height := posW[2] - radius
	if d.Kind != BallKind || height < flyingHeight || s.Gravity == 0 {
		return
	}
	t := (velW[2] + math.Sqrt(velW[2]*velW[2]+2*s.Gravity*height)) / s.Gravity
	down := mgl64.Vec3{posW[0] + velW[0]*t, posW[1] + velW[1]*t, radius}
	d.Flying, d.TouchdownB, d.TouchdownIn = true, s.toB(&down), time.Duration(t*float64(time.Second))
}
