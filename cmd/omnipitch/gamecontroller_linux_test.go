package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/gamecontroller"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// controllerPort returns a port for robots below the kernel's own range, after which few programs are.
func controllerPort() int { return 10_000 + rand.N(20_000) }

// TestRunFollowsGameController checks that packets command the game of a run, and that the recording holds their
// effects.
func TestRunFollowsGameController(t *testing.T) {
	port, path := controllerPort(), filepath.Join(t.TempDir(), "a.mcap")
	p := launch(t, "", "run", "hsl-followed", "--ros1", "off", "--web", "off", "--gamecontroller", fmt.Sprint(port),
		"--record", path)
	p.says("waits for packets of a GameController")
	conn := must.Get(net.Dial("udp4", fmt.Sprintf("127.0.0.1:%d", port)))(t)
	defer conn.Close()
	c := gamecontroller.Control{Version: gamecontroller.Soccer19, FirstHalf: true, Kicking: 5,
		Teams: [2]gamecontroller.Team{{Number: 5}, {Number: 24, Score: 3}}}
	for _, state := range []gamecontroller.State{gamecontroller.Ready, gamecontroller.Set, gamecontroller.Playing} {
		c.State = state
		for range 3 {
			must.Get(conn.Write(c.Append(nil)))(t)
			time.Sleep(20 * time.Millisecond)
		}
	}
	p.says("cyan is team 5, magenta is team 24")
	wantLines(t, p.stop()+p.stderr(), "game: first half, cyan 0 : 3 magenta")
	prints(t, console.ExitDone, "equal those of the recording", "replay", path, "--check")
}

// TestRunIsGameController checks that programs which share the port receive the packets of a run.
func TestRunIsGameController(t *testing.T) {
	port := controllerPort()
	var robots [2]*net.UDPConn
	for i := range robots {
		robots[i] = shared(t, port)
	}
	p := launch(t, "", "run", "hsl-match", "--ros1", "off", "--web", "off", "--speed", "20",
		"--gamecontroller-server", fmt.Sprint(port))
	for _, robot := range robots {
		buf, seen := make([]byte, gamecontroller.MaxControl+1), map[gamecontroller.State]bool{}
		for !seen[gamecontroller.Initial] || !seen[gamecontroller.Ready] || !seen[gamecontroller.Set] {
			must.Do(t, robot.SetReadDeadline(time.Now().Add(deadline)))
			n := must.Get(robot.Read(buf))(t)
			var c gamecontroller.Control
			must.Do(t, c.Parse(buf[:n]))
			seen[c.State] = true
		}
	}
	p.stop()
}

// TestGameControllerErrors checks the messages for invalid addresses, two referees and ports in use.
func TestGameControllerErrors(t *testing.T) {
	port := controllerPort()
	taken := must.Get(net.ListenPacket("udp4", fmt.Sprintf("127.0.0.1:%d", port+101)))(t)
	defer taken.Close()
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{console.ExitBadInput, `--gamecontroller = "a b": must be ADDRESS:PORT`, "run chase-ball --gamecontroller 'a b'"},
		{console.ExitBadInput, `--gamecontroller-server = "0": must be`, "run chase-ball --gamecontroller-server 0"},
		{console.ExitBadInput, "--gamecontroller: a game has only one referee", "run hsl-match --gamecontroller 3838"},
		{console.ExitBadInput, "--refbox and --gamecontroller: a game has only one referee",
			"run chase-ball --gamecontroller 3838 --refbox 1"},
		{console.ExitBadInput, "--gamecontroller-server: the run follows a GameController",
			"run hsl-followed --gamecontroller-server 3838"},
		{console.ExitUnavailable, "--gamecontroller-server: .*in use: stop the program that uses it",
			fmt.Sprintf("run chase-ball --ros1 off --gamecontroller-server %d", port)},
		{console.ExitBadInput, `gamecontroller: version = 13: must be 12, 18, 19 or 20`,
			"run " + aWorld(t, refereed+"[gamecontroller]\nversion = 13\n")},
		{console.ExitBadInput, `gamecontroller: magenta = 5: must differ from cyan = 5`,
			"run " + aWorld(t, refereed+"[gamecontroller]\ncyan = 5\nmagenta = 5\n")},
	} {
		refuses(t, c.code, c.want, shellWords(c.args)...)
	}
}

// shared returns a socket of a program that shares its port.
func shared(t *testing.T, port int) *net.UDPConn {
	t.Helper()
	conn := must.Get(shareAddress.ListenPacket(t.Context(), "udp4", fmt.Sprintf(":%d", port)))(t)
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.UDPConn)
}

// shareAddress lets programs share ports.
var shareAddress = net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
	return errors.Join(err, c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}))
}}
