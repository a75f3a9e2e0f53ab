package viewer

// HelpLine is a line of the window's help: keys or a movement of the mouse, and their effect.
type HelpLine struct{ Input, Does string }

// Help returns the lines of the help on keys and mouse, which say the same as docs/window.md.
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
		{"B", "beams of lasers and sonars"},
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
