package viewer

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// EventKind is a kind of event.
type EventKind uint8

const (
	Key     EventKind = iota // Key was pressed, or is held down
	Release                  // Key was released, or the window is no longer the one that gets the keys
	Orbit                    // the mouse was moved with the left button pressed, by X, Y
	Pan                      // with another
	Scroll                   // the wheel was turned, away from the user for positive Y
)

// Event is a user's input.
type Event struct {
	Kind EventKind
	Key  rune    // a capital letter, a sign as it is written, or one of the constants
	X, Y float64 // pixels, Y downwards; of a Scroll steps of the wheel
}

// Target is a body that the window's camera can follow.
type Target struct {
	Name string
	Body int // of the scene
}

// Viewer is the state of a window on a scene.
type Viewer struct {
	targets []Target
	cameras []string // of robots, whose images the window can show
	robots  []string // that the keys can drive

	// the point that the camera looks at, W; relative to the followed target's origin if there is one
	focus     mgl64.Vec3
	distance  float64 // from there, metres
	azimuth   float64 // of the camera from that point, rad from x
	elevation float64
	followed  int // of targets, −1 for none
	through   int // of cameras, −1 for none
	insets    bool
	help      bool
	paused    bool
	steps     int
	faster    int           // steps of speed
	seek      time.Duration // in a replay
	rewind    bool
	closing   bool
	overlays  [Overlays]bool

	held    map[rune]bool // keys
	driven  int           // of robots, −1 for none
	dribble bool
}

// New returns a viewer of the middle of the field. Cameras are named ROBOT.SENSOR. The keys drive none of the robots
// yet.
func New(targets []Target, cameras, robots []string) *Viewer {
	v := &Viewer{targets: targets, cameras: cameras, robots: robots, insets: true, held: map[rune]bool{}, driven: -1}
	v.goBack()
	return v
}

// Distances of the camera at the start, from the field's middle and from the followed body, metres.
const overview, closeUp = 16, 3

// goBack resets the camera to the middle of the field.
func (v *Viewer) goBack() {
	v.focus, v.distance, v.azimuth, v.elevation = mgl64.Vec3{}, overview, -math.Pi/2, 0.7
	v.followed, v.through = -1, -1
}

// Limits of the camera: near enough to fill the window with a ball, far enough for the hall, never below the floor.
const (
	nearest, farthest = 0.5, 60
	lowest, highest   = 0.03, math.Pi/2 - 0.001
)

// Handle changes the state by an event.
func (v *Viewer) Handle(e Event) {
	switch e.Kind {
	case Key:
		again := v.held[e.Key]
		v.drive(e.Key, again)
		v.held[e.Key] = true
		v.key(e.Key, again)
	case Release:
		delete(v.held, e.Key)
	case Orbit:
		v.azimuth -= e.X * 0.008
		v.elevation = mgl64.Clamp(v.elevation+e.Y*0.008, lowest, highest)
	case Pan:
		// A pixel moves the point that the camera looks at by the size of a pixel there.
		s, c := math.Sincos(v.azimuth)
		k := v.distance / 700
		v.focus = v.focus.Add(mgl64.Vec3{s, -c, 0}.Mul(e.X * k)).Add(mgl64.Vec3{-c, -s, 0}.Mul(e.Y * k))
	case Scroll:
		v.distance = mgl64.Clamp(v.distance*math.Pow(0.88, e.Y), nearest, farthest)
	}
}

// seekBy is how far a key goes in a replay.
const seekBy = 10 * time.Second

// key does what a key asks for. A key that is held down comes again and again; again says so.
func (v *Viewer) key(k rune, again bool) {
	if o, ok := overlayKeys[k]; ok && !again {
		v.overlays[o] = !v.overlays[o]
	}
	switch k {
	case ' ':
		if !again {
			v.paused = !v.paused
		}
	case '+':
		v.faster++
	case '-':
		v.faster--
	case PageUp:
		v.seek -= seekBy
	case PageDown:
		v.seek += seekBy
	case Home:
		v.rewind = true
	case 'N', '.':
		if v.paused {
			v.steps++
		}
	case 'F':
		v.followed++
		if v.followed == len(v.targets) {
			v.followed = -1
		}
		v.focus = mgl64.Vec3{}
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

// Camera returns the model and the pose of the window's own camera.
func (v *Viewer) Camera(width, height int, posesWB []spatial.Pose) (model optics.Pinhole, poseWC spatial.Pose) {
	at := v.focus
	if v.followed >= 0 {
		if b := v.targets[v.followed].Body; b < len(posesWB) {
			at = at.Add(posesWB[b].Pos)
		}
	}
	at[2] += 0.3
	sa, ca := math.Sincos(v.azimuth)
	se, ce := math.Sincos(v.elevation)
	eye := at.Add(mgl64.Vec3{ca * ce, sa * ce, se}.Mul(v.distance))
	// The camera's body frame has x towards the point that it looks at.
	return optics.PinholeFromFOV(width, height, 60*spatial.Degree), spatial.RPY(eye, 0, v.elevation,
		v.azimuth+math.Pi).Mul(spatial.BodyToOptical())
}

// Through returns the robot's camera whose image the window shows, if any.
func (v *Viewer) Through() (camera string, ok bool) {
	if v.through < 0 {
		return "", false
	}
	return v.cameras[v.through], true
}

// Insets tells whether the images of robots' cameras are shown.
func (v *Viewer) Insets() bool { return v.insets }

// Paused tells whether the run is to pause.
func (v *Viewer) Paused() bool { return v.paused }

// SetPaused tells the viewer that the run pauses, or goes on, though the user of the window has not asked for it.
func (v *Viewer) SetPaused(paused bool) { v.paused = paused }

// TakeFaster returns by how many steps of speed the run is to go faster since the last call; less than 0 is slower.
func (v *Viewer) TakeFaster() int {
	n := v.faster
	v.faster = 0
	return n
}

// TakeSeek returns by how much a replay is to go on, less than 0 is back, or whether it is to go to its beginning,
// since the last call.
func (v *Viewer) TakeSeek() (by time.Duration, beginning bool) {
	by, beginning = v.seek, v.rewind
	v.seek, v.rewind = 0, false
	return by, beginning
}

// TakeSteps returns the number of single steps that the user has asked for since the last call.
func (v *Viewer) TakeSteps() int {
	n := v.steps
	v.steps = 0
	return n
}

// Closing tells whether the window is to be closed.
func (v *Viewer) Closing() bool { return v.closing }
