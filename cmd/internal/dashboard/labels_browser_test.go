package dashboard

import (
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// TestFirstCameraInBrowser checks that a page opens the first camera with a mirror, small. It receives frames only
// while the page is visible. What the user opens and closes stays so when the world restarts.
func TestFirstCameraInBrowser(t *testing.T) {
	t.Parallel()
	const robot = "cyan1" // the first with a mirror
	s := serve(t, load(t, "planar"))
	p := browseTo(t, browser(), s, "figure.small")
	p.holds(`document.querySelectorAll('figure').length === 1 && document.querySelector('figure').dataset.camera === %q &&
		document.querySelector('figure').clientWidth < 0.6 * document.querySelector('#cameras').clientWidth`, robot+".omni")
	p.shows(`figure .sight svg`)
	wanted := func() bool {
		f, err := s.feeds.find(robot, "omni", true)
		return err == nil && f.wanted()
	}
	until(t, "a visible page to ask for frames of its camera", wanted)
	hide := func(hidden bool) {
		t.Helper()
		p.js(`Object.defineProperty(document, 'hidden', {value: %v, configurable: true})
			document.dispatchEvent(new Event('visibilitychange'))`, hidden)
	}
	hide(true)
	until(t, "a hidden page to ask for no frames", func() bool { return !wanted() })
	p.press(`button[data-camera="` + robot + `.kinect_left"]`)
	if n := eval[int](p, `document.querySelectorAll('figure').length`); n != 2 || wanted() {
		t.Errorf("hidden: got %d cameras, frames wanted: %v, want 2 and false", n, wanted())
	}
	hide(false)
	until(t, "a visible page to ask again", wanted)

	p.press(fmt.Sprintf(`button[aria-label="close %s.omni"]`, robot))
	p.reads(`figure strong`, robot+".kinect_left")
	id := eval[int](p, `fetch('api/world').then(r => r.json()).then(w => w.id)`)
	s.do(`{"reset": {"seed": 7}}`)
	p.holds(`fetch('api/world').then(r => r.json()).then(w => w.id > %d)`, id)
	p.holds(`document.querySelectorAll('figure').length === 1 && document.querySelector('figure .sight svg') !== null`)
	p.reads(`figure strong`, robot+".kinect_left")
	p.clean()
}

// TestLabelsHideNothing checks names of areas beside their areas, a switch for areas, names of detections beside their
// rings, the colour of the carpet, and the order of robots in lists.
func TestLabelsHideNothing(t *testing.T) {
	t.Parallel()
	w := small(t)
	w.Robots[0], w.Robots[1] = w.Robots[1], w.Robots[0] // magenta first
	w.Hall.Carpet = "#203a80"
	w.Areas = []area.Area{{Name: "box", Rectangle: &area.Rectangle{X: [2]float64{-3, -1}, Y: [2]float64{-1, 1}}},
		{Name: "a_circle", Circle: &area.Circle{X: 2, Y: 2, Radius: 0.3}},
		{Name: "corner", Rectangle: &area.Rectangle{X: [2]float64{1, 2}, Y: [2]float64{-9, -8}}}}
	s := serve(t, w)
	p := browse(t, s)
	p.holds(`[...document.querySelectorAll('[data-area]')].slice(0, 2).every(g => {
		const [shape, name] = ['.area', '.area-name'].map(css => g.querySelector(css).getBoundingClientRect())
		return name.width > 0 && name.top >= shape.bottom - 2 && name.top < shape.bottom + 20
	})`)
	p.holds(`(() => { const n = document.querySelector('[data-area=corner] .area-name').getBoundingClientRect(), f = document.querySelector('#field svg').getBoundingClientRect()
		return n.bottom <= f.bottom && n.width > 0 })()`)
	p.click(`#areas`)
	p.holds(`document.querySelector('[data-area=box]').getBoundingClientRect().width === 0`)
	p.holds(`getComputedStyle(document.querySelector('#field svg')).backgroundColor === 'rgb(32, 58, 128)'`)
	s.do(`{"set_carpet_color": {"color": "#806020"}}`)
	p.holds(`getComputedStyle(document.querySelector('#field svg')).backgroundColor === 'rgb(128, 96, 32)'`)

	want := fmt.Sprint([]string{w.Robots[1].Name, w.Robots[0].Name})
	for _, list := range []string{`#sensors summary`, `#carded option`, `.beliefs:not(#radios, #motion-states) tbody th`} {
		p.holds(`'[' + [...document.querySelectorAll(%q)].map(e => e.textContent.match(/[a-z]+[0-9]$/)[0]).join(' ') + ']' === %q`, list, want)
	}
	if first := w.Robots[0].Team; first != physics.Magenta {
		t.Fatalf("the first robot is %s, want magenta", first)
	}

	// Six objects in a picture of 640 × 480 pixels: names cover neither a ring nor another name.
	p.holds(`import('./overlays.js').then(({ besideRings }) => {
		const font = 20, ring = (u, v, r) => [[u - r, v - r], [u + r, v + r]]
		const boxes = (names, rings, mirror) => [...rings.map(r => [...r[0], ...r[1]]),
			...besideRings(names, rings, font, 640, 480, mirror).map(([u, v], i) => [u - font * names[i].length / 4, v - 8, u + font * names[i].length / 4, v + 8])]
		const apart = all => all.every((a, i) => all.every((b, k) => i >= k || a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]))
		const names = ['cyan2', 'magenta3', 'ball', 'post_plus_left', 'magenta4', 'cyan1']
		const rings = [ring(300, 60, 12), ring(330, 70, 10), ring(345, 110, 6), ring(420, 80, 4), ring(450, 110, 12), ring(100, 240, 30)]
		return apart(boxes(names, rings, true)) && apart(boxes(names, rings, false))
	})`)
	p.clean()
}
