package dashboard

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds"
)

// BenchmarkPageIsUsable measures the time from the request of the page until it is usable: ten robots are in place and
// the connection is open.
func BenchmarkPageIsUsable(b *testing.B) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	atObjects(w)
	p := browse(b, serve(b, w))
	for b.Loop() {
		p.run(chromedp.Navigate(p.URL()), chromedp.WaitVisible(chromedp.CSS(".body.ball")))
		p.holds(`document.querySelector('#connection').textContent === 'connected' && document.querySelectorAll('.robot').length === 10`)
	}
}

// BenchmarkCameraOnPage counts the frames per second of wall time that the page shows, from a camera with 640 × 480
// pixels and 30 frames per second.
func BenchmarkCameraOnPage(b *testing.B) {
	w := small(b)
	for i := range w.Robots[0].Sensors {
		if c := &w.Robots[0].Sensors[i]; c.Image != nil {
			c.Level, c.Rate, c.Image.Width, c.Image.Height = "raw", 30, 640, 480
		}
	}
	s := serveDrawnBy(b, w, backend.Tile)
	robot, sensor := camera(b, w)
	p := browse(b, s)
	p.run(chromedp.Click(chromedp.CSS(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))))
	p.holds(`document.querySelector('figure .sight img')?.naturalWidth > 0`)
	eval[bool](p,
		`(window.shown = 0, new MutationObserver(() => { window.shown++ }).observe(document.querySelector('figure .sight'), {childList: true}), true)`)
	begun := time.Now()
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(float64(eval[int](p, `window.shown`))/time.Since(begun).Seconds(), "frames/s")
}
