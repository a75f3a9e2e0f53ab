package dashboard

import (
	"math"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestRecordingsInBrowser checks that a page records the run, stops, and replays the recording alongside the run. It
// jumps to a goal by its mark and by keys, and opens the moment of a test's failure. After a restart of the server it
// continues, in the run and in the replay.
func TestRecordingsInBrowser(t *testing.T) {
	dir := t.TempDir()
	failed(t, dir)
	s := serveAt(t, small(t), "127.0.0.1:0", dir)
	p := browse(t, s)
	time := func() float64 { // time of the replay, s
		return eval[float64](p, `Number(document.querySelector('#line').getAttribute('aria-valuenow'))`)
	}
	open := func(selector string) {
		t.Helper()
		defer func() {
			if t.Failed() {
				t.Log(eval[string](p,
					`location.href + ': ' + document.querySelector('header').innerText + '; ' + document.querySelector('#error').textContent`))
			}
		}()
		// clicks by script, because the list may move
		eval[bool](p, "(document.querySelector('"+selector+"').click(), true)")
		p.holds(`location.search.includes('recording=') && document.querySelector('#timeline')?.hidden === false && !!document.querySelector('.body.ball')`)
	}

	// Record, with a goal, and stop.
	p.run(chromedp.Click(chromedp.CSS("#recordings-tab")), chromedp.WaitVisible(chromedp.CSS("#record")),
		chromedp.Click(chromedp.CSS("#record")))
	p.holds(`document.querySelector('#record').textContent === 'Stop recording'`)
	begun := s.truth.Load().Step
	until(t, "half a second", func() bool { return s.truth.Load().Step > begun+100 })
	s.do(`{"game_command": {"command": "goal", "team": "cyan"}}`)
	until(t, "half a second more", func() bool { return s.truth.Load().Step > begun+300 })
	p.look("recording", 1366, 900, "light")
	p.run(chromedp.Click(chromedp.CSS("#record")))
	p.holds(`document.querySelector('#record').textContent === 'Record from now on' && document.querySelectorAll('#files a').length === 3`)
	first := `#files li:first-child a`

	// Replay it. The list shows it first, because it is the newest.
	open(first)
	p.holds(`document.querySelectorAll('.marks [data-kind=goal]').length === 1`)
	p.run(chromedp.Click(chromedp.CSS("#pause")))
	p.holds(`document.querySelector('#pause').textContent === 'Resume'`)
	if s.sim.Clock().Paused() {
		t.Error("the page has paused the run, not the replay")
	}
	eval[bool](p, `(document.querySelector('#line').focus(), true)`)
	p.run(chromedp.KeyEvent(kb.End))
	p.holds(`Math.abs(Number(document.querySelector('#line').getAttribute('aria-valuenow')) - Number(document.querySelector('#line').getAttribute('aria-valuemax'))) < 0.11`)
	end := time()
	p.run(chromedp.KeyEvent(kb.ArrowLeft))
	until(t, "a second back", func() bool { return math.Abs(time()-end+1) < 0.11 })
	p.run(chromedp.Click(chromedp.CSS(`.marks [data-kind=goal]`)))
	from := eval[float64](p, `Number(document.querySelector('#line').getAttribute('aria-valuemin'))`)
	// The recording began less than two seconds before the goal, so the jump ends at its beginning.
	until(t, "the moment before the goal", func() bool { return time() < from+0.11 })
	p.holds(`document.querySelector('#said').textContent.includes('goal of cyan, 1 : 0')`)
	box := eval[[]float64](p,
		`(() => { const r = document.querySelector('#line').getBoundingClientRect(); return [r.left, r.width, r.bottom - 4] })()`)
	p.drag(box[0]+4, box[2], box[0]+box[1]*0.75, box[2])
	until(t, "the replay to be dragged", func() bool { return math.Abs(time()-from-(end-from)*0.75) < 0.11 })
	p.holds(`document.querySelector('#score').textContent === '1 : 0'`)
	if open := call[struct{ Replays []replayedJSON }](s, "GET", "/api/replays", "", 200).Replays; len(open) != 1 {
		t.Errorf("open are %+v", open)
	}
	p.look("replay", 1366, 900, "light")
	p.look("replay-dark", 1366, 900, "dark")
	p.look("replay-tablet", 820, 1180, "light")

	// The server restarts. The page continues at the same time, with a replay of the same recording.
	addr := s.Addr().String()
	s.stop()
	p.holds(`document.querySelector('#connection').textContent.startsWith('connection lost')`)
	p.forget("ERR_CONNECTION_REFUSED", "WebSocket connection")
	again := serveAt(t, small(t), addr, dir)
	p.served = again
	p.holds(`document.querySelector('#connection').textContent === 'connected' && document.querySelectorAll('.marks [data-kind=goal]').length === 1`)

	p.forget("404") // for the replay that the server no longer has

	// The failure of a test, at its moment, with the expectation.
	p.run(chromedp.Click(chromedp.CSS("#back")))
	p.holds(`!location.search && document.querySelector('#timeline')?.hidden === true && document.querySelectorAll('#results a').length === 2`)
	p.look("results", 1366, 900, "light")
	open(`#results li:nth-child(2) a`)
	p.holds(`document.querySelector('#said').textContent.startsWith('ball-is-fast: failed: expected') && !location.search.includes('failure')`)
	if at := time(); !(at >= 0.4 && at < 2.6) {
		t.Errorf("the replay is at %v s, the failure is at 2.5 s", at)
	}
	p.forget("ERR_CONNECTION_REFUSED", "WebSocket connection")
	p.mu.Lock()
	for _, text := range p.bad {
		t.Error(text)
	}
	p.mu.Unlock()

	// The timeline and the lists are accessible.
	p.bringAxe()
	eval[bool](p,
		`(document.querySelectorAll('details').forEach(d => { d.open = true }), document.querySelector('#recordings-tab').click(), true)`)
	p.judge("a replay")
	p.run(chromedp.Click(chromedp.CSS("#back")))
	p.holds(`!location.search && document.querySelectorAll('#results a').length === 2`)
	p.bringAxe()
	p.judge("lists of recordings and results")
}

// forget drops the messages that a stopped server causes.
func (p *page) forget(all ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var left []string
	for _, text := range p.bad {
		known := false
		for _, one := range all {
			known = known || strings.Contains(text, one)
		}
		if !known {
			left = append(left, text)
		}
	}
	p.bad = left
}

// TestFolderInBrowser views a folder without a run.
func TestFolderInBrowser(t *testing.T) {
	dir := t.TempDir()
	failed(t, dir)
	server, err := Listen(nil, Config{Addr: "127.0.0.1:0", Recordings: Recordings{Folders: []string{dir}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := &served{Server: server, t: t}
	p := browseTo(t, s, "#results a")
	p.holds(`document.querySelector('#connection').textContent === 'there is no run: choose a recording' && document.querySelectorAll('#results a').length === 2 && document.querySelector('#record').hidden`)
	p.look("folder", 1366, 900, "light")
	p.run(chromedp.Click(chromedp.CSS("#results a")))
	p.holds(`!!document.querySelector('.body.ball') && document.querySelector('#name')?.textContent === 'slow, replayed'`)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		if !strings.Contains(text, "404") { // the page learns from it that there is no run
			t.Error(text)
		}
	}
}
