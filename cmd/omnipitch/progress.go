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
	err   io.Writer
	bar   *progressbar.ProgressBar
	lines int
}

// secondsPerLine is the distance of progress lines, in seconds of wall time.
const secondsPerLine = 5

func newMeter(w io.Writer, total time.Duration) *meter {
	m := &meter{err: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		limit := int64(-1) // a spinner: the run has no end
		if total > 0 {
			limit = int64(total)
		}
		m.bar = progressbar.NewOptions64(limit, progressbar.OptionSetWriter(w), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	}
	return m
}

func (m *meter) show(p omnipitch.Progress) {
	text := fmt.Sprintf("%.1f s simulated, real-time factor %.2f", p.Sim.Seconds(), p.Factor)
	if m.bar != nil {
		m.bar.Describe(text)
		m.bar.Set64(int64(p.Sim)) // fails beyond the end of the bar, where there is nothing left to show
		return
	}
	if m.lines++; m.lines%secondsPerLine == 0 {
		fmt.Fprintln(m.err, text)
	}
}
