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
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

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
	conn := must(net.Dial("unix", fmt.Sprintf("/tmp/.X11-unix/X%d", display)))(t)
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
	if _, err := k.conn.Write(request); err != nil {
		k.t.Fatal(err)
	}
}

func (k *keyboard) read(n int) []byte {
	k.t.Helper()
	data := make([]byte, n)
	if _, err := io.ReadFull(k.conn, data); err != nil {
		k.t.Fatal(err)
	}
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
