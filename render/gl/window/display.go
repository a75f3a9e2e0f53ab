package window

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
)

// reach fails when there is surely no display: GLFW itself would only log that, and panic at the next call. Where it
// has called at a server, release hangs up, which must come after GLFW has called: a server that its last client leaves
// starts anew, and answers nobody meanwhile.
func reach() (release func(), err error) {
	release = func() {}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" || os.Getenv("WAYLAND_DISPLAY") != "" {
		return release, nil
	}
	display := os.Getenv("DISPLAY")
	if display == "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set", ErrNoDisplay)
	}
	number, local := strings.CutPrefix(strings.TrimPrefix(display, "unix"), ":")
	if !local {
		return release, nil // on another machine
	}
	number, _, _ = strings.Cut(number, ".")
	socket := "/tmp/.X11-unix/X" + number
	for _, name := range []string{socket, "@" + socket} {
		if c, err := net.Dial("unix", name); err == nil {
			return func() { c.Close() }, nil
		}
	}
	return nil, fmt.Errorf("%w: nothing answers at DISPLAY = %s", ErrNoDisplay, display)
}
