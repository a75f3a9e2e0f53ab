package console

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/omnipitch/omnipitch"
)

// Meter shows the progress of a run: a bar on a terminal, a line every few seconds elsewhere.
type Meter struct {
	out       io.Writer
	bar       *progressbar.ProgressBar // nil without a terminal
	sim, wall time.Duration            // of the last line
}

// NewMeter returns a meter of a run of that sim time, 0 for one without an end.
func NewMeter(out io.Writer, total time.Duration) *Meter {
	limit := int64(-1)
	if total > 0 {
		limit = int64(total)
	}
	return &Meter{out: out, bar: newBar(out, limit)}
}

// Show prints the sim time, and the real-time factor of the whole run and since the last call.
func (m *Meter) Show(p omnipitch.Progress) {
	if m.bar == nil && p.Wall-m.wall < LineEvery {
		return
	}
	text := fmt.Sprintf("%.1f s simulated in %.1f s, real-time factor %.2f, of late %.2f",
		p.Sim.Seconds(), p.Wall.Seconds(), p.Sim.Seconds()/p.Wall.Seconds(), (p.Sim-m.sim).Seconds()/(p.Wall-m.wall).Seconds())
	m.sim, m.wall = p.Sim, p.Wall
	if m.bar == nil {
		fmt.Fprintln(m.out, text)
		return
	}
	m.bar.Describe(text)
	m.bar.Set64(int64(p.Sim)) // fails beyond the end of the bar, where there is nothing left to show
}
