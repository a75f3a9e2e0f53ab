package window

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// processor returns the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// frames draws b.N frames of a fixture with the overlays that keys switch on.
func frames(b *testing.B, s *fixture, keys string) {
	s.press("I" + keys)
	for range 20 {
		s.handle(b.Context())
		must.Do(b, errors.Join(s.sim.Step(), s.draw()))
	}
	b.ReportAllocs()
	begun := processor()
	for b.Loop() {
		must.Do(b, s.draw())
	}
	b.ReportMetric((processor()-begun).Seconds()*1e3/float64(b.N), "processor-ms/frame")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkOverlays measures the cost of overlays in a frame of a match with ten robots, each with a laser of 541
// beams, in a window of 960 × 720 pixels.
func BenchmarkOverlays(b *testing.B) {
	for _, keys := range []string{"", "L", "X", "B", "V", "P", "LXBVP"} {
		b.Run("keys="+keys, func(b *testing.B) { frames(b, newMatch(b, blankRenderer), keys) })
	}
}

// BenchmarkFrame measures a whole frame of that window, drawn by the default renderer.
func BenchmarkFrame(b *testing.B) {
	for _, keys := range []string{"", "LXBVP"} {
		b.Run("keys="+keys, func(b *testing.B) { frames(b, newMatch(b, nil), keys) })
	}
}

// BenchmarkWindow measures the same in a real window, if there is a display.
func BenchmarkWindow(b *testing.B) {
	if os.Getenv("DISPLAY") == "" {
		b.Skip("DISPLAY is not set")
	}
	for _, keys := range []string{"", "LXBVP"} {
		b.Run("keys="+keys, func(b *testing.B) {
			w, err := Open("benchmark")
			must.Do(b, err)
			defer w.Close()
			s := newMatch(b, nil)
			s.screen.window = shownOn{s.paper, w}
			frames(b, s, keys)
		})
	}
}

// shownOn is a paper whose images are also shown in a window.
type shownOn struct {
	*paper
	window Window
}

func (s shownOn) Show(im *render.Image) error {
	s.window.Events()
	return s.window.Show(im)
}
