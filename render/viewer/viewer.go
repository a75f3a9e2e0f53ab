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
	Key     EventKind = iota // the key Event.Key was pressed, or is held down and repeats
	Release                  // the key Event.Key was released, or the window lost the keyboard
	Orbit                    // the mouse moved by X, Y with the left button pressed
	Pan                      // the mouse moved by X, Y with another button pressed
	Scroll                   // the wheel turned by Y steps; positive is away from the user
)

// Event is a user's input.
type Event struct {
	Kind EventKind
	Key  rune    // a capital letter, another character, or one of the constants
	X, Y float64 // pixels, Y downwards; wheel steps for Scroll
}

// Target is a body that the window's camera can follow.
type Target struct {
	Name string
	Body int // of the scene
}

// Viewer is the state of a window that shows a scene.
type Viewer struct {
	targets []Target
	cameras []string // names of robots' cameras, whose images the window can show
	robots  []string // names of robots that the keys can drive

	// the point at the centre of the view: in W or, if a target is followed, relative to the target's origin
	focus     mgl64.Vec3
	distance  float64 // from focus, metres
	azimuth   float64 // azimuth of the camera as seen from focus, rad from the x axis
	elevation float64
	followed  int // index of the followed target in targets; −1 if none
	through   int // index in cameras of the camera whose image fills the window; −1 if none
	insets    bool
	help      bool
	paused    bool
	steps     int
	faster    int           // pending steps of speed
	seek      time.Duration // pending, in a replay
	rewind    bool
	closing   bool
	overlays  [Overlays]bool

	held    map[rune]bool // keys
	driven  int           // index in robots of the driven robot; −1 if none
	dribble bool
}

// New returns a viewer whose camera looks at the centre of the field. Robots' cameras are named ROBOT.SENSOR. The keys
// do not drive a robot yet.
func New(targets []Target, cameras, robots []string) *Viewer {
	v := &Viewer{targets: targets, cameras: cameras, robots: robots, insets: true, held: map[rune]bool{}, driven: -1}
	v.goBack()
	return v
}

// Initial distances of the camera from the centre of the field and from a followed body, metres.
const overview, closeUp = 16, 3

// goBack turns the camera back to the centre of the field.
func (v *Viewer) goBack() {
	v.focus, v.distance, v.azimuth, v.elevation = mgl64.Vec3{}, overview, -math.Pi/2, 0.7
	v.followed, v.through = -1, -1
}

// Limits of the camera. It can come near enough to fill the window with a ball, and go far enough to show the hall. It
// stays above the floor.
const (
	nearest, farthest = 0.5, 60
	lowest, highest   = 0.03, math.Pi/2 - 0.001
)

// Handle updates the state after an event.
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
		// If the mouse moves by one pixel, focus moves by the size of a pixel at focus.
		s, c := math.Sincos(v.azimuth)
		k := v.distance / 700
		v.focus = v.focus.Add(mgl64.Vec3{s, -c, 0}.Mul(e.X * k)).Add(mgl64.Vec3{-c, -s, 0}.Mul(e.Y * k))
	case Scroll:
		v.distance = mgl64.Clamp(v.distance*math.Pow(0.88, e.Y), nearest, farthest)
	}
}

// seekBy is the sim time that one key press skips in a replay.
const seekBy = 10 * time.Second

// key handles a key press. A key that is held down causes further calls, with again set.
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
	// The x axis of the camera's body frame points to focus.
	return optics.PinholeFromFOV(width, height, 60*spatial.Degree), spatial.RPY(eye, 0, v.elevation,
		v.azimuth+math.Pi).Mul(spatial.BodyToOptical())
}

// Through returns the robot's camera whose image fills the window. ok is false if there is none.
func (v *Viewer) Through() (camera string, ok bool) {
	if v.through < 0 {
		return "", false
	}
	return v.cameras[v.through], true
}

// Insets reports whether the insets of robots' cameras are shown.
func (v *Viewer) Insets() bool { return v.insets }

// Paused reports whether the user has paused the run.
func (v *Viewer) Paused() bool { return v.paused }

// SetPaused tells the viewer whether the run is paused. It is called if something other than the window's user has
// changed that.
func (v *Viewer) SetPaused(paused bool) { v.paused = paused }

// TakeFaster returns the number of steps by which the user has changed the speed since the last call. It is negative if
// the run should be slower.
func (v *Viewer) TakeFaster() int {
	n := v.faster
	v.faster = 0
	return n
}

// TakeSeek returns what the user has asked for since the last call of TakeSeek. The result by is the length of sim time
// to jump in a replay, and is negative for a jump back. If beginning is true, the user wants to start at the beginning.
func (v *Viewer) TakeSeek() (by time.Duration, beginning bool) {
	by, beginning = v.seek, v.rewind
	v.seek, v.rewind = 0, false
	return by, beginning
}

// TakeSteps returns the number of single steps that the user has requested since the last call.
func (v *Viewer) TakeSteps() int {
	n := v.steps
	v.steps = 0
	return n
}

// Closing reports whether the window should be closed.
func (v *Viewer) Closing() bool { return v.closing }

// HelpLine is a line of the window's help: keys or a movement of the mouse, and their effect.
type HelpLine struct{ Input, Does string }

// Help returns the help on keys and mouse. docs/window.md contains the same information.
func Help() []HelpLine {
	return []HelpLine{
		{"left drag", "orbit"},
		{"right drag", "pan"},
		{"wheel", "nearer, farther"},
		{"F", "follow the next robot, the ball, nothing"},
		{"C", "look through the next camera"},
		{"R", "back to the start"},
		{"I", "robots' pictures on and off"},
		{"L", "labels: names, the ball's speed and height"},
		{"X", "contacts"},
		{"B", "beams of lasers and sonars, points of lidars"},
		{"V", "fields of view of cameras"},
		{"P", "paths of scripted players"},
		{"space", "pause"},
		{"N, .", "one step while paused"},
		{"+, -", "faster, slower"},
		{"page up, down", "10 s back, forward in a replay; home: its beginning"},
		{"T", "drive the next robot, none, with:"},
		{"W S A D", "forwards, backwards, left, right; shift: faster"},
		{"arrows", "forwards, backwards, turn"},
		{"E", "dribbler on and off"},
		{"H", "this help"},
		{"Q, escape", "close"},
	}
}

// Overlay is a kind of drawing over the window's image that the user can switch on.
type Overlay uint8

const (
	Labels   Overlay = iota // names, and the ball's speed and height
	Contacts                // contact points of bodies
	Rays                    // beams of laser scanners and sonars
	Fields                  // fields of view of cameras
	Paths                   // planned paths of robots
	Overlays                // number of overlays
)

// overlayKeys are the keys that switch overlays.
var overlayKeys = map[rune]Overlay{'L': Labels, 'X': Contacts, 'B': Rays, 'V': Fields, 'P': Paths}

// Shows reports whether an overlay is switched on.
func (v *Viewer) Shows(o Overlay) bool { return v.overlays[o] }
