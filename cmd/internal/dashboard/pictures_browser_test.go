package dashboard

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPicturesInBrowser checks pictures and readings in the browser. Overlays match their picture, and depth has false
// colours and a scale. A laser scan is drawn around its robot and over the field, and other readings are numbers.
// Sensors have rates, delays and costs, and the pace of the run has curves.
func TestPicturesInBrowser(t *testing.T) {
	scale := 1
	if *pictures != "" {
		scale = 2 // for viewing
	}
	w := looking(t, 120*scale, 90*scale)
	addLaser(&w.Robots[1])
	s := serve(t, w)
	p := browse(t, s)
	p.holds(`document.querySelector('#connection').textContent === 'connected'`)
	keeper, player := w.Robots[0].Name, w.Robots[1].Name
	open := func(name string) {
		t.Helper()
		eval[bool](p,
			fmt.Sprintf(
				`(document.querySelectorAll('details').forEach(d => { d.open = true }), document.querySelector('button[data-camera="%s"]').click(), true)`, name))
		p.holds(fmt.Sprintf(`!document.querySelector('figure[data-camera="%s"] .sight > p:first-child')`, name))
	}
	open(player + ".omni")
	for _, kind := range overlayNames {
		p.run(chromedp.Click(chromedp.CSS(`input[data-overlay="` + kind + `"]`)))
		p.holds(`!!document.querySelector('figure .overlays .` + kind + `')`)
	}
	open(player + ".front")
	p.holds(`!!document.querySelector('figure[data-camera="` + player + `.front"] .overlays .lines')`)
	p.look("overlays", 1366, 1500, "light")
	p.look("overlays-dark", 1366, 1500, "dark")
	p.look("overlays-tablet", 820, 1500, "light")
	for _, name := range []string{player + ".omni", player + ".front"} {
		eval[bool](p, fmt.Sprintf(`(document.querySelector('button[data-camera="%s"]').click(), true)`, name))
	}

	// Depth.
	open(keeper + ".kinect_left")
	eval[bool](p,
		`(() => { const s = document.querySelector('figcaption select'); s.value = 'depth'; s.dispatchEvent(new Event('change')); return true })()`)
	p.holds(`document.querySelector('.depth-scale img').naturalWidth === 254 && !document.querySelector('.depth-scale').hidden`)

	// A laser scan, and numbers.
	open(player + ".laser")
	p.holds(`document.querySelector('.scan-point').getTotalLength() >= 0 && document.querySelector('#field .scan .stroke').getAttribute('d').length > 100`)
	open(player + ".imu")
	p.holds(`document.querySelectorAll('.numbers dd').length === 2 && document.querySelector('.numbers dd').textContent.endsWith('m/s²')`)

	// Statistics of sensors.
	p.holds(`[...document.querySelectorAll('tr')].some(r => r.querySelector('th')?.textContent === 'imu' && Number(r.querySelectorAll('.figures span')[1].textContent) > 90)`)
	p.look("readings", 1366, 1700, "light")
	p.look("readings-dark", 1366, 1700, "dark")

	// The pace of the run.
	p.run(chromedp.Click(chromedp.CSS("#pace-tab")))
	p.holds(`[...document.querySelectorAll('#pace .plot > .curve.a')].every(c => c.getAttribute('d')?.length > 10)`)
	p.look("pace", 1366, 1700, "light")
	p.look("pace-dark", 1366, 1700, "dark")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		t.Error(text)
	}
}
