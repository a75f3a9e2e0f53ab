package abstraction

import (
	"math"
	"slices"
	"strings"
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
	// Goals and lines, where the configuration asks for them.
	Goals     []GoalObject
	Lines     []LineObject
	Crossings []CrossingObject
	Circles   []mgl64.Vec2 // middles, in the robot's axes
}

// GoalObject is a goal of which at least one post was detected: the feet of its posts in the robot's axes, left and right as seen from
// the field.
type GoalObject struct {
	Name                  string // goal_minus, goal_plus: by its end of the field
	LeftB, RightB         mgl64.Vec3
	LeftKnown, RightKnown bool
}

// LineObject is a straight stretch of a line in the robot's axes, metres.
type LineObject struct {
	StartB, EndB mgl64.Vec2
	Confidence   float64 // share of the line that it is
}

// CrossingObject is where lines cross, in the robot's axes, metres.
type CrossingObject struct {
	AtB  mgl64.Vec2
	Kind CrossingKind
}

// clear empties the list and keeps its memory.
func (l *ObjectList) clear() {
	l.Detections, l.Goals, l.Lines = l.Detections[:0], l.Goals[:0], l.Lines[:0]
	l.Crossings, l.Circles = l.Crossings[:0], l.Circles[:0]
	l.SelfKnown = false
}

// addGoals makes goals of the posts among the detections.
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

// TrueObjects reports everything, exactly, visible or not; with lines also goals and the field's lines.
func TrueObjects(env *Environment, lines bool, into *ObjectList) {
	into.clear()
	env.prepare()
	for i := range env.Targets {
		if t := &env.Targets[i]; t != env.Self {
			d := into.detect(t, 1)
			d.PosB, d.VelB = env.toB(&t.PoseWT.Pos), env.velocityB(&t.VelW)
			env.predictTouchdown(d, t.PoseWT.Pos, t.VelW, t.Shape.Radius)
		}
	}
	into.Self, into.SelfKnown = env.PoseWB, true
	if lines {
		into.addGoals()
		env.trueLines(into)
	}
}

// detect adds a detection of a target, whose place and velocity are to be filled in. It is valid until the next.
func (l *ObjectList) detect(t *Target, visible float64) *Detection {
	n := len(l.Detections)
	if n == cap(l.Detections) {
		l.Detections = append(l.Detections, Detection{})
	}
	l.Detections = l.Detections[:n+1]
	// Field by field: a whole one would be made elsewhere, and copied.
	d := &l.Detections[n]
	d.Kind, d.Name, d.Team, d.Visible, d.VelKnown = t.Kind, t.Name, t.Team, visible, true
	d.Flying, d.TouchdownB, d.TouchdownIn = false, mgl64.Vec3{}, 0
	return d
}

// flyingHeight is how high over the floor a ball is at least, metres, for it to be said to fly.
const flyingHeight = 0.03

// predictTouchdown says where a ball at a place, W, with a velocity comes down, by the parabola without air.
func (s *Environment) predictTouchdown(d *Detection, posW, velW mgl64.Vec3, radius float64) {
	height := posW[2] - radius
	if d.Kind != BallKind || height < flyingHeight || s.Gravity == 0 {
		return
	}
	t := (velW[2] + math.Sqrt(velW[2]*velW[2]+2*s.Gravity*height)) / s.Gravity
	down := mgl64.Vec3{posW[0] + velW[0]*t, posW[1] + velW[1]*t, radius}
	d.Flying, d.TouchdownB, d.TouchdownIn = true, s.toB(&down), time.Duration(t*float64(time.Second))
}
