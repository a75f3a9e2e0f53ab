package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// screenshot reads the image of a virtual screen, which Xvfb keeps in a file in xwd format. The file has 25 big-endian
// words with the layout, then colours, then rows of blue, green, red and an unused byte.
func screenshot(t *testing.T, path string) (width, height int, rgb func(x, y int) [3]byte) {
	t.Helper()
	data := must(os.ReadFile(path))(t)
	word := func(i int) int { return int(binary.BigEndian.Uint32(data[4*i:])) }
	const header, wide, high, stride, colours = 0, 4, 5, 12, 19
	first, line := word(header)+12*word(colours), word(stride)
	return word(wide), word(high), func(x, y int) [3]byte {
		p := data[first+y*line+4*x:]
		return [3]byte{p[2], p[1], p[0]}
	}
}

// virtualScreen starts an X server whose screen is a file in a folder.
func virtualScreen(t *testing.T) (display int, dir string) {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("no Xvfb here")
	}
	dir = t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-fbdir", dir, "-nolisten", "tcp",
		"-noreset")
	x.ExtraFiles = []*os.File{write}
	noError(t, x.Start())
	t.Cleanup(func() { _ = x.Process.Signal(syscall.SIGTERM); _ = x.Wait() }) // so that it removes its socket
	write.Close()
	if _, err := fmt.Fscan(read, &display); err != nil {
		t.Fatalf("Xvfb tells no display: %v", err)
	}
	return display, dir
}

// TestWindow checks that a run in a window on a virtual screen shows the field, the robots' images and the status.
func TestWindow(t *testing.T) {
	display, dir := virtualScreen(t)
	run := exec.Command(program(t), "run", "nubot-attack", "--window", "--ros1", "off")
	run.Env = append(os.Environ(), fmt.Sprintf("DISPLAY=:%d", display))
	var said strings.Builder
	run.Stdout, run.Stderr = &said, &said
	noError(t, run.Start())
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	defer func() { _ = run.Process.Kill() }()
	green := func(c [3]byte) bool { return c[1] > 80 && c[1] > c[0]+30 && c[1] > c[2]+30 }
	until(t, "the field, and the robots' pictures before it", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("ended: %v\n%s", err, said.String())
		default:
		}
		width, height, rgb := screenshot(t, filepath.Join(dir, "Xvfb_screen0"))
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
	noError(t, run.Process.Signal(syscall.SIGINT))
	select {
	case err := <-ended:
		if err != nil || !strings.Contains(said.String(), "real-time factor") {
			t.Errorf("ended with %v:\n%s", err, said.String())
		}
	case <-time.After(deadline):
		t.Error("does not end on SIGINT")
	}
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
		run := exec.Command(program(t), "run", "nubot-attack", "--window", "--ros1", "off")
		run.Env = append(os.Environ(), "DISPLAY="+c.display, "WAYLAND_DISPLAY="+c.wayland)
		out, err := run.CombinedOutput()
		if run.ProcessState.ExitCode() != console.ExitUnavailable ||
			strings.TrimSpace(string(out)) != "omnipitch: "+c.want {
			t.Errorf("DISPLAY=%q: %v, %q, want exit code 3 and %q", c.display, err, out, c.want)
		}
	}
}
