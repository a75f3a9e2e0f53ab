package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/must"
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
	must.Do(t, err)
	defer read.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-fbdir", dir, "-nolisten", "tcp",
		"-noreset")
	x.ExtraFiles = []*os.File{write}
	must.Do(t, x.Start())
	t.Cleanup(func() { _ = x.Process.Signal(syscall.SIGTERM); _ = x.Wait() }) // so that it removes its socket
	write.Close()
	s := &screen{t: t, file: filepath.Join(dir, "Xvfb_screen0")}
	must.Get(fmt.Fscan(read, &s.display))(t)
	return s
}

// launch starts omnipitch on the screen.
func (s *screen) launch(args ...string) *process {
	s.t.Helper()
	return start(s.t, "", append([]string{"env", fmt.Sprintf("DISPLAY=:%d", s.display), program(s.t)}, args...)...)
}

// shot reads the image of the screen. Its file is in xwd format: 25 big-endian words with the layout, then colours,
// then rows of blue, green, red and an unused byte.
func (s *screen) shot() (width, height int, rgb func(x, y int) [3]byte) {
	s.t.Helper()
	data := must.Get(os.ReadFile(s.file))(s.t)
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

// keyboard presses keys of an X server through its extension XTEST, and sets the window that has the focus. Source: X11
// protocol, little-endian, and X11 Record and Test extensions: XTEST, 2.2.
type keyboard struct {
	t     *testing.T
	conn  net.Conn
	root  uint32
	xtest byte // opcode of the extension
}

// Key codes of Xvfb, which are those of a PC keyboard.
const (
	keyT, keyW, keyE, keyEnter = 28, 25, 26, 36
)

func openKeyboard(t *testing.T, display int) *keyboard {
	t.Helper()
	conn := must.Get(net.Dial("unix", fmt.Sprintf("/tmp/.X11-unix/X%d", display)))(t)
	t.Cleanup(func() { conn.Close() })
	k := &keyboard{t: t, conn: conn}
	k.send([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	head := k.read(8)
	if head[0] != 1 {
		t.Fatalf("X refuses the connection: %q", head)
	}
	setup := k.read(4 * int(binary.LittleEndian.Uint16(head[6:])))
	vendor, formats := int(binary.LittleEndian.Uint16(setup[16:])), int(setup[21])
	k.root = binary.LittleEndian.Uint32(setup[32+(vendor+3)/4*4+8*formats:])
	const name = "XTEST"
	reply := k.ask(append([]byte{98, 0, 4, 0, byte(len(name)), 0, 0, 0}, name+"\x00\x00\x00"...))
	if reply[8] == 0 {
		t.Fatal("this X server has no extension XTEST, which Xvfb has")
	}
	k.xtest = reply[9]
	return k
}

func (k *keyboard) send(request []byte) {
	k.t.Helper()
	must.Get(k.conn.Write(request))(k.t)
}

func (k *keyboard) read(n int) []byte {
	k.t.Helper()
	data := make([]byte, n)
	must.Get(io.ReadFull(k.conn, data))(k.t)
	return data
}

// ask sends a request and returns its reply.
func (k *keyboard) ask(request []byte) []byte {
	k.t.Helper()
	k.send(request)
	const failure, answer = 0, 1
	reply := k.read(32)
	for reply[0] > answer { // an event, for example on the first use of another keyboard
		reply = k.read(32)
	}
	if reply[0] == failure {
		k.t.Fatalf("X replies %v", reply)
	}
	return append(reply, k.read(4*int(binary.LittleEndian.Uint32(reply[4:])))...)
}

// window returns the newest top-level window of the screen, or 0 for none.
func (k *keyboard) window() uint32 {
	tree := k.ask(binary.LittleEndian.AppendUint32([]byte{15, 0, 2, 0}, k.root)) // QueryTree
	n := int(binary.LittleEndian.Uint16(tree[16:]))
	if n == 0 {
		return 0
	}
	return binary.LittleEndian.Uint32(tree[32+4*(n-1):])
}

// focus gives a window the keyboard focus. 0 is no window.
func (k *keyboard) focus(window uint32) {
	request := binary.LittleEndian.AppendUint32([]byte{42, 0, 3, 0}, window) // SetInputFocus
	k.send(append(request, 0, 0, 0, 0))
}

func (k *keyboard) press(code byte)   { k.fake(2, code) } // KeyPress
func (k *keyboard) release(code byte) { k.fake(3, code) } // KeyRelease

func (k *keyboard) fake(event, code byte) {
	request := make([]byte, 36)
	request[0], request[1], request[2], request[4], request[5] = k.xtest, 2, 9, event, code // FakeInput
	k.send(request)
}

func (k *keyboard) tap(code byte) { k.press(code); k.release(code) }

// lastTruth returns the positions and speeds of the robot and the ball in the last complete line of a run's truth.
func lastTruth(t *testing.T, out string) (robotX, robotSpeed, ballX, ballSpeed float64) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(out, "truth.jsonl"))
	if err != nil {
		return 0, 0, 0, 0 // no line yet
	}
	lines := bytes.Split(data, []byte("\n"))
	if len(lines) < 2 {
		return 0, 0, 0, 0
	}
	type body struct {
		Position [3]float64 `json:"position_m"`
		Velocity [3]float64 `json:"velocity_m_s"`
	}
	var now struct {
		Ball   body   `json:"ball"`
		Robots []body `json:"robots"`
	}
	if err := json.Unmarshal(lines[len(lines)-2], &now); err != nil {
		t.Fatalf("%v in %s", err, lines[len(lines)-2])
	}
	speed := func(b body) float64 { return math.Hypot(b.Velocity[0], b.Velocity[1]) }
	return now.Robots[0].Position[0], speed(now.Robots[0]), now.Ball.Position[0], speed(now.Ball)
}

// TestKeysDriveARobotInTheWindow drives a robot with the keyboard in a world without programs. The robot must stop when
// the keys are released, and when the window loses the focus.
func TestKeysDriveARobotInTheWindow(t *testing.T) {
	screen := virtualScreen(t)
	k := openKeyboard(t, screen.display)
	out := filepath.Join(t.TempDir(), "out")
	world := aWorld(t, `
name = "w"
physics = { engine = "planar" }
ball = { x_m = -5.6 }
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = -6 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
`)
	run := screen.launch("run", world, "--window", "--ros1", "off", "--out", out)
	await := func(what string, ok func(robotX, robotSpeed, ballX, ballSpeed float64) bool) {
		t.Helper()
		run.await(what, func() bool { return ok(lastTruth(t, out)) })
	}
	stands := func(_, robotSpeed, _, _ float64) bool { return robotSpeed < 0.01 }
	await("the first step", func(robotX, _, _, _ float64) bool { return robotX != 0 })
	k.focus(k.window())
	k.tap(keyT)
	k.tap(keyE)
	k.press(keyW)
	await("driving with the ball", func(robotX, robotSpeed, ballX, _ float64) bool {
		return robotX > -5.5 && robotSpeed > 0.9 && math.Abs(ballX-robotX-0.34) < 0.02
	})
	k.release(keyW)
	await("standing when the key is released", stands)
	k.press(keyW)
	await("driving again", func(_, robotSpeed, _, _ float64) bool { return robotSpeed > 0.5 })
	k.focus(0)
	await("standing when the focus is lost", stands)
	run.signal(syscall.SIGINT)
	run.wantExit(console.ExitDone)
}

// Key codes of Xvfb for the overlays and replays of the window.
const (
	keyL, keyX, keyB, keyV, keyP, keyHome = 46, 53, 56, 55, 33, 110
)

// close asks a window to close, as a window manager does. Source: ICCCM 4.2.8.1.
func (k *keyboard) close(window uint32) {
	atom := func(name string) uint32 {
		request := append([]byte{16, 0, byte(2 + (len(name)+3)/4), 0, byte(len(name)), 0, 0, 0}, name...) // InternAtom
		return binary.LittleEndian.Uint32(k.ask(append(request, make([]byte, (4-len(name)%4)%4)...))[8:])
	}
	request := make([]byte, 44)
	request[0], request[2] = 25, 11 // SendEvent
	binary.LittleEndian.PutUint32(request[4:], window)
	event := request[12:]
	event[0], event[1] = 33, 32 // ClientMessage, of 32-bit words
	binary.LittleEndian.PutUint32(event[4:], window)
	binary.LittleEndian.PutUint32(event[8:], atom("WM_PROTOCOLS"))
	binary.LittleEndian.PutUint32(event[12:], atom("WM_DELETE_WINDOW"))
	k.send(request)
}

// overview returns where the window's camera initially shows a point, by trigonometry. The eye is 16 m from the point
// 0.3 m above the middle of the field, towards −y, 0.7 rad up. The image has 960 × 720 pixels and is 60° wide.
func overview(x, y, z float64) (u, v int) {
	sin, cos := math.Sincos(0.7)
	dy, dz := y+16*cos, z-0.3-16*sin
	f := 480 / math.Tan(math.Pi/6) / (dy*cos - dz*sin)
	return int(math.Round(479.5 + f*x)), int(math.Round(359.5 - f*(dy*sin+dz*cos)))
}

// TestLabelsInTheWindow switches overlays on in a real window and looks for a robot's label in the picture, of a run
// with a dashboard and of its recording. Closing the window must end the run.
func TestLabelsInTheWindow(t *testing.T) {
	screen := virtualScreen(t)
	k := openKeyboard(t, screen.display)
	out, tape := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "w.mcap")
	world := aWorld(t, `name = "w"
look = "plain"
[physics]
engine = "planar"
[ball]
x_m = -3
y_m = -1
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = 2, y_m = 1 }
sensor = [
  { name = "omni", level = "truth" }, { name = "front", level = "truth" },
  { name = "laser", kind = "laser", profile = "sick-lms1xx", level = "ideal", mount = { z_m = 0.3 } },
]
`)
	// labelled reports whether letters are shown above the middle of cyan1 at a position. The robot is 0.8 m high, and
	// the gap is 6 cm.
	labelled := func(x, y float64) bool {
		_, _, rgb := screen.shot()
		u, v := overview(x, y, 0.86)
		letters := 0
		for dv := -14; dv <= 0; dv++ {
			for du := -17; du <= 17; du++ {
				if rgb(u+du, v+dv) == [3]byte{255, 255, 255} {
					letters++
				}
			}
		}
		return letters > 60
	}

	run := screen.launch("run", world, "--window", "--web", "0", "--ros1", "off", "--out", out, "--record", tape)
	run.await("the first step", func() bool {
		x, _, _, _ := lastTruth(t, out)
		return x != 0
	})
	k.focus(k.window())
	for _, key := range []byte{keyL, keyX, keyB, keyV, keyP} {
		k.tap(key)
	}
	run.await("cyan1's label", func() bool { return labelled(2, 1) })

	k.tap(keyT)
	k.press(keyW)
	run.await("cyan1 elsewhere", func() bool {
		x, _, _, _ := lastTruth(t, out)
		return x > 3
	})
	k.release(keyW)
	run.await("cyan1 at rest", func() bool {
		_, speed, _, _ := lastTruth(t, out)
		return speed < 0.01
	})
	x, _, _, _ := lastTruth(t, out)
	run.await("its label there", func() bool { return labelled(x, 1) })
	k.close(k.window())
	run.wantExit(console.ExitDone, "real-time factor")

	replay := screen.launch("replay", tape, "--window", "--ros1", "off", "--speed", "max")
	replay.await("the field", func() bool {
		_, _, rgb := screen.shot()
		c := rgb(300, 600)
		return int(c[1]) > int(c[0])+20 && int(c[1]) > int(c[2])+20
	})
	k.focus(k.window())
	k.tap(keyL)
	// the replay stays at its end
	replay.await("its label at the recording's end", func() bool { return labelled(x, 1) })
	k.tap(keyHome)
	replay.await("its label at the beginning", func() bool { return labelled(2, 1) })
	replay.signal(syscall.SIGINT)
	replay.wantExit(console.ExitDone, "real-time factor")
}
