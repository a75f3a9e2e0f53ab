package console

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
)

// Meter shows the progress of a run: in a terminal's status line, by a line every few seconds elsewhere. It may be used
// from any goroutine.
type Meter struct {
	out      io.Writer
	terminal *Terminal // nil: none
	total    time.Duration
	paused   func() bool
	stop     func()
	once     sync.Once

	mu   sync.Mutex
	last omnipitch.Progress // that has been told: by the last line, or, on a terminal, in the last second
	told []part             // of it, for a terminal
}

// NewMeter returns a meter of a run of that sim time, 0 for one without an end; paused tells, from any goroutine,
// whether its clock is. The caller closes it.
func NewMeter(con Streams, total time.Duration, paused func() bool) *Meter {
	m := &Meter{out: con.Notes(), terminal: con.terminal(), total: total, paused: paused, stop: func() {}}
	if m.terminal != nil { // which shows a pause too, in which no progress comes
		m.stop = every(drawEvery, m.tick)
	}
	return m
}

// Show tells of progress. Where there is a terminal it waits for none, as for one that has been stopped with Ctrl-S.
func (m *Meter) Show(p omnipitch.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.terminal == nil && p.Wall-m.last.Wall < LineEvery {
		return
	}
	parts := m.parts(&p)
	m.last = p
	if m.terminal != nil {
		m.told = parts
		return
	}
	fmt.Fprintln(m.out, long(parts))
}

// parts says how far a run has come, and how fast it is: as a whole, and since the last that was told.
func (m *Meter) parts(p *omnipitch.Progress) []part {
	sim, wall := p.Sim.Seconds(), p.Wall.Seconds()
	all := []part{{fmt.Sprintf("%.1f s simulated in %.1f s", sim, wall), fmt.Sprintf("%.1f s", sim)}}
	if m.total > 0 {
		all[0] = part{fmt.Sprintf("%.1f of %.1f s simulated in %.1f s", sim, m.total.Seconds(), wall),
			fmt.Sprintf("%.1f/%.1f s", sim, m.total.Seconds())}
	}
	since := p.Wall - m.last.Wall
	late := (p.Sim - m.last.Sim).Seconds() / since.Seconds()
	if m.terminal != nil {
		late = p.Factor // which no pause makes slower
	}
	all = append(all, part{fmt.Sprintf("real-time factor %.2f", sim/wall), fmt.Sprintf("factor %.2f", sim/wall)},
		alike(fmt.Sprintf("of late %.2f", late)))
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

// tick draws the line.
func (m *Meter) tick(time.Duration) {
	m.mu.Lock()
	parts := m.told
	m.mu.Unlock()
	if m.paused() {
		parts = append([]part{alike("paused")}, parts...)
	}
	if len(parts) > 0 {
		m.terminal.set(parts...)
	}
}

// Close ends the printing. It may be called again.
func (m *Meter) Close() {
	m.once.Do(func() {
		m.stop()
		if m.terminal != nil {
			m.terminal.set()
		}
	})
}
