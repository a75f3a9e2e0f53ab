package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
)

// display is what Counter, Meter and Status have in common. On a terminal they use the status line. Elsewhere they
// print a line every few seconds.
type display struct {
	out      io.Writer
	terminal *Terminal // nil without a terminal
	stop     func()    // stops the periodic updates; nil if there are none
	once     sync.Once
}

func newDisplay(con Streams) display { return display{out: con.Notes(), terminal: con.terminal()} }

// clear clears the status line.
func (d *display) clear() {
	if d.terminal != nil {
		d.terminal.set()
	}
}

// Close stops the output and clears the status line. It may be called again.
func (d *display) Close() {
	d.once.Do(func() {
		if d.stop != nil {
			d.stop()
		}
		d.clear()
	})
}

// Counter shows how many runs are done. It may be used from any goroutine.
type Counter struct {
	display
	total int

	mu           sync.Mutex
	done, failed int
	predicts     bool          // print the rate of runs and the remaining time
	before       int           // runs done before the counter started
	printed      time.Duration // wall time of the last line
}

// NewCounter returns a counter for a command with this total number of runs. The caller must close the counter.
func NewCounter(con Streams, total int) *Counter {
	c := &Counter{display: newDisplay(con), total: total}
	c.stop = Every(drawEvery, c.tick)
	return c
}

// Show sets the number of runs that are done, and how many of them failed.
func (c *Counter) Show(done, failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done, c.failed = done, failed
}

// Predict makes the counter print the rate of runs and the remaining time, too. before is the number of runs that were
// done when the counter started. These runs do not count for the rate.
func (c *Counter) Predict(before int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.predicts, c.before = true, before
}

// tick prints a line if one is due. now is the wall time since the start of the counter.
func (c *Counter) tick(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := []part{
		{fmt.Sprintf("%d of %d runs", c.done, c.total), fmt.Sprintf("%d/%d", c.done, c.total)},
		alike(fmt.Sprintf("%d failed", c.failed)),
		{fmt.Sprintf("%.0f s so far", now.Seconds()), fmt.Sprintf("%.0f s", now.Seconds())},
	}
	if ended := c.done - c.before; c.predicts && ended > 0 {
		rate := float64(ended) / now.Seconds()
		left := float64(c.total-c.done) / rate
		parts = append(parts, part{fmt.Sprintf("%.3g runs/s", rate), fmt.Sprintf("%.3g/s", rate)},
			alike(fmt.Sprintf("%.0f s left", left)))
	}
	switch {
	case c.terminal != nil:
		c.terminal.set(parts...)
	case now-c.printed >= LineEvery:
		c.printed = now
		fmt.Fprintln(c.out, long(parts))
	}
}

// Meter shows the progress of a run. It may be used from any goroutine.
type Meter struct {
	display
	total  time.Duration
	paused func() bool

	mu sync.Mutex
	// last is the progress at the last printed line or, on a terminal, about a second ago.
	last  omnipitch.Progress
	parts []part // parts of the status line
}

// NewMeter returns a meter for a run. total is the sim time of the whole run; 0 means a run without an end. The
// function paused reports whether the clock of the run is paused. It is called from any goroutine. The caller must
// close the meter.
func NewMeter(con Streams, total time.Duration, paused func() bool) *Meter {
	m := &Meter{display: newDisplay(con), total: total, paused: paused}
	if m.terminal != nil { // a terminal also shows pauses, during which no progress is reported
		m.stop = Every(drawEvery, m.tick)
	}
	return m
}

// Show takes the current progress of the run. It does not wait for the terminal, which the user may have stopped with
// Ctrl-S.
func (m *Meter) Show(p omnipitch.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.terminal == nil && p.Wall-m.last.Wall < LineEvery {
		return
	}
	shown := m.describe(&p)
	m.last = p
	if m.terminal != nil {
		m.parts = shown
		return
	}
	fmt.Fprintln(m.out, long(shown))
}

// describe returns texts that say how far the run is and how fast it is. There are two speeds: the average over the
// run, and the speed since the last line.
func (m *Meter) describe(p *omnipitch.Progress) []part {
	sim, wall := p.Sim.Seconds(), p.Wall.Seconds()
	all := []part{{fmt.Sprintf("%.1f s simulated in %.1f s", sim, wall), fmt.Sprintf("%.1f s", sim)}}
	if m.total > 0 {
		all[0] = part{fmt.Sprintf("%.1f of %.1f s simulated in %.1f s", sim, m.total.Seconds(), wall),
			fmt.Sprintf("%.1f/%.1f s", sim, m.total.Seconds())}
	}
	since := p.Wall - m.last.Wall
	late := (p.Sim - m.last.Sim).Seconds() / since.Seconds()
	if m.terminal != nil {
		late = p.Factor // unaffected by pauses
	}
	all = append(all, part{fmt.Sprintf("real-time factor %.2f", sim/wall), fmt.Sprintf("factor %.2f", sim/wall)},
		alike(fmt.Sprintf("recently %.2f", late)))
	if g := p.Game; g != nil {
		all = append(all, part{fmt.Sprintf("cyan %d : %d magenta", g.Score.Cyan, g.Score.Magenta),
			fmt.Sprintf("%d:%d", g.Score.Cyan, g.Score.Magenta)})
	}
	if p.Frames > 0 {
		rate := float64(p.Frames-m.last.Frames) / since.Seconds()
		all = append(all, alike(fmt.Sprintf("%.0f frames/s", rate)))
	}
	return all
}

// tick updates the status line on a terminal.
func (m *Meter) tick(time.Duration) {
	m.mu.Lock()
	parts := m.parts
	m.mu.Unlock()
	if m.paused() {
		parts = append([]part{alike("paused")}, parts...)
	}
	if len(parts) > 0 {
		m.terminal.set(parts...)
	}
}

// Status shows the current activity of a command, if it lasts longer than a second. It may be used from any goroutine.
type Status struct {
	display
	world string

	mu      sync.Mutex
	text    string        // current activity; empty if nothing takes long
	since   time.Duration // wall time at which the current activity started
	printed time.Duration // wall time of the last line; 0 before the first line
}

// silence is the wall time for which an activity must last before it is shown.
const silence = time.Second

// NewStatus returns a status that shows no activity yet. The caller must close it.
func NewStatus(con Streams, world string) *Status {
	s := &Status{display: newDisplay(con), world: world}
	s.stop = Every(drawEvery, s.tick)
	return s
}

// Set sets the text that describes the current activity. An empty text means that nothing takes long.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// tick prints a line if one is due. now is the wall time since the start of the status.
func (s *Status) tick(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == "" {
		if s.since = now; s.printed > 0 {
			s.printed = 0
			s.clear()
		}
		return
	}
	if now-s.since < silence {
		return
	}
	text := fmt.Sprintf("%s: %s, %.0f s so far", s.world, s.text, (now - s.since).Seconds())
	switch {
	case s.terminal != nil:
		s.printed = now
		s.terminal.set(part{text, s.text})
	case s.printed == 0 || now-s.printed >= LineEvery:
		s.printed = now
		fmt.Fprintln(s.out, text)
	}
}
