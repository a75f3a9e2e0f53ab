package window

import (
	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/omnipitch/omnipitch/render/viewer"
)

// Gamepad returns the state of the first gamepad that GLFW knows a mapping for, as it was when Events was called last;
// viewer.NoGamepad if there is none.
func (w *Window) Gamepad() viewer.Gamepad {
	for j := glfw.Joystick1; j <= glfw.JoystickLast; j++ {
		if !j.Present() || !j.IsGamepad() {
			continue
		}
		s := j.GetGamepadState()
		if s == nil { // it has been unplugged
			continue
		}
		pressed := func(b glfw.GamepadButton) bool { return s.Buttons[b] == glfw.Press }
		return viewer.Gamepad{
			LeftX: float64(s.Axes[glfw.AxisLeftX]), LeftY: float64(s.Axes[glfw.AxisLeftY]),
			RightX:       float64(s.Axes[glfw.AxisRightX]),
			RightTrigger: float64(s.Axes[glfw.AxisRightTrigger]),
			A:            pressed(glfw.ButtonA), X: pressed(glfw.ButtonX), Y: pressed(glfw.ButtonY),
			Start: pressed(glfw.ButtonStart),
		}
	}
	return viewer.NoGamepad
}
