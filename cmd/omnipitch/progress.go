package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/omnipitch/omnipitch"
)

// meter shows how a run is getting on: a bar on a terminal, a line every few seconds elsewhere.
type meter struct {
	err       io.Writer
	bar       *progressbar.ProgressBar
	sim, wall time.Duration // of the last line
}

// timePerLine is the wall time between progress lines.
const timePerLine = 5 * time.Second

func newMeter(w io.Writer, total time.Duration) *meter {
	m := &meter{err: w}
	if isTerminal(w) {
		limit := int64(-1) // a spinner: the run has no end
		if total > 0 {
			limit = int64(total)
		}
		m.bar = progressbar.NewOptions64(limit, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	}
	return m
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// show tells the sim time, and the real-time factor of the whole run and since the last time.
func (m *meter) show(p omnipitch.Progress) {
	if m.bar == nil && p.Wall-m.wall < timePerLine {
		return
	}
	text := fmt.Sprintf("%.1f s simulated in %.1f s, real-time factor %.2f, of late %.2f",
		p.Sim.Seconds(), p.Wall.Seconds(), p.Sim.Seconds()/p.Wall.Seconds(), (p.Sim-m.sim).Seconds()/(p.Wall-m.wall).Seconds())
	m.sim, m.wall = p.Sim, p.Wall
	if m.bar == nil {
		fmt.Fprintln(m.err, text)
		return
	}
	m.bar.Describe(text)
	m.bar.Set64(int64(p.Sim)) // fails beyond the end of the bar, where there is nothing left to show
}
