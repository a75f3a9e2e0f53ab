package dashboard

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPageInBrowser checks the page in a browser. It shows the moving truth, pauses and steps, switches a sensor, and
// shows a camera. Bodies are moved, turned and kicked with the mouse and the keyboard. There must be no error and no
// request to another machine.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	p := browse(t, s)
	if n := eval[int](p, `document.querySelectorAll('.robot').length`); n != 2 {
		t.Errorf("the page shows %d robots, want 2", n)
	}

	// A robot that drives moves on the page.
	x, _ := p.at(robot)
	s.do(`{"drive": {"robot": "` + robot + `", "vx_m_s": 1}}`)
	until(t, "the robot to move", func() bool { now, _ := p.at(robot); return math.Abs(now-x) > 10 })
	s.do(`{"drive": {"robot": "` + robot + `", "stop": true}}`)

	// Pause and step, with the button and the key.
	p.click("#pause")
	until(t, "the pause", s.sim.Clock().Paused)
	p.holds(`!document.querySelector('#step').disabled && document.querySelector('#pause').textContent === 'Resume'`)
	step := s.truth.Load().Step
	p.click("#step")
	until(t, "a step", func() bool { return s.truth.Load().Step == step+1 })
	p.js(`document.activeElement.blur()`)
	p.run(chromedp.KeyEvent("."))
	until(t, "another step", func() bool { return s.truth.Load().Step == step+2 })

	// Drag the ball while the run is paused. It stays where the pointer released it.
	bx, by := p.at("ball")
	scale := p.scale()
	p.drag(bx, by, bx+2*scale, by-scale)
	p.holds(`document.querySelector('#said').textContent.startsWith('ball placed at')`)
	was := s.truth.Load().Ball.PosW
	p.run(chromedp.KeyEvent("."), chromedp.KeyEvent("."))
	until(t, "the ball to be placed", func() bool {
		now := s.truth.Load().Ball.PosW
		return math.Abs(now[0]-was[0]-2) < 0.1 && math.Abs(now[1]-was[1]-1) < 0.1
	})

	// Turn a robot and resume.
	rx, ry := p.at(robot)
	p.drag(rx, ry, rx, ry-2*scale, chromedp.ButtonModifiers(chromedp.ModifierShift))
	// The robot may still be animated when the mouse grabs it.
	p.holds(`/^%s turned to (8[89]|9[012])°$/.test(document.querySelector('#said').textContent)`, robot)
	p.js(`document.activeElement.blur()`)
	p.run(chromedp.KeyEvent(" "))
	until(t, "time to go on", func() bool { return !s.sim.Clock().Paused() })
	until(t, "the robot to be turned", func() bool {
		return math.Abs(s.truth.Load().Robots[0].PoseWB.Heading()-math.Pi/2) < 0.1
	})

	// Kick the ball with a drag, and move it with a key.
	bx, by = p.at("ball")
	p.drag(bx, by, bx-2*scale, by, chromedp.ButtonModifiers(chromedp.ModifierShift))
	until(t, "the ball to roll", func() bool { return s.truth.Load().Ball.TwistInW.Lin[0] < -1.5 })
	p.js(`document.querySelector('[data-name="%s"]').focus()`, robot)
	y := s.truth.Load().Robots[0].PoseWB.Pos[1]
	p.run(chromedp.KeyEvent(kb.ArrowUp))
	until(t, "the robot to be moved by a key",
		func() bool { return math.Abs(s.truth.Load().Robots[0].PoseWB.Pos[1]-y-0.1) < 0.03 })

	// View a camera: first detections, then, at another level, images.
	p.click(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))
	p.shows(`figure .sight svg`)
	p.choose(fmt.Sprintf(`select[data-sensor="%s.%s"]`, robot, sensor), "ideal")
	p.holds(`document.querySelector('figure .sight img')?.naturalWidth > 0`)
	if level, err := s.sim.Sensors().Level(robot, sensor); err != nil || level != "ideal" {
		t.Errorf("the sensor is at level %s, %v, want ideal", level, err)
	}
	p.screenshots("page")

	if nameless := eval[[]string](p, `[...document.querySelectorAll('button, select, input, summary, [tabindex]')].filter(
		e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)`,
	); len(nameless) > 0 {
		t.Errorf("controls without an accessible name: %q", nameless)
	}
	p.clean()
}

// TestPageIsAccessible checks the page by the rules of axe-core, in light and dark, on every tab, with the camera open
// that the page opens itself, and the keys shown. Its parts must not move while it loads and states arrive.
func TestPageIsAccessible(t *testing.T) {
	t.Parallel()
	p := browseTo(t, browser(), serve(t, small(t)), ".body.ball")
	p.reads("#connection", "connected")
	type shift struct {
		Value float64
		Moved []string
	}
	sum, shifts := 0.0, eval[[]shift](p, `new Promise(done => {
		const shifts = [], place = r => [r.x, r.y, r.width, r.height].map(Math.round).join(' ')
		const moved = s => (s.node?.id || s.node?.nodeName) + ' ' + place(s.previousRect) + ' -> ' + place(s.currentRect)
		new PerformanceObserver(list => list.getEntries().forEach(
			e => e.hadRecentInput || shifts.push({value: e.value, moved: e.sources.map(moved)})))
			.observe({type: 'layout-shift', buffered: true})
		setTimeout(() => done(shifts), 500)
	})`)
	for _, s := range shifts {
		sum += s.Value
	}
	if !(sum <= 0.01) {
		t.Errorf("the layout has shifted by %v, want 0.01 at most: %+v", sum, shifts)
	}
	p.click("#help")
	p.holds(`document.querySelector('figure .sight img, figure .sight svg') !== null`)
	p.openAll()
	p.bringAxe()
	for _, tab := range eval[[]string](p, `[...document.querySelectorAll('[role=tab]')].map(t => t.id)`) {
		p.click("#" + tab)
		p.run(chromedp.Sleep(100 * time.Millisecond))
		p.judge(tab)
		p.prefer("dark")
		p.judge(tab+", dark", "color-contrast")
		p.prefer("light")
	}
	p.choose("#view", "3d")
	p.holds(`document.querySelector('#view3d canvas').dataset.pictures > 0`)
	p.judge("in 3D")
}
