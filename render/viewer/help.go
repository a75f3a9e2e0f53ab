package viewer

// HelpLine is a line of the window's help: keys, or what the hand does, and what that does in turn.
type HelpLine struct{ Hand, Does string }

// Help describes what hands can do, as docs/window.md does.
func Help() []HelpLine {
	return []HelpLine{
		{"left drag", "a robot, the ball, an obstacle: put it there; else orbit"},
		{"shift, left drag", "kick the ball, turn others"},
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
		{"E, enter", "dribbler on and off, kick"},
		{"gamepad", "Y: drive the next robot, none, with sticks; right trigger: faster"},
		{"gamepad X, A", "dribbler on and off, kick; start: pause"},
		{"H", "this help"},
		{"Q, escape", "close; escape lets go of what is dragged"},
	}
}
