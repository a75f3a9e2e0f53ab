package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
)

// Meter shows the progress of a run. On a terminal it uses the status line. Elsewhere it prints a line every few
// seconds. It may be used from any goroutine.
type Meter struct {
	out      io.Writer
	terminal *Terminal // nil without a terminal
	total    time.Duration
	paused   func() bool
	stop     func()
	once     sync.Once

	mu sync.Mutex
	// last is the progress at the last printed line or, on a terminal, about a second ago.
	last  omnipitch.Progress
	parts []part // parts of the status line
}

// NewMeter returns a meter for a run. total is the sim time of the whole run; 0 means a run without an end. The
// function paused reports whether the clock of the run is paused. It is called from any goroutine. The caller must
// close the meter.
func NewMeter(con Streams, total time.Duration, paused func() bool) *Meter {
	m := &Meter{out: con.Notes(), terminal: con.terminal(), total: total, paused: paused, stop: func() {}}
	if m.terminal != nil { // a terminal also shows pauses, during which no progress is reported
		m.stop = every(drawEvery, m.tick)
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

// Close stops the output. It may be called again.
func (m *Meter) Close() {
	m.once.Do(func() {
		m.stop()
		if m.terminal != nil {
			m.terminal.set()
		}
	})
}
