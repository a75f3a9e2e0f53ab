package viewer

// Keys besides letters.
const (
	Escape   rune = 0x1b
	Enter    rune = '\r'
	Left     rune = '←'
	Right    rune = '→'
	Up       rune = '↑'
	Down     rune = '↓'
	Shift    rune = '⇧'
	PageUp   rune = '⇞'
	PageDown rune = '⇟'
	Home     rune = '⇱'
)

// Steering is what keys and gamepad ask of the robot that they drive.
type Steering struct {
	Robot               string  // "" for none
	Forward, Left, Turn float64 // −1 to 1; Turn is anticlockwise
	Fast                bool
	Dribble             bool
}

// Steering returns what the keys that are held down and the gamepad ask for, together.
func (v *Viewer) Steering() Steering {
	if v.driven < 0 {
		return Steering{}
	}
	pressed := func(keys ...rune) float64 {
		for _, k := range keys {
			if v.held[k] {
				return 1
			}
		}
		return 0
	}
	both := func(keys, stick float64) float64 { return max(-1, min(1, keys+stick)) }
	return Steering{
		Robot: v.robots[v.driven], Fast: v.held[Shift] || v.stick.fast, Dribble: v.dribble,
		Forward: both(pressed('W', Up)-pressed('S', Down), v.stick.forward), Left: both(pressed('A')-pressed('D'),
			v.stick.left),
		Turn: both(pressed(Left)-pressed(Right), v.stick.turn),
	}
}

// TakeKick tells whether the user has asked for a kick since the last call.
func (v *Viewer) TakeKick() bool {
	kick := v.kick
	v.kick = false
	return kick
}

// drive changes what the robot is asked for that the keys drive. A key that is held down comes again and again; again
// says so.
func (v *Viewer) drive(k rune, again bool) {
	if again {
		return
	}
	switch k {
	case 'T':
		v.driveNext()
	case 'E':
		v.dribble = !v.dribble && v.driven >= 0
	case Enter:
		v.kick = v.driven >= 0
	}
}

// driveNext drives the next robot, or none after the last.
func (v *Viewer) driveNext() {
	if v.driven++; v.driven == len(v.robots) {
		v.driven = -1
	}
	v.dribble = false
}
