package dashboard

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var pictures = flag.String("dashboard.pictures", "", "folder for screenshots of the page; empty: none are taken")

// page is the dashboard in a browser.
type page struct {
	*served
	ctx context.Context

	mu  sync.Mutex
	bad []string // console messages, and requests to other machines
}

// browser is the Chromium of all tests. closeBrowser ends it.
var (
	browser      = sync.OnceValue(startBrowser)
	closeBrowser = func() {}
)

// startBrowser starts Chromium if it is installed. The processor renders WebGL, as on a machine without a GPU.
func startBrowser() context.Context {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "dashboard-")
	if err != nil {
		panic(err) // no test works without it
	}
	ctx, end := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.UserDataDir(dir),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true)))
	closeBrowser = func() {
		end()
		_ = os.RemoveAll(dir)
	}
	if err := chromedp.Do(ctx); err != nil { // makes it the parent of all pages
		panic(err)
	}
	return ctx
}

// browse opens a dashboard in Chromium.
func browse(t testing.TB, s *served) *page {
	t.Helper()
	return browseTo(t, s, ".body.ball")
}

// browseTo opens a dashboard and waits until an element is present.
func browseTo(t testing.TB, s *served, selector string) *page {
	t.Helper()
	if browser() == nil {
		t.Skip("there is no chromium here: install.sh --test brings it")
	}
	ctx, end := chromedp.NewContext(browser())
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	p := &page{served: s, ctx: ctx}
	console := chromedp.Console(ctx)
	p.run(chromedp.EmulateViewport(1280, 900))
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if m.Type != chromedp.ConsoleLog && m.Type != chromedp.ConsoleDebug && m.Type != chromedp.ConsoleInfo {
				p.note(fmt.Sprintf("console: %s: %s", m.Type, m.Text))
			}
		}
	}()
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u := r.Request.URL; !strings.HasPrefix(u, s.URL()) && !strings.HasPrefix(u, "blob:"+s.URL()) &&
				!strings.HasPrefix(u, "data:") {
				p.note("request: " + u)
			}
		}
	}()
	p.run(chromedp.Navigate(s.URL()), chromedp.WaitVisible(chromedp.CSS(selector)))
	return p
}

func (p *page) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = append(p.bad, text)
}

func (p *page) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates an expression in the page.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// holds waits until an expression is true.
func (p *page) holds(expression string) {
	p.t.Helper()
	until(p.t, expression, func() bool { return eval[bool](p, expression) })
}

// at returns the position of a body on the page, in pixels.
func (p *page) at(name string) (x, y float64) {
	p.t.Helper()
	at := eval[[]float64](p,
		fmt.Sprintf(
			`(() => { const r = document.querySelector('[data-name="%s"] .focus').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, name))
	return at[0], at[1]
}

// drag drags from one position on the page to another.
func (p *page) drag(x, y, toX, toY float64, more ...chromedp.MouseOption) {
	p.t.Helper()
	held := append([]chromedp.MouseOption{chromedp.ButtonLeft}, more...)
	p.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, append(held, chromedp.ClickCount(1))...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, (x+toX)/2, (y+toY)/2, held...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, toX, toY, held...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, toX, toY,
			append(held, chromedp.ClickCount(1))...))
}

// look takes a screenshot if the test was asked for screenshots.
func (p *page) look(name string, width, height int64, scheme string) {
	p.t.Helper()
	if *pictures == "" {
		return
	}
	features := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: scheme}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, features); err != nil {
		p.t.Fatal(err)
	}
	p.run(chromedp.EmulateViewport(width, height), chromedp.Sleep(time.Second))
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestPageInBrowser checks the page in a browser. It shows the moving truth, pauses and steps, switches a sensor, and
// shows a camera. Bodies are moved, turned and kicked with the mouse and the keyboard. There must be no error and no
// request to another machine.
func TestPageInBrowser(t *testing.T) {
	s := serve(t, small(t))
	robot, sensor := camera(t, s.sim.World())
	p := browse(t, s)
	p.holds(`document.querySelector('#connection').textContent === 'connected'`)
	if n := eval[int](p, `document.querySelectorAll('.robot').length`); n != 2 {
		t.Errorf("%d robots are shown", n)
	}

	// A robot that drives moves on the page.
	x, _ := p.at(robot)
	s.do(`{"drive": {"robot": "` + robot + `", "vx_m_s": 1}}`)
	until(t, "the robot to move", func() bool { now, _ := p.at(robot); return math.Abs(now-x) > 10 })
	s.do(`{"drive": {"robot": "` + robot + `", "stop": true}}`)

	// Pause and step, with the button and the key.
	p.run(chromedp.Click(chromedp.CSS("#pause")))
	until(t, "the pause", s.sim.Clock().Paused)
	p.holds(`!document.querySelector('#step').disabled && document.querySelector('#pause').textContent === 'Resume'`)
	step := s.truth.Load().Step
	p.run(chromedp.Click(chromedp.CSS("#step")))
	until(t, "a step", func() bool { return s.truth.Load().Step == step+1 })
	eval[bool](p, `(document.activeElement.blur(), true)`)
	p.run(chromedp.KeyEvent("."))
	until(t, "another step", func() bool { return s.truth.Load().Step == step+2 })

	// Drag the ball while the run is paused. It stays where the pointer released it.
	bx, by := p.at("ball")
	scale := eval[float64](p, `document.querySelector('#field svg g').getScreenCTM().a`) // pixels per metre
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
	p.holds(`/^` + robot + ` turned to (8[89]|9[012])°$/.test(document.querySelector('#said').textContent)`)
	eval[bool](p, `(document.activeElement.blur(), true)`)
	p.run(chromedp.KeyEvent(" "))
	until(t, "time to go on", func() bool { return !s.sim.Clock().Paused() })
	until(t, "the robot to be turned", func() bool {
		return math.Abs(s.truth.Load().Robots[0].PoseWB.Heading()-math.Pi/2) < 0.1
	})

	// Kick the ball with a drag, and move it with a key.
	bx, by = p.at("ball")
	p.drag(bx, by, bx-2*scale, by, chromedp.ButtonModifiers(chromedp.ModifierShift))
	until(t, "the ball to roll", func() bool { return s.truth.Load().Ball.TwistInW.Lin[0] < -1.5 })
	eval[bool](p, `(document.querySelector('[data-name="`+robot+`"]').focus(), true)`)
	y := s.truth.Load().Robots[0].PoseWB.Pos[1]
	p.run(chromedp.KeyEvent(kb.ArrowUp))
	until(t, "the robot to be moved by a key",
		func() bool { return math.Abs(s.truth.Load().Robots[0].PoseWB.Pos[1]-y-0.1) < 0.03 })

	// View a camera: first detections, then, at another level, images.
	p.run(chromedp.Click(chromedp.CSS(fmt.Sprintf(`button[data-camera="%s.%s"]`, robot, sensor))))
	p.holds(`!!document.querySelector('figure .sight svg')`)
	eval[bool](p,
		fmt.Sprintf(
			`(() => { const s = document.querySelector('select[data-sensor="%s.%s"]'); s.value = 'ideal'; s.dispatchEvent(new Event('change')); return true })()`, robot, sensor))
	p.holds(`document.querySelector('figure .sight img')?.naturalWidth > 0`)
	if level, err := s.sim.Sensors().Level(robot, sensor); err != nil || level != "ideal" {
		t.Errorf("the sensor is at level %s, %v", level, err)
	}
	p.look("light", 1366, 800, "light")
	p.look("dark", 1366, 800, "dark")
	p.look("tablet", 820, 1180, "light")

	// Every control has an accessible name.
	if nameless := eval[[]string](p,
		`[...document.querySelectorAll('button, select, input, summary, [tabindex]')].filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map(e => e.outerHTML)`); len(nameless) > 0 {
		t.Errorf("without a name: %q", nameless)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		t.Error(text)
	}
}
