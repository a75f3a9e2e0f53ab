package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Key codes of Xvfb for the overlays and replays of the window.
const (
	keyShift, keyL, keyX, keyB, keyV, keyP, keyHome = 50, 46, 53, 56, 55, 33, 110
)

// point moves the mouse pointer to a pixel of the screen.
func (k *keyboard) point(x, y int) {
	request := make([]byte, 36)
	request[0], request[1], request[2], request[4] = k.xtest, 2, 9, 6 // FakeInput, MotionNotify
	binary.LittleEndian.PutUint32(request[12:], k.root)
	binary.LittleEndian.PutUint16(request[24:], uint16(x))
	binary.LittleEndian.PutUint16(request[26:], uint16(y))
	k.send(request)
}

// drag drags with the left button.
func (k *keyboard) drag(x0, y0, x1, y1 int) {
	k.point(x0, y0)
	k.fake(4, 1) // ButtonPress
	k.point((x0+x1)/2, (y0+y1)/2)
	k.point(x1, y1)
	k.fake(5, 1) // ButtonRelease
}

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

func floor(u, v int, z float64) (x, y float64) {
	sin, cos := math.Sincos(0.7)
	f := 480 / math.Tan(math.Pi/6)
	right, down := (float64(u)-479.5)/f, (float64(v)-359.5)/f
	r := (z - 0.3 - 16*sin) / (-sin - down*cos)
	return r * right, -16*cos + r*(cos-down*sin)
}

// grabbed returns the height of the point of a ball that a pixel shows.
func grabbed(u, v int, x, y, z, radius float64) float64 {
	sin, cos := math.Sincos(0.7)
	eyeY, eyeZ := -16*cos, 0.3+16*sin
	fx, fy := floor(u, v, 0)
	length := math.Sqrt(fx*fx + (fy-eyeY)*(fy-eyeY) + eyeZ*eyeZ)
	dx, dy, dz := fx/length, (fy-eyeY)/length, -eyeZ/length
	toX, toY, toZ := x, y-eyeY, z-eyeZ
	along := toX*dx + toY*dy + toZ*dz
	beside := toX*toX + toY*toY + toZ*toZ - along*along
	return eyeZ + dz*(along-math.Sqrt(radius*radius-beside))
}

// moment is a step of a run's truth.
type moment struct {
	Ball   mover   `json:"ball"`
	Robots []mover `json:"robots"`
}

type mover struct {
	Position [3]float64 `json:"position_m"`
	Velocity [3]float64 `json:"velocity_m_s"`
}

// off returns the distance of a body from a position.
func (m mover) off(x, y float64) float64 { return math.Hypot(m.Position[0]-x, m.Position[1]-y) }

// moments returns the last steps that a run has written, at most n.
func moments(t *testing.T, out string, n int) (all []moment) {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join(out, "truth.jsonl"))
	lines := bytes.Split(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	for _, line := range lines[max(0, len(lines)-n):] {
		var now moment
		if err := json.Unmarshal(line, &now); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, now)
	}
	return all
}

// TestMouseInTheWindow drags and kicks with the mouse in a real window, of a run with a dashboard and of its recording.
// Closing the window must end the run.
func TestMouseInTheWindow(t *testing.T) {
	display, dir := virtualScreen(t)
	k := openKeyboard(t, display)
	folder := t.TempDir()
	world, out, tape := filepath.Join(folder, "w.toml"), filepath.Join(folder, "out"), filepath.Join(folder, "w.mcap")
	text := `name = "w"
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
`
	if err := os.WriteFile(world, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	var ended chan error
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		run := exec.Command(program(t), args...)
		run.Env = append(os.Environ(), fmt.Sprintf("DISPLAY=:%d", display))
		run.Stdout, run.Stderr = &said, &said
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = run.Process.Kill() })
		ended = make(chan error, 1)
		go func() { ended <- run.Wait() }()
		return run
	}
	await := func(what string, ok func() bool) {
		t.Helper()
		until(t, what, func() bool {
			time.Sleep(25 * time.Millisecond) // screen files are large and change 30 times a second
			select {
			case err := <-ended:
				t.Fatalf("ended: %v\n%s", err, said.String())
			default:
			}
			return ok()
		})
	}
	over := func(why string) {
		t.Helper()
		select {
		case err := <-ended:
			if err != nil || !strings.Contains(said.String(), "real-time factor") {
				t.Errorf("%s: ended with %v:\n%s", why, err, said.String())
			}
		case <-time.After(deadline):
			t.Fatalf("%s: does not end", why)
		}
	}
	// labelled reports whether letters are shown above the middle of cyan1 at a position. The robot is 0.8 m high, and
	// the gap is 6 cm.
	labelled := func(x, y float64) bool {
		_, _, rgb := screenshot(t, filepath.Join(dir, "Xvfb_screen0"))
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

	last := func() moment {
		if all := moments(t, out, 1); len(all) > 0 {
			return all[0]
		}
		return moment{Robots: make([]mover, 1)}
	}

	start("run", world, "--window", "--web", "0", "--ros1", "off", "--out", out, "--record", tape)
	await("the first step", func() bool { return len(moments(t, out, 1)) > 0 })
	k.focus(k.window())
	for _, key := range []byte{keyL, keyX, keyB, keyV, keyP} {
		k.tap(key)
	}
	await("cyan1's label", func() bool { return labelled(2, 1) })

	const exact = 1e-4 // m and m/s: the resolution of the written digits
	const radius = 0.11
	u, v := overview(-3, -1, radius)
	z := grabbed(u, v, -3, -1, radius, radius)
	fromX, fromY := floor(u, v, z)
	toX, toY := floor(420, 250, z)
	k.drag(u, v, 420, 250)
	wantX, wantY := -3+toX-fromX, -1+toY-fromY
	await("the ball elsewhere", func() bool { return last().Ball.off(-3, -1) > 0.5 })
	at := last().Ball
	if d := at.off(wantX, wantY); !(d < exact) {
		t.Errorf("the ball is at %v, want (%.4f, %.4f)", at.Position, wantX, wantY)
	}

	u, v = overview(at.Position[0], at.Position[1], radius)
	await("it in the window", func() bool {
		_, _, rgb := screenshot(t, filepath.Join(dir, "Xvfb_screen0"))
		orange := 0
		for dv := -3; dv <= 3; dv++ {
			for du := -3; du <= 3; du++ {
				if c := rgb(u+du, v+dv); int(c[0]) > int(c[2])+60 && c[0] > c[1] {
					orange++
				}
			}
		}
		return orange > 10
	})
	z = grabbed(u, v, at.Position[0], at.Position[1], radius, radius)
	toX, toY = floor(u+90, v+40, z)
	k.press(keyShift)
	k.drag(u, v, u+90, v+40)
	k.release(keyShift)
	await("the kick", func() bool { return last().Ball.off(at.Position[0], at.Position[1]) > 0.1 })
	wantX, wantY = 2*(toX-at.Position[0]), 2*(toY-at.Position[1])
	kicked := math.Inf(1)
	for _, m := range moments(t, out, math.MaxInt) {
		kicked = min(kicked, math.Hypot(m.Ball.Velocity[0]-wantX, m.Ball.Velocity[1]-wantY))
	}
	if !(kicked < exact) {
		t.Errorf("the ball is never nearer to a velocity of (%.4f, %.4f) m/s than %.4f", wantX, wantY, kicked)
	}

	u, v = overview(2, 1, 0.4)
	k.drag(u, v, u-200, v+60)
	await("cyan1 elsewhere", func() bool { return last().Robots[0].off(2, 1) > 1 })
	robot := last().Robots[0]
	await("its label there", func() bool { return labelled(robot.Position[0], robot.Position[1]) })
	k.close(k.window())
	over("closing the window")

	said.Reset()
	replay := start("replay", tape, "--window", "--ros1", "off", "--speed", "max")
	await("the field", func() bool {
		_, _, rgb := screenshot(t, filepath.Join(dir, "Xvfb_screen0"))
		c := rgb(300, 600)
		return int(c[1]) > int(c[0])+20 && int(c[1]) > int(c[2])+20
	})
	k.focus(k.window())
	k.tap(keyL)
	// the replay stays at its end
	await("the recording's end", func() bool { return labelled(robot.Position[0], robot.Position[1]) })
	k.tap(keyHome)
	await("its beginning", func() bool { return labelled(2, 1) })
	if err := replay.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	over("Ctrl-C")
}
