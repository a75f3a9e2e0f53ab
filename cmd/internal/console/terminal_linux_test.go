package console

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// screen emulates a terminal with a number of columns. It wraps long rows, and understands the control sequences of
// status lines.
type screen struct {
	master, slave *os.File
	read          sync.WaitGroup

	mu      sync.Mutex
	columns int
	bytes   []byte
	rows    [][]byte
	column  int
	wrapped int
}

// openScreen opens a pseudo-terminal. Source: pts(4).
func openScreen(t *testing.T, columns int) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	must.Do(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	must.Do(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must.Do(t, err)
	s := &screen{master: master, slave: slave, rows: [][]byte{nil}}
	s.resize(t, columns)
	s.read.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			s.take(buf[:n])
			if err != nil { // the last writer has closed it
				return
			}
		}
	})
	return s
}

func (s *screen) resize(t *testing.T, columns int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
	must.Do(t, unix.IoctlSetWinsize(int(s.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}))
}

func (s *screen) take(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes = append(s.bytes, p...)
	for len(p) > 0 {
		row := &s.rows[len(s.rows)-1]
		switch {
		case p[0] == '\r':
			s.column = 0
		case p[0] == '\n':
			s.rows = append(s.rows, make([]byte, 0, s.columns))
		case strings.HasPrefix(string(p), "\x1b[K"):
			*row = (*row)[:min(s.column, len(*row))]
			p = p[2:]
		default:
			if s.column == s.columns {
				s.rows, s.column = append(s.rows, nil), 0
				s.wrapped++
				row = &s.rows[len(s.rows)-1]
			}
			*row = append((*row)[:min(s.column, len(*row))],
				append([]byte{p[0]}, (*row)[min(s.column+1, len(*row)):]...)...)
			s.column++
		}
		p = p[1:]
	}
}

// shows waits until the terminal has the rows that are wanted, and returns those that it has.
func (s *screen) shows(want ...string) (rows []string, ok bool) {
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		rows = rows[:0]
		s.mu.Lock()
		for _, r := range s.rows {
			rows = append(rows, string(r))
		}
		s.mu.Unlock()
		if ok = slices.Equal(rows, want); ok || time.Now().After(end) {
			return rows, ok
		}
	}
}

// got returns the bytes so far.
func (s *screen) got() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.bytes)
}

func (s *screen) close() {
	s.slave.Close()
	s.read.Wait()
	s.master.Close()
}

// A terminal shows what is written, line by line and whole, and below it one row of status, at any width, also after it
// was resized; in the end the row is gone.
func TestStatusLineStandsBelowAll(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := openScreen(t, 120)
	defer s.close()
	pipe, to, err := os.Pipe()
	must.Do(t, err)
	defer pipe.Close()
	defer to.Close()
	con := Open(to, s.slave)
	paused := false
	m := NewMeter(con, time.Minute, func() bool { return paused })
	byHand(&m.stop)
	want := []string{""} // rows
	check := func(what, status string) {
		t.Helper()
		if got, ok := s.shows(append(slices.Clone(want[:len(want)-1]), want[len(want)-1]+status)...); !ok {
			t.Fatalf("%s: rows %q, want %q and then %q", what, got, want, status)
		}
	}
	show := func(sim time.Duration) {
		m.Show(omnipitch.Progress{Sim: sim, Wall: sim, Factor: 1, Frames: uint64(sim / time.Millisecond)})
		m.tick(0)
	}
	show(time.Second)
	check("first", "1.0 of 60.0 s simulated in 1.0 s, real-time factor 1.00, recently 1.00, 1000 frames/s")
	fmt.Fprintln(con.Err, "w: a notice")
	want = []string{"w: a notice", ""}
	check("after a notice", "1.0 of 60.0 s simulated in 1.0 s, real-time factor 1.00, recently 1.00, 1000 frames/s")
	show(2 * time.Second)
	check("later", "2.0 of 60.0 s simulated in 2.0 s, real-time factor 1.00, recently 1.00, 1000 frames/s")
	s.resize(t, 40)
	fmt.Fprintln(con.Notes(), "one\ntwo")
	want = []string{"w: a notice", "one", "two", ""}
	check("narrow", "2.0/60.0 s, factor 1.00, recently 1.00")
	fmt.Fprint(con.Err, "the first half")
	want[3] = "the first half"
	show(3 * time.Second)
	check("half a line", "")
	fmt.Fprint(con.Err, " and the second\n")
	want = []string{"w: a notice", "one", "two", "the first half and the second", ""}
	check("a whole line", "3.0/60.0 s, factor 1.00, recently 1.00")
	paused = true
	m.tick(0)
	check("paused", "paused, 3.0/60.0 s, factor 1.00")
	fmt.Fprintln(con.Out, "a result, by a pipe") // that tee might print
	check("a pipe", "")
	m.tick(0)
	check("soon after", "paused, 3.0/60.0 s, factor 1.00")
	s.resize(t, 9)
	m.tick(0)
	check("very narrow", "paused")
	s.resize(t, 1)
	m.tick(0)
	check("one column", "")
	s.resize(t, 0) // nobody knows
	s.mu.Lock()
	s.columns = 80
	s.mu.Unlock()
	m.tick(0)
	check("no width", "paused, 3.0/60.0 s, factor 1.00, recently 1.00, 1000 frames/s")
	m.Close()
	check("at the end", "")
	s.mu.Lock()
	wrapped := s.wrapped
	s.mu.Unlock()
	if wrapped > 0 {
		t.Errorf("%d rows were wrapped", wrapped)
	}
	if text := s.got(); strings.Contains(strings.ReplaceAll(text, "\x1b[K", ""), "\x1b") {
		t.Errorf("there are other control sequences, as of colors: %q", text)
	}
}

// A status gives way to the meter, and a counter counts, in the same row.
func TestOneStatusLine(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := openScreen(t, 100)
	defer s.close()
	con := Open(s.slave, s.slave)
	status := NewStatus(con, "w")
	byHand(&status.stop)
	status.Set("drawing")
	status.tick(2 * time.Second)
	if got, ok := s.shows("w: drawing, 2 s so far"); !ok {
		t.Errorf("%q", got)
	}
	status.Set("")
	m := NewMeter(con, 0, func() bool { return false })
	byHand(&m.stop)
	status.tick(3 * time.Second)
	m.Show(omnipitch.Progress{Sim: time.Second, Wall: time.Second, Factor: 1})
	m.tick(0)
	status.tick(4 * time.Second)
	if got, ok := s.shows("1.0 s simulated in 1.0 s, real-time factor 1.00, recently 1.00"); !ok {
		t.Errorf("%q", got)
	}
	m.Close()
	status.Close()
	c := NewCounter(con, 3)
	byHand(&c.stop)
	c.Show(2, 1)
	fmt.Fprintln(con.Out, "a result")
	c.tick(time.Minute)
	if got, ok := s.shows("a result", "2 of 3 runs, 1 failed, 60 s so far"); !ok {
		t.Errorf("%q", got)
	}
	c.Close()
	if got, ok := s.shows("a result", ""); !ok {
		t.Errorf("%q", got)
	}
}

// On a terminal that only prints, a meter prints lines, as into a file.
func TestDumbTerminal(t *testing.T) {
	for _, kind := range []string{"dumb", ""} {
		t.Setenv("TERM", kind)
		s := openScreen(t, 100)
		m := NewMeter(Open(s.slave, s.slave), 0, func() bool { return false })
		for i := time.Duration(1); i <= 6; i++ {
			m.Show(omnipitch.Progress{Sim: i * time.Second, Wall: i * time.Second, Factor: 1})
		}
		m.Close()
		if got, ok := s.shows("5.0 s simulated in 5.0 s, real-time factor 1.00, recently 1.00", ""); !ok {
			t.Errorf("TERM=%s: %q", kind, got)
		}
		if strings.Count(s.got(), "\r") != 1 { // the terminal's own, before the end of the line
			t.Errorf("TERM=%s: %q", kind, s.got())
		}
		s.close()
	}
}
