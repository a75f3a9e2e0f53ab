package window

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
)

// reach fails when there is surely no display. GLFW itself would only log that, and panic at the next call.
func reach() error {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil
	}
	display := os.Getenv("DISPLAY")
	if display == "" {
		return fmt.Errorf("%w: DISPLAY is not set", ErrNoDisplay)
	}
	number, local := strings.CutPrefix(strings.TrimPrefix(display, "unix"), ":")
	if !local {
		return nil // on another machine
	}
	number, _, _ = strings.Cut(number, ".")
	socket := "/tmp/.X11-unix/X" + number
	for _, name := range []string{socket, "@" + socket} {
		if c, err := net.Dial("unix", name); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("%w: nothing answers at DISPLAY = %s", ErrNoDisplay, display)
}
