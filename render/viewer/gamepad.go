package viewer

import "math"

// Gamepad is the state of one, as GLFW's mappings of gamepads name its parts.
type Gamepad struct {
	LeftX, LeftY, RightX float64 // of the sticks, −1 to 1; Y is positive towards the user
	RightTrigger         float64 // −1 to 1; 1 is pressed
	A, X, Y, Start       bool    // buttons, as an Xbox controller's are called
}

// deadZone is how far a stick may be off its middle when nobody touches it, and pulled is where a trigger counts as
// pressed. Guesses, between what SDL and XInput take: 0.24 for the left stick, 30 of 255 for triggers.
const (
	deadZone = 0.2
	pulled   = -0.5
)

// wish is what a gamepad asks for.
type wish struct {
	forward, left, turn float64 // −1 to 1
	fast                bool
	kick, dribble       bool // pressed just now, as is what follows
	next, pause         bool
}

// asks says what a gamepad asks for, given its state before.
func (g Gamepad) asks(before Gamepad) wish {
	x, y := beyond(g.LeftX, g.LeftY)
	turn, _ := beyond(g.RightX, 0)
	return wish{
		forward: -y, left: -x, turn: -turn, fast: g.RightTrigger > pulled,
		kick: g.A && !before.A, dribble: g.X && !before.X, next: g.Y && !before.Y, pause: g.Start && !before.Start,
	}
}

// beyond returns a stick's position as 0 in the dead zone and up to 1 outside, in hundredths: a hand that keeps still
// asks for the same.
func beyond(x, y float64) (float64, float64) {
	r := math.Hypot(x, y)
	if !(r > deadZone) {
		return 0, 0
	}
	k := min(1, (r-deadZone)/(1-deadZone)) / r
	return math.Round(100*k*x) / 100, math.Round(100*k*y) / 100
}

// HandleGamepad takes the state of the gamepad that there is; the zero Gamepad, but for its trigger, if there is none.
func (v *Viewer) HandleGamepad(g Gamepad) {
	w := g.asks(v.gamepad)
	v.gamepad, v.stick = g, w
	if w.next {
		v.driveNext()
	}
	if w.dribble {
		v.dribble = !v.dribble && v.driven >= 0
	}
	if w.kick {
		v.kick = v.driven >= 0
	}
	if w.pause {
		v.paused = !v.paused
	}
}

// NoGamepad is the state of one that is not there.
var NoGamepad = Gamepad{RightTrigger: -1}
