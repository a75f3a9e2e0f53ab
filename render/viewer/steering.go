package viewer

// Keys besides letters.
const (
	Escape   rune = 0x1b
	Left     rune = '←'
	Right    rune = '→'
	Up       rune = '↑'
	Down     rune = '↓'
	Shift    rune = '⇧'
	PageUp   rune = '⇞'
	PageDown rune = '⇟'
	Home     rune = '⇱'
)

// Steering says which robot the keys drive, and what they ask of the robot.
type Steering struct {
	Robot               string  // "" for none
	Forward, Left, Turn float64 // −1 to 1; Turn is anticlockwise
	Fast                bool
	Dribble             bool
}

// Steering returns what the pressed keys ask for.
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
	return Steering{
		Robot: v.robots[v.driven], Fast: v.held[Shift], Dribble: v.dribble,
		Forward: pressed('W', Up) - pressed('S', Down), Left: pressed('A') - pressed('D'),
		Turn: pressed(Left) - pressed(Right),
	}
}

// drive handles a key that drives the robot: it changes which robot is driven, or what the robot is asked to do. A key
// that is held down causes further calls, with again set.
func (v *Viewer) drive(k rune, again bool) {
	if again {
		return
	}
	switch k {
	case 'T':
		if v.driven++; v.driven == len(v.robots) {
			v.driven = -1
		}
		v.dribble = false
	case 'E':
		v.dribble = !v.dribble && v.driven >= 0
	}
}
