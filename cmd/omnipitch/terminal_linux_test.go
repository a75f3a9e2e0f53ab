package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs the program on a separate terminal with a number of columns, and returns all bytes of its output.
// Source: pts(4).
func onTerminal(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave := must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	cmd := exec.Command(program(t), args...)
	cmd.Env = environment(env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	noError(t, cmd.Start())
	slave.Close()
	text, err := io.ReadAll(master) // ends with EIO when no process has the terminal open
	if err != nil && !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %v\n%s", args, err, text)
	}
	return string(text)
}

// TestRunOnATerminal checks the status row of a run on a terminal. It must disappear before the results. With --quiet,
// and on a terminal that only prints, there must be none.
func TestRunOnATerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	world := writeFile(t, "goal.toml", `name = "goal"
include = ["planar"]
[[event]]
at_s = 0.5
game_command = { command = "goal", team = "cyan" }
`)
	args := []string{"run", world, "--ros1", "off", "--for", "2300ms", "--speed", "realtime"}
	const row = "\r\x1b[K"
	result := "goal: 2.30 s simulated in "
	text := onTerminal(t, 60, []string{"TERM=xterm", "NO_COLOR=1"}, args...)
	drawn := strings.Split(text, row)
	last := drawn[len(drawn)-1]
	if !strings.HasPrefix(last, result) || strings.ContainsAny(last, "\x1b") {
		t.Errorf("after the last row of status there is %q, want the results alone", last)
	}
	status := regexp.MustCompile(`^[12]\.\d/2\.3 s, factor [01]\.\d\d, recently [01]\.\d\d, 1:0`)
	seen := 0
	for _, x := range drawn[:len(drawn)-1] {
		if len(x) >= 60 || strings.ContainsAny(x, "\r\n\x1b") && x != drawn[0] {
			t.Errorf("%q is no row of 60 columns", x)
		}
		if status.MatchString(x) {
			seen++
		}
	}
	if seen == 0 {
		t.Errorf("%d rows of status in %q", seen, text)
	}
	for _, c := range [][]string{append([]string{"--quiet"}, args...), append(args, "-q")} {
		c = append(c, "--speed", "max")
		if text := onTerminal(t, 60, []string{"TERM=xterm"}, c...); !strings.HasPrefix(text, result) ||
			strings.Contains(text, "\x1b") {
			t.Errorf("%v: %q, want the results alone", c, text)
		}
	}
	if text := onTerminal(t, 60, []string{"TERM=dumb"}, append(args, "--speed", "max")...); strings.Contains(
		strings.ReplaceAll(text, "\r\n", ""), "\r") || strings.Contains(text, "\x1b") {
		t.Errorf("on a terminal that only prints: %q", text)
	}
}
