package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// screen is a virtual screen.
type screen struct {
	t       *testing.T
	display int
	file    string // in which Xvfb keeps the image
}

// virtualScreen starts an X server whose screen is a file.
func virtualScreen(t *testing.T) *screen {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("no Xvfb here")
	}
	dir := t.TempDir()
	read, write, err := os.Pipe()
	noError(t, err)
	defer read.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-fbdir", dir, "-nolisten", "tcp",
		"-noreset")
	x.ExtraFiles = []*os.File{write}
	noError(t, x.Start())
	t.Cleanup(func() { _ = x.Process.Signal(syscall.SIGTERM); _ = x.Wait() }) // so that it removes its socket
	write.Close()
	s := &screen{t: t, file: filepath.Join(dir, "Xvfb_screen0")}
	must(fmt.Fscan(read, &s.display))(t)
	return s
}

// launch starts omnipitch on the screen.
func (s *screen) launch(args ...string) *process {
	s.t.Helper()
	return start(s.t, "", append([]string{"env", fmt.Sprintf("DISPLAY=:%d", s.display), program(s.t)}, args...)...)
}

// shot reads the image of the screen. Its file is in xwd format: 25 big-endian words with the layout, then colours, then
// rows of blue, green, red and an unused byte.
func (s *screen) shot() (width, height int, rgb func(x, y int) [3]byte) {
	s.t.Helper()
	data := must(os.ReadFile(s.file))(s.t)
	word := func(i int) int { return int(binary.BigEndian.Uint32(data[4*i:])) }
	const header, wide, high, stride, colours = 0, 4, 5, 12, 19
	first, line := word(header)+12*word(colours), word(stride)
	return word(wide), word(high), func(x, y int) [3]byte {
		p := data[first+y*line+4*x:]
		return [3]byte{p[2], p[1], p[0]}
	}
}

// TestWindow checks that a run in a window on a virtual screen shows the field, the robots' images and the status.
func TestWindow(t *testing.T) {
	screen := virtualScreen(t)
	run := screen.launch("run", "nubot-attack", "--window", "--ros1", "off")
	green := func(c [3]byte) bool { return c[1] > 80 && c[1] > c[0]+30 && c[1] > c[2]+30 }
	run.await("the field, and the robots' pictures before it", func() bool {
		width, height, rgb := screen.shot()
		field, dark, white := 0, 0, 0
		for y := 0; y < min(height, 720); y += 4 {
			for x := 0; x < min(width, 960); x += 4 {
				switch c := rgb(x, y); {
				case green(c):
					field++
				case x < 208 && y > 510 && c[1] < 40:
					dark++ // around the mirror, in the first inset
				case y > 200 && c[0] > 190 && c[1] > 190 && c[2] > 190:
					white++ // field lines
				}
			}
		}
		return field > 15000 && dark > 300 && white > 200
	})
	run.signal(syscall.SIGINT)
	run.wantExit(console.ExitDone, "real-time factor")
}

// TestNoDisplay checks the exit code and the sentence of --window without a usable display.
func TestNoDisplay(t *testing.T) {
	for _, c := range []struct{ display, wayland, want string }{
		{"", "", "--window: no display: DISPLAY is not set"},
		{"", "wayland-0", "--window: no display: DISPLAY is not set; on Wayland the window needs Xwayland, which " +
			"sets it"},
		// only GLFW looks for this display
		{"127.0.0.1:7654", "", "--window: no display: PlatformError: X11: Failed to open display 127.0.0.1:7654"},
		{":7654", "", "--window: no display: nothing answers at DISPLAY = :7654"},
	} {
		run := start(t, "", "env", "DISPLAY="+c.display, "WAYLAND_DISPLAY="+c.wayland, program(t), "run",
			"nubot-attack",
			"--window", "--ros1", "off")
		if code, text := run.exitCode(), run.stderr(); code != console.ExitUnavailable ||
			text != "omnipitch: "+c.want+"\n" {
			t.Errorf("DISPLAY=%q: exit code %d, %q, want %d and %q", c.display, code, text, console.ExitUnavailable,
				c.want)
		}
	}
}
