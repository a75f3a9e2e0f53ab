package window

import (
	"fmt"
	"log"
	"net"
	"os"
	"runtime"
	"strings"
)

// captureLog calls GLFW and returns what GLFW's Go bindings logged: they log some errors instead of returning them.
func captureLog(call func() error) (logged string, err error) {
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

// connect fails if there is certainly no display: GLFW itself would only log that, and panic at the next call. The
// returned function release closes the connection to the display server. Call release only after GLFW has connected,
// because a server restarts when its last client disconnects, and refuses connections meanwhile.
func connect() (release func(), err error) {
	release = func() {}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return release, nil
	}
	display := os.Getenv("DISPLAY") // on Wayland too: GLFW is built for X11
	if display == "" && os.Getenv("WAYLAND_DISPLAY") != "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set; on Wayland the window needs Xwayland, which sets it",
			ErrNoDisplay)
	}
	if display == "" {
		return nil, fmt.Errorf("%w: DISPLAY is not set", ErrNoDisplay)
	}
	number, local := strings.CutPrefix(strings.TrimPrefix(display, "unix"), ":")
	if !local {
		return release, nil // the display is on another machine
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
