package dashboard

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var pictures = flag.String("dashboard.pictures", "", "folder for screenshots of the page; empty: none are taken")

// page is the dashboard in a browser.
type page struct {
	*served
	ctx context.Context

	mu  sync.Mutex
	bad []string // console messages, and requests to other machines
}

// browser is the Chromium of all tests, or nil if Chromium is not installed. The processor renders WebGL, as on a
// machine without a GPU. closeBrowser ends it.
var (
	browser = sync.OnceValue(func() context.Context {
		ctx, end := startBrowser(chromedp.Flag("use-angle", "swiftshader"),
			chromedp.Flag("enable-unsafe-swiftshader", true))
		closeBrowser = end
		return ctx
	})
	closeBrowser = func() {}
)

func TestMain(m *testing.M) {
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// startBrowser starts Chromium. It returns nil if Chromium is not installed.
func startBrowser(options ...chromedp.ExecAllocatorOption) (ctx context.Context, end func()) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, func() {}
	}
	dir, err := os.MkdirTemp("", "dashboard-")
	if err != nil {
		panic(err) // no test works without it
	}
	ctx, stop := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(append(options,
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(dir))...))
	if err := chromedp.Do(ctx); err != nil { // makes it the parent of all pages
		panic(err)
	}
	return ctx, func() {
		stop()
		_ = os.RemoveAll(dir)
	}
}

// browse opens a dashboard in Chromium, and waits until it shows the run. It closes the camera that the page opens
// by itself, so that a test sees only the cameras that it opens.
func browse(t testing.TB, s *served) *page {
	t.Helper()
	p := browseTo(t, browser(), s, ".body.ball")
	p.reads("#connection", "connected")
	p.js(`document.querySelectorAll('figcaption button:last-child').forEach(button => button.click())`)
	return p
}

// browseTo opens a dashboard and waits until an element is visible.
func browseTo(t testing.TB, browser context.Context, s *served, css string) *page {
	t.Helper()
	if browser == nil {
		t.Skip("Chromium is not installed: install.sh --test installs it")
	}
	ctx, end := chromedp.NewContext(browser)
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
			if u := strings.TrimPrefix(r.Request.URL, "blob:"); !strings.HasPrefix(u, s.URL()) &&
				!strings.HasPrefix(u, "data:") {
				p.note("request: " + u)
			}
		}
	}()
	p.run(chromedp.Navigate(s.URL()), chromedp.WaitVisible(chromedp.CSS(css)))
	return p
}

func (p *page) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bad = append(p.bad, text)
}

// clean reports console messages and requests to other machines, except those that contain one of the texts.
func (p *page) clean(except ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		if !slices.ContainsFunc(except, func(known string) bool { return strings.Contains(text, known) }) {
			p.t.Error(text)
		}
	}
}

func (p *page) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	must.Do(p.t, chromedp.Do(p.ctx, steps...))
}

// eval evaluates an expression in the page; it waits for a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// js runs a statement in the page.
func (p *page) js(format string, args ...any) {
	p.t.Helper()
	eval[bool](p, "(() => { "+fmt.Sprintf(format, args...)+"; return true })()")
}

// holds waits until an expression is true. While the page loads another one, no expression has a value.
func (p *page) holds(format string, args ...any) {
	p.t.Helper()
	expression := fmt.Sprintf(format, args...)
	until(p.t, expression, func() bool {
		v, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise))
		return err == nil && v
	})
}

// reads waits until the text of an element is the given one.
func (p *page) reads(css, text string) {
	p.t.Helper()
	p.holds(`document.querySelector(%q)?.textContent === %q`, css, text)
}

// shows waits until there is an element.
func (p *page) shows(css string) { p.t.Helper(); p.holds(`!!document.querySelector(%q)`, css) }

// click clicks an element with the mouse. It tries again if the page replaces the element in the meantime.
func (p *page) click(css string) {
	p.t.Helper()
	until(p.t, "a click on "+css, func() bool { return chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(css))) == nil })
}

// press clicks an element by script, wherever it is.
func (p *page) press(css string) { p.t.Helper(); p.js(`document.querySelector(%q).click()`, css) }

// openAll opens all details of the page.
func (p *page) openAll() {
	p.t.Helper()
	p.js(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
}

// choose selects an option of a list.
func (p *page) choose(css, value string) {
	p.t.Helper()
	p.js(`const s = document.querySelector(%q); s.value = %q; if (s.value !== %[2]q) throw new Error('there is no ' + %[2]q);
		s.dispatchEvent(new Event('change'))`, css, value)
}

// box returns x, y, width and height of an element on the page, in pixels.
func (p *page) box(css string) []float64 {
	p.t.Helper()
	return eval[[]float64](p, fmt.Sprintf(
		`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x, r.y, r.width, r.height] })()`,
		css))
}

// at returns the position of a body on the page, in pixels.
func (p *page) at(name string) (x, y float64) {
	p.t.Helper()
	b := p.box(fmt.Sprintf(`[data-name="%s"] .focus`, name))
	return b[0] + b[2]/2, b[1] + b[3]/2
}

// scale returns the pixels of a metre in the view from above.
func (p *page) scale() float64 {
	p.t.Helper()
	return eval[float64](p, `document.querySelector('#field svg g').getScreenCTM().a`)
}

// drag drags from one position on the page to another.
func (p *page) drag(x, y, toX, toY float64, more ...chromedp.MouseOption) {
	p.t.Helper()
	held := append([]chromedp.MouseOption{chromedp.ButtonLeft}, more...)
	once := append(slices.Clip(held), chromedp.ClickCount(1))
	p.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, once...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, (x+toX)/2, (y+toY)/2, held...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, toX, toY, held...),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, toX, toY, once...))
}

// prefer sets the colour scheme that the browser prefers: light or dark.
func (p *page) prefer(scheme string) {
	p.t.Helper()
	features := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: scheme}}}
	must.Get(chromedp.Call(p.ctx, emulation.SetEmulatedMedia, features))(p.t)
}

// screenshots takes screenshots if the test was asked for them: light, dark, and on a tablet.
func (p *page) screenshots(name string) {
	p.t.Helper()
	if *pictures == "" {
		return
	}
	for _, kind := range []struct {
		name, scheme  string
		width, height int64
	}{{"light", "light", 1366, 900}, {"dark", "dark", 1366, 900}, {"tablet", "light", 820, 1180}} {
		p.prefer(kind.scheme)
		p.run(chromedp.EmulateViewport(kind.width, kind.height), chromedp.Sleep(time.Second))
		png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(*pictures, name+"-"+kind.name+".png"), png, 0o644)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.prefer("light")
	p.run(chromedp.EmulateViewport(1280, 900))
}

// bringAxe loads axe-core into the page. It skips the test if npm does not have it.
func (p *page) bringAxe() {
	p.t.Helper()
	script := must.Get(os.ReadFile(webtest.File(p.t, "axe-core/axe.min.js")))(p.t)
	eval[bool](p, string(script)+"; true")
}

// judge reports violations of the rules of axe-core: of all rules, or of those that the option runOnly names.
func (p *page) judge(where string, runOnly ...string) {
	p.t.Helper()
	options, least := "{}", 20
	if len(runOnly) > 0 {
		options, least = fmt.Sprintf("{runOnly: ['%s']}", strings.Join(runOnly, "','")), len(runOnly)
	}
	for _, text := range eval[[]string](p, fmt.Sprintf(`axe.run(document, %s).then(r => r.passes.length < %d
		? ['only ' + r.passes.length + ' rules were judged']
		: r.violations.flatMap(v => v.nodes.map(n =>
			v.id + ': ' + v.help + ': ' + n.html.slice(0, 200) + ' ' + (n.any[0]?.message ?? ''))))`, options, least)) {
		p.t.Errorf("%s: %s", where, text)
	}
}
