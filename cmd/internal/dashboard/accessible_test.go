package dashboard

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/robotio/web/webtest"
)

// TestPageIsAccessible checks the page by the rules of axe-core, in light and dark, on every tab, with a camera open
// and the keys shown. Its parts must not move while states arrive.
func TestPageIsAccessible(t *testing.T) {
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	p := browse(t, s)
	shift := `new Promise(done => { let sum = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) sum += e.value })).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 500) })`
	moved, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](shift, chromedp.EvalAwaitPromise))
	if err != nil || !(moved <= 0.01) {
		t.Errorf("the layout has shifted by %v, %v", moved, err)
	}
	p.run(chromedp.Click(chromedp.CSS(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))),
		chromedp.Click(chromedp.CSS("#help")))
	p.holds(`!!document.querySelector('figure .sight svg')`)
	eval[bool](p, `(document.querySelectorAll('details').forEach(d => { d.open = true }), true)`)
	p.bringAxe()
	for _, scheme := range []string{"light", "dark"} {
		features := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
			Value: scheme}}}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, features); err != nil {
			t.Fatal(err)
		}
		for _, tab := range eval[[]string](p, `[...document.querySelectorAll('[role=tab]')].map(t => t.id)`) {
			p.run(chromedp.Click(chromedp.CSS("#"+tab)), chromedp.Sleep(100*time.Millisecond))
			p.judge(tab + ", " + scheme)
		}
	}
	p.choose("view", "3d")
	p.holds(`document.querySelector('#view3d canvas').dataset.pictures > 0`)
	p.judge("in 3D, dark")
}

// bringAxe loads axe-core into the page. It skips the test if npm does not have it.
func (p *page) bringAxe() {
	p.t.Helper()
	script, err := os.ReadFile(webtest.File(p.t, "axe-core/axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	eval[bool](p, string(script)+"; true")
}

// judge reports violations of the rules of axe-core.
func (p *page) judge(where string) {
	p.t.Helper()
	found, err := chromedp.Run(p.ctx,
		chromedp.Evaluate[[]string](
			`axe.run(document).then(r => r.passes.length < 20 ? ['only ' + r.passes.length + ' rules were judged'] : r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + v.help + ': ' + n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? ''))))`, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, text := range found {
		p.t.Errorf("%s: %s", where, text)
	}
}
