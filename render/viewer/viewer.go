package viewer

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// EventKind tells events apart.
type EventKind uint8

const (
	Key    EventKind = iota // Key was pressed
	Orbit                   // the mouse was dragged with the left button
	Pan                     // with the right button
	Scroll                  // the wheel was turned, away from the hand for positive Y
)

// Event is something that a person did.
type Event struct {
	Kind EventKind
	Key  rune    // a capital letter, ' ', or Escape
	X, Y float64 // pixels, Y downwards; turns of a Scroll
}

// Escape is the key of that name.
const Escape rune = 0x1b

// Target is a body that the eye can follow.
type Target struct {
	Name string
	Body int // of the scene
}

// Viewer is the state of a window on a scene.
type Viewer struct {
	targets []Target
	cameras []string // that can be looked through

	look      mgl64.Vec3 // the point that is looked at; from the followed target's origin while there is one
	distance  float64    // from there, metres
	azimuth   float64    // where the eye stands, radians from x
	elevation float64
	followed  int // of targets, −1 for none
	through   int // of cameras, −1 for none
	insets    bool
	help      bool
	paused    bool
	steps     int
	closing   bool
}

// New looks at the middle of the field. Cameras are named ROBOT.SENSOR.
func New(targets []Target, cameras []string) *Viewer {
	v := &Viewer{targets: targets, cameras: cameras, insets: true}
	v.goBack()
	return v
}

// Distances of the eye at first, from the field's middle and from what it follows, metres.
const overview, closeUp = 16, 3

// goBack looks at the middle of the field again.
func (v *Viewer) goBack() {
	v.look, v.distance, v.azimuth, v.elevation = mgl64.Vec3{}, overview, -math.Pi/2, 0.7
	v.followed, v.through = -1, -1
}

// Limits of the eye: near enough to fill the window with a ball, far enough for the hall, never below the floor.
const (
	nearest, farthest = 0.5, 60
	lowest, highest   = 0.03, math.Pi/2 - 0.001
)

// Handle changes the state as an event asks for.
func (v *Viewer) Handle(e Event) {
	switch e.Kind {
	case Key:
		v.key(e.Key)
	case Orbit:
		v.azimuth -= e.X * 0.008
		v.elevation = mgl64.Clamp(v.elevation+e.Y*0.008, lowest, highest)
	case Pan:
		// A pixel moves the point that is looked at by what a pixel shows of it.
		s, c := math.Sincos(v.azimuth)
		k := v.distance / 700
		v.look = v.look.Add(mgl64.Vec3{s, -c, 0}.Mul(e.X * k)).Add(mgl64.Vec3{-c, -s, 0}.Mul(e.Y * k))
	case Scroll:
		v.distance = mgl64.Clamp(v.distance*math.Pow(0.88, e.Y), nearest, farthest)
	}
}

func (v *Viewer) key(k rune) {
	switch k {
	case ' ':
		v.paused = !v.paused
	case 'N':
		if v.paused {
			v.steps++
		}
	case 'F':
		v.followed++
		if v.followed == len(v.targets) {
			v.followed = -1
		}
		v.look = mgl64.Vec3{}
		v.distance = overview
		if v.followed >= 0 {
			v.distance = closeUp
		}
	case 'C':
		v.through++
		if v.through == len(v.cameras) {
			v.through = -1
		}
	case 'I':
		v.insets = !v.insets
	case 'H':
		v.help = !v.help
	case 'R':
		v.goBack()
	case 'Q', Escape:
		v.closing = true
	}
}

// Eye returns the camera of the window when it looks through no robot's.
func (v *Viewer) Eye(width, height int, posesWB []spatial.Pose) (model optics.Pinhole, poseWC spatial.Pose) {
	at := v.look
	if v.followed >= 0 {
		if b := v.targets[v.followed].Body; b < len(posesWB) {
			at = at.Add(posesWB[b].Pos)
		}
	}
	at[2] += 0.3
	sa, ca := math.Sincos(v.azimuth)
	se, ce := math.Sincos(v.elevation)
	eye := at.Add(mgl64.Vec3{ca * ce, sa * ce, se}.Mul(v.distance))
	// The body frame of the eye looks back along x.
	return optics.PinholeFromFOV(width, height, 60*spatial.Degree), spatial.RPY(eye, 0, v.elevation, v.azimuth+math.Pi).Mul(spatial.BodyToOptical())
}

// Through returns the robot's camera that is looked through, if any.
func (v *Viewer) Through() (camera string, ok bool) {
	if v.through < 0 {
		return "", false
	}
	return v.cameras[v.through], true
}

// Insets tells whether the robots' pictures are to be shown.
func (v *Viewer) Insets() bool { return v.insets }

// Paused tells whether the run is to stand still.
func (v *Viewer) Paused() bool { return v.paused }

// TakeSteps returns how many single steps were asked for since the last call.
func (v *Viewer) TakeSteps() int {
	n := v.steps
	v.steps = 0
	return n
}

// Closing tells whether the window is to be closed.
func (v *Viewer) Closing() bool { return v.closing }
