package physics

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// MotionState is what a robot does with its joints. It is always Controllable or Walking for a robot without legs and
// without animations.
type MotionState uint8

const (
	Controllable MotionState = iota // stands, and obeys all commands
	Walking                         // moves over the floor
	Falling                         // the motion control has noticed a fall, and the motors are off
	Fallen                          // lies still
	GettingUp                       // the motion control plays an animation that gets the robot up
	Animating                       // plays an animation that was asked for
	Kicking                         // plays the animation of a kick
)

// motionNames are the names of the states in world files and messages.
var motionNames = [...]string{"controllable", "walking", "falling", "fallen", "getting_up", "animation", "kicking"}

// String returns the state's name in world files.
func (m MotionState) String() string {
	if int(m) < len(motionNames) {
		return motionNames[m]
	}
	return fmt.Sprintf("MotionState(%d)", uint8(m))
}

// MotionStateOf returns the state with a name. The bool result is false if there is none.
func MotionStateOf(name string) (MotionState, bool) {
	i := slices.Index(motionNames[:], name)
	return MotionState(max(i, 0)), i >= 0
}

// Free reports whether a robot in this state obeys commands of its velocity.
func (m MotionState) Free() bool { return m <= Walking }

// MotionControl is how a robot with legs handles falls and kicks. Its texts are names of animations of the robot; an
// empty one means that the robot cannot do this.
type MotionControl struct {
	HandleFalls bool    `toml:"handle_falls" doc:"whether the robot switches its motors off while it falls, and gets up; false leaves both to a program that commands its joints"`
	FallTilt    float64 `toml:"fall_tilt_deg" range:"[10, 80]" doc:"angle between the trunk and the vertical from which the robot is falling"`
	GetUpFront  string  `toml:"get_up_front" doc:"animation that gets the robot up if it lies on its front"`
	GetUpBack   string  `toml:"get_up_back" doc:"animation that gets the robot up if it lies on its back"`
	GetUpSide   string  `toml:"get_up_side" doc:"animation that turns a robot that lies on a side to its front or back; left out, the nearer of the other two"`
	KickLeft    string  `toml:"kick_left" doc:"animation of a kick with the left foot, which the robot plays when it kicks a ball to the left of its middle"`
	KickRight   string  `toml:"kick_right" doc:"animation of a kick with the right foot"`
}

// SetDefaults lets robots handle falls.
func (m *MotionControl) SetDefaults() {
	m.HandleFalls = true
	m.FallTilt = 45 * math.Pi / 180 // guess: about where robots of the humanoid league give up balancing
}

// Names returns the keys of the animations that the motion control uses, and their names. Empty names are left out.
func (m *MotionControl) Names() (keys, names []string) {
	for _, f := range [...][2]string{{"get_up_front", m.GetUpFront}, {"get_up_back", m.GetUpBack},
		{"get_up_side", m.GetUpSide}, {"kick_left", m.KickLeft}, {"kick_right", m.KickRight}} {
		if f[1] != "" {
			keys, names = append(keys, f[0]), append(names, f[1])
		}
	}
	return keys, names
}

// Animation is a motion of a robot's joints through key frames.
type Animation struct {
	Name    string
	Hermite bool // joints move along cubic Hermite polynomials; otherwise evenly
	Frames  []KeyFrame
}

// KeyFrame is a posture of an animation. Joints without a goal in it are on their way to their next one.
type KeyFrame struct {
	Duration time.Duration // time to get there
	Pause    time.Duration // time to rest there
	Goals    []JointGoal
}

// JointGoal is the position of a joint, in rad or m.
type JointGoal struct {
	Joint    int // index in Robot.Joints
	Position float64
}

// Limits of animations. They are guesses, far above what teams use.
const (
	MaxAnimations = 64
	MaxKeyFrames  = 200
	MaxKeyTime    = 100 * time.Second // of a key frame's duration, and of its pause
	minKeyTime    = time.Millisecond  // of a duration
)

// Animation returns the index of the animation with a name, or −1.
func (r *Robot) Animation(name string) int {
	return slices.IndexFunc(r.Animations, func(a Animation) bool { return a.Name == name })
}

// Length returns how long the animation takes.
func (a *Animation) Length() (d time.Duration) {
	for i := range a.Frames {
		d += a.Frames[i].Duration + a.Frames[i].Pause
	}
	return d
}

// Check returns an error if a robot cannot play the animation.
func (a *Animation) Check(r *Robot) error {
	if n := len(a.Frames); n == 0 || n > MaxKeyFrames {
		return fmt.Errorf("animation %s has %d key frames: must have 1 to %d", a.Name, n, MaxKeyFrames)
	}
	for i := range a.Frames {
		f := &a.Frames[i]
		if f.Duration < minKeyTime || f.Duration > MaxKeyTime || f.Pause < 0 || f.Pause > MaxKeyTime {
			return fmt.Errorf("animation %s: key frame %d takes %v and pauses for %v: must be %v to %v, and 0 to %v",
				a.Name, i, f.Duration, f.Pause, minKeyTime, MaxKeyTime, MaxKeyTime)
		}
		given := map[int]bool{}
		for _, g := range f.Goals {
			if g.Joint < 0 || g.Joint >= len(r.Joints) || given[g.Joint] {
				return fmt.Errorf("animation %s: key frame %d: joint %d: must be another joint of the robot", a.Name, i, g.Joint)
			}
			given[g.Joint] = true
			if err := r.Joints[g.Joint].Check(&JointTarget{Mode: JointPosition, Value: g.Position}); err != nil {
				return fmt.Errorf("animation %s: key frame %d: joint %s %w", a.Name, i, r.Joints[g.Joint].Name, err)
			}
		}
	}
	return nil
}

// validateMotion returns an error for animations that the robot cannot play, or that its motion control lacks.
func (r *Robot) validateMotion() error {
	if len(r.Animations) > MaxAnimations {
		return fmt.Errorf("has %d animations: must have at most %d", len(r.Animations), MaxAnimations)
	}
	for i := range r.Animations {
		a := &r.Animations[i]
		if r.Animation(a.Name) != i {
			return fmt.Errorf("has two animations named %q: names must differ", a.Name)
		}
		if err := a.Check(r); err != nil {
			return err
		}
	}
	if r.Motion == nil {
		return nil
	}
	keys, names := r.Motion.Names()
	for i, name := range names {
		if r.Animation(name) < 0 {
			return fmt.Errorf("motion: %s = %q: the robot has no such animation", keys[i], name)
		}
	}
	if tilt := r.Motion.FallTilt; r.Motion.HandleFalls && !(tilt > 0 && tilt < math.Pi/2) {
		return fmt.Errorf("motion: fall tilt = %v: must lie in (0, π/2)", tilt)
	}
	return nil
}

// Path returns the paths on which the animation moves joints, in the order of the joints. The argument states is the
// present motion of all joints of the robot.
func (a *Animation) Path(states []JointState) (joints []int, to []JointTarget) {
	for joint := range states {
		path := a.path(joint, states[joint].Position)
		if path == nil {
			continue
		}
		joints, to = append(joints, joint), append(to, JointTarget{Mode: JointPath, Path: path})
	}
	return joints, to
}

// path returns the path of a joint from its present position, or nil if the animation does not move it.
func (a *Animation) path(joint int, from float64) (path []JointPoint) {
	at := time.Duration(0)
	for i := range a.Frames {
		f := &a.Frames[i]
		at += f.Duration
		for _, g := range f.Goals {
			if g.Joint != joint {
				continue
			}
			path = append(path, JointPoint{At: at, Position: g.Position, Even: !a.Hermite})
			if f.Pause > 0 {
				path = append(path, JointPoint{At: at + f.Pause, Position: g.Position, Even: true})
			}
		}
		at += f.Pause
	}
	for i := 0; a.Hermite && i+1 < len(path); i++ {
		before := JointPoint{Position: from}
		if i > 0 {
			before = path[i-1]
		}
		// a Catmull-Rom spline that rests where the joint turns back, so that it does not go beyond its goals
		if to, next := &path[i], &path[i+1]; (to.Position-before.Position)*(next.Position-to.Position) > 0 {
			to.Velocity = (next.Position - before.Position) / (next.At - before.At).Seconds()
		}
	}
	return path
}
