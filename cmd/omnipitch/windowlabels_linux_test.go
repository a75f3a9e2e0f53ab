package main

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

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
