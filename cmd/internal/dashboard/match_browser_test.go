package dashboard

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds"
)

// TestMatchInBrowser checks the start of a match. Ten robots appear and move. Pictures of a camera change to detections
// when it switches from raw to objects.
func TestMatchInBrowser(t *testing.T) {
	w, err := worlds.Load("scripted-match")
	if err != nil {
		t.Fatal(err)
	}
	atObjects(w)
	cyan2, _ := w.Robot("cyan2")
	for i := range cyan2.Sensors {
		if c := &cyan2.Sensors[i]; c.Name == "omni" {
			c.Level, c.Image.Width, c.Image.Height = "raw", 120, 120
		}
	}
	s := serveDrawnBy(t, w, backend.Tile)
	p := browse(t, s)
	where := `[...document.querySelectorAll('.robot')].map(r => r.getAttribute('transform'))`
	p.holds(where + `.length === 10 && ` + where + `.every(Boolean)`)
	first := eval[[]string](p, where)
	until(t, "robots to go to their places", func() bool {
		moved := 0
		for i, now := range eval[[]string](p, where) {
			if now != first[i] {
				moved++
			}
		}
		return moved >= 2 // the robots that take the kick-off
	})
	eval[bool](p,
		`(document.querySelectorAll('details').forEach(d => { d.open = true }), document.querySelector('button[data-camera="cyan2.omni"]').click(), true)`)
	p.holds(`document.querySelector('figure .sight img')?.naturalWidth > 0`)
	eval[bool](p,
		`(() => { const s = document.querySelector('select[data-sensor="cyan2.omni"]'); s.value = 'objects'; s.dispatchEvent(new Event('change')); return true })()`)
	p.holds(`!document.querySelector('figure .sight img') && document.querySelectorAll('figure .sight svg .seen-robot').length > 2`)
	p.run(chromedp.Click(chromedp.CSS("#pause")))
	until(t, "the pause", s.sim.Clock().Paused)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		t.Error(text)
	}
}
