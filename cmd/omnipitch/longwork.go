package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// longWork tells what a command is busy with, when that takes so long that a user wonders: on a terminal by a spinner,
// elsewhere by a line every few seconds. It may be used from any goroutine.
type longWork struct {
	out   io.Writer
	world string
	bar   *progressbar.ProgressBar // nil without a terminal
	over  chan struct{}
	once  sync.Once
	watch sync.WaitGroup

	mu    sync.Mutex
	text  string        // what is done now; empty: nothing that takes long
	since time.Duration // wall time at which the silence began
	told  time.Duration // wall time of the last line, 0 before it
}

// silence is how long, in wall time, nothing is said about what goes on.
const silence = time.Second

func newLongWork(out io.Writer, world string) *longWork {
	l := &longWork{out: out, world: world, over: make(chan struct{})}
	if isTerminal(out) {
		l.bar = progressbar.NewOptions64(-1, progressbar.OptionSetWriter(out), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
	}
	begun := time.Now()
	l.watch.Go(func() {
		tick := time.NewTicker(silence / 4)
		defer tick.Stop()
		for {
			select {
			case <-l.over:
				return
			case <-tick.C:
				l.tick(time.Since(begun))
			}
		}
	})
	return l
}

// begin says what is done from now on; an empty text is nothing that the user must be told about.
func (l *longWork) begin(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = text
}

// tick tells, at a wall time since the beginning, what is to be told.
func (l *longWork) tick(now time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.text == "":
		l.since, l.told = now, 0
	case now-l.since < silence:
	case l.bar != nil:
		l.bar.Describe(l.world + ": " + l.text)
		l.bar.Add(1)
	case l.told == 0 || now-l.told >= timePerLine:
		l.told = now
		fmt.Fprintf(l.out, "%s: %s, %.0f s so far\n", l.world, l.text, (now - l.since).Seconds())
	}
}

// end says that all has been done. It may be called again.
func (l *longWork) end() {
	l.once.Do(func() {
		close(l.over)
		l.watch.Wait()
		if l.bar != nil {
			l.bar.Finish()
		}
	})
}
