package dashboard

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// inAbove returns where the 3D view from above shows a point, in pixels of the page. The camera is above the middle of
// the field, at a height of 1.05 times the larger of the field's length and 1.4 times its width. Its vertical field of
// view is 45°.
func (p *page) inAbove(x, y, z float64) (u, v float64) {
	p.t.Helper()
	box := p.box("#view3d canvas")
	f := p.sim.World().Model().Field
	far := 1.05*max(f.Length, 1.4*f.Width) - z
	scale := box[3] / 2 / math.Tan(math.Pi/8) / far
	return box[0] + box[2]/2 + x*scale, box[1] + box[3]/2 - y*scale
}

// picture takes a screenshot.
func (p *page) picture() image.Image {
	p.t.Helper()
	data := must.Get(chromedp.Run(p.ctx, chromedp.CaptureScreenshot()))(p.t)
	return must.Get(png.Decode(bytes.NewReader(data)))(p.t)
}

// blob returns the mean position of the pixels of a kind within a distance of a point, and their number.
func blob(im image.Image, x, y, within float64, is func(r, g, b float64) bool) (u, v float64, n int) {
	for j := int(y - within); j <= int(y+within); j++ {
		for i := int(x - within); i <= int(x+within); i++ {
			r, g, b, _ := im.At(i, j).RGBA()
			if is(float64(r)/257, float64(g)/257, float64(b)/257) {
				u, v, n = u+float64(i)+0.5, v+float64(j)+0.5, n+1
			}
		}
	}
	return u / float64(n), v / float64(n), n
}

func orange(r, g, b float64) bool { return r > 140 && g > 0.5*r && g < 0.85*r && b < 0.4*r }
func green(r, g, b float64) bool  { return g > 1.4*r && g > 1.4*b }

// TestViewIn3D checks the 3D view in a browser. The ball and a robot appear at their true positions, pictures are drawn
// only after a change, and bodies can be moved with the mouse.
func TestViewIn3D(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	p := browse(t, s)
	s.do(`{"pause": {}}`)
	s.do(`{"place": {"name": "ball", "x_m": 2, "y_m": 1}}`)
	p.choose("#view", "3d")
	const drawn = `Number(document.querySelector('#view3d canvas').dataset.pictures)`
	p.holds(drawn + ` > 0`)
	p.screenshots("3d")
	p.choose("#from3d", "above")

	// Numbers are beside robots: without them, the picture of a robot is the same.
	me := s.truth.Load().Robots[0].PoseWB.Pos
	beforeX, beforeY := p.inAbove(me[0], me[1], 0.4)
	redrawn := func(change func()) image.Image {
		t.Helper()
		before := eval[int](p, drawn)
		change()
		p.holds(`%s > %d`, drawn, before)
		return p.picture()
	}
	with := redrawn(func() { p.choose("#sights3d", "all"); p.choose("#sights3d", "") })
	without := redrawn(func() { p.press("#view3d input") })
	at := func(im image.Image, x, y int) string { return fmt.Sprint(im.At(int(beforeX)+x, int(beforeY)+y)) }
	for y := -6; y <= 6; y++ {
		for x := -6; x <= 6; x++ {
			if got, want := at(with, x, y), at(without, x, y); got != want {
				t.Fatalf("%d, %d pixels from the middle of a robot: got %s with its number, want %s", x, y, got, want)
			}
		}
	}
	x, y := p.inAbove(2, 1, 0.11)
	until(t, "the ball to appear at its place", func() bool {
		u, v, n := blob(p.picture(), x, y, 20, orange)
		return n >= 10 && math.Hypot(u-x, v-y) <= 3
	})

	// A robot that an action moves disappears from its old place and appears at the new one.
	r := s.truth.Load().Robots[0].PoseWB.Pos
	fromX, fromY := p.inAbove(r[0], r[1], 0.3)
	toX, toY := p.inAbove(-2, -2, 0.3)
	carpet := func() (from, to int) { // pixels
		im := p.picture()
		_, _, from = blob(im, fromX, fromY, 5, green)
		_, _, to = blob(im, toX, toY, 5, green)
		return from, to
	}
	if from, to := carpet(); from > 60 || to < 100 {
		t.Errorf("got carpet in %d pixels at the robot and in %d beside it, want at most 60 and at least 100", from, to)
	}
	s.do(`{"place": {"name": "` + s.sim.World().Robots[0].Name + `", "x_m": -2, "y_m": -2}}`)
	until(t, "the robot to appear at its place", func() bool {
		from, to := carpet()
		return from > 60 && to < 60
	})

	// Nothing is drawn while nothing changes.
	before := eval[int](p, drawn)
	until(t, "pictures to end", func() bool {
		was := before
		p.run(chromedp.Sleep(300 * time.Millisecond))
		before = eval[int](p, drawn)
		return before == was
	})

	// With the mouse: dragging the ball moves it on the floor, and dragging the ground rotates the scene.
	toX, toY = p.inAbove(3, -1, 0.11)
	p.drag(x, y, toX, toY)
	p.holds(`document.querySelector('#said').textContent.startsWith('ball placed at')`)
	s.do(`{"resume": {}}`)
	until(t, "the ball to be at the place to which it was dragged", func() bool {
		b := s.truth.Load().Ball.PosW
		return math.Hypot(b[0]-3, b[1]+1) < 0.1
	})
	p.holds(`%s > %d`, drawn, before)

	// The browser may take the graphics context away and restore it.
	p.js(`window.taken = document.querySelector('#view3d canvas').getContext('webgl2').getExtension('WEBGL_lose_context')
		taken.loseContext()`)
	p.holds(`document.querySelector('#view3d .sky p').textContent.startsWith('the browser has taken')`)
	before = eval[int](p, drawn)
	p.js(`taken.restoreContext()`)
	p.holds(`document.querySelector('#view3d .sky p').hidden && %s > %d`, drawn, before)

	p.choose("#view", "above")
	until(t, "a hidden view to receive no poses", func() bool { return s.run.states.poses.wanted.Load() == 0 })
	p.clean()
}

// TestPageWithoutWebGL checks that without WebGL the page shows the field from above, and that the choice of views says
// why.
func TestPageWithoutWebGL(t *testing.T) {
	t.Parallel()
	browser, end := startBrowser(chromedp.DisableGPU, chromedp.Flag("disable-webgl", true),
		chromedp.Flag("disable-3d-apis", true))
	t.Cleanup(end)
	p := browseTo(t, browser, serve(t, small(t)), ".body.ball")
	p.js(`const s = document.querySelector('#view'); s.value = '3d'; s.dispatchEvent(new Event('change'))`)
	p.holds(`document.querySelector('#view').value === 'above' && !document.querySelector('#field').hidden && document.querySelector('#view3d').hidden`)
	p.reads(`#view option[value="3d"]:disabled`, "in 3D (this browser has no WebGL 2)")
	if loaded := eval[int](p,
		`performance.getEntriesByType('resource').filter(e => e.name.includes('three')).length`); loaded > 0 {
		t.Errorf("%d files of three.js have been loaded, want none", loaded)
	}
}
