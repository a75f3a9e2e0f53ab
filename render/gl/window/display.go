package window

import (
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"strings"
)

// quietly calls GLFW, whose Go bindings log what the platform refuses instead of returning it, and returns what they would have logged.
func quietly(call func() error) (logged string, err error) {
	var text strings.Builder
	flags, to := log.Flags(), log.Writer()
	log.SetFlags(0)
	log.SetOutput(&text)
	defer func() {
		log.SetFlags(flags)
		log.SetOutput(to)
	}()
	err = call()
	return strings.TrimSpace(text.String()), err
}

// reach fails when there is surely no display: GLFW itself would only log that, and panic at the next call. Where it
// has called at a server, release hangs up, which must come after GLFW has called: a server that its last client leaves
// starts anew, and answers nobody meanwhile.
func reach() (release func(), err error) {
	release = func() {}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return release, nil
	}
	display := os.Getenv("DISPLAY") // on Wayland too: GLFW is built for X11
	if display == "" && os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set; on Wayland the window needs Xwayland, which sets it", ErrNoDisplay)
	}
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
