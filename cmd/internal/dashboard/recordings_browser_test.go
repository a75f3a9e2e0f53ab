package dashboard

import (
	"math"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestRecordingsInBrowser checks that a page records the run, stops, and replays the recording alongside the run. It
// jumps to a goal by its mark and by keys, and opens the moment of a test's failure. After a restart of the server it
// continues, in the run and in the replay.
func TestRecordingsInBrowser(t *testing.T) {
	t.Parallel()
	dir := failed(t)
	s := serve(t, small(t), listening("127.0.0.1:0", dir))
	p := browse(t, s)
	line := func(key string) float64 { // a time of the replay, s
		return eval[float64](p, `Number(document.querySelector('#line').getAttribute('aria-value`+key+`'))`)
	}
	open := func(css string) {
		t.Helper()
		p.press(css) // by script, because the list may move
		p.holds(`location.search.includes('recording=') && document.querySelector('#timeline')?.hidden === false && !!document.querySelector('.body.ball')`)
	}

	// Record, with a goal, and stop.
	p.click("#recordings-tab")
	p.run(chromedp.WaitVisible(chromedp.CSS("#record")))
	p.click("#record")
	p.reads("#record", "Stop recording")
	s.simulate(500 * time.Millisecond)
	s.do(`{"game_command": {"command": "goal", "team": "cyan"}}`)
	s.simulate(1500 * time.Millisecond)
	p.screenshots("recording")
	p.click("#record")
	p.reads("#record", "Start recording")
	p.holds(`document.querySelectorAll('#files a').length === 3`)

	// Replay it. The list shows it first, because it is the newest.
	open(`#files li:first-child a`)
	p.holds(`document.querySelectorAll('.marks [data-kind=goal]').length === 1`)
	p.click("#pause")
	p.reads("#pause", "Resume")
	if s.sim.Clock().Paused() {
		t.Error("the page has paused the run, not the replay")
	}
	p.js(`document.querySelector('#line').focus()`)
	p.run(chromedp.KeyEvent(kb.End))
	until(t, "the end", func() bool { return math.Abs(line("now")-line("max")) < 0.11 })
	end := line("now")
	p.run(chromedp.KeyEvent(kb.ArrowLeft))
	until(t, "a second back", func() bool { return math.Abs(line("now")-max(end-1, line("min"))) < 0.11 })
	p.click(`.marks [data-kind=goal]`)
	from := line("min")
	// The goal is at least 1.5 s before the end. The jump ends 2 s before the goal, or at the beginning.
	until(t, "the moment before the goal", func() bool { return line("now") < max(from, end-3.5)+0.11 })
	p.holds(`document.querySelector('#said').textContent.includes('goal of cyan, 1 : 0')`)
	box := p.box("#line")
	low := box[1] + box[3] - 4
	p.drag(box[0]+4, low, box[0]+box[2]*0.9, low)
	until(t, "the replay to be dragged", func() bool { return math.Abs(line("now")-from-(end-from)*0.9) < 0.11 })
	p.reads("#score", "1 : 0")
	if open := get[replaysJSON](s, "/api/replays").Replays; len(open) != 1 {
		t.Errorf("got open replays %+v, want one", open)
	}
	p.screenshots("replay")

	// The server restarts. The page continues at the same time, with a replay of the same recording.
	addr := s.Addr().String()
	s.stop()
	p.holds(`document.querySelector('#connection').textContent.startsWith('connection lost')`)
	p.served = serve(t, small(t), listening(addr, dir))
	p.reads("#connection", "connected")
	p.holds(`document.querySelectorAll('.marks [data-kind=goal]').length === 1`)

	// The failure of a test, at its moment, with the expectation.
	p.click("#back")
	p.holds(`!location.search && document.querySelector('#timeline')?.hidden === true && document.querySelectorAll('#results a').length === 2`)
	p.screenshots("results")
	open(`#results li:nth-child(2) a`)
	p.holds(`document.querySelector('#said').textContent.startsWith('ball-is-fast: failed: expected') && !location.search.includes('failure')`)
	if at := line("now"); !(at >= 0.4 && at < 2.6) {
		t.Errorf("the replay is at %v s, want a moment shortly before the failure at 2.5 s", at)
	}

	// The timeline and the lists are accessible.
	p.bringAxe()
	p.openAll()
	p.press("#recordings-tab")
	p.judge("a replay")
	p.click("#back")
	p.holds(`!location.search && document.querySelectorAll('#results a').length === 2`)
	p.bringAxe()
	p.judge("lists of recordings and results")
	p.clean("ERR_CONNECTION_REFUSED", "WebSocket connection", "404") // from the stopped server, and its lost replay
}

// TestFolderInBrowser views a folder without a run.
func TestFolderInBrowser(t *testing.T) {
	t.Parallel()
	server := must.Get(Listen(nil, Config{Addr: "127.0.0.1:0",
		Recordings: Recordings{Folders: []string{failed(t)}}}))(t)
	defer server.Close()
	p := browseTo(t, browser(), &served{Server: server, t: t}, "#results a")
	p.reads("#connection", "there is no run: choose a recording")
	p.holds(`document.querySelectorAll('#results a').length === 2 && document.querySelector('#record').hidden`)
	p.screenshots("folder")
	p.click("#results a")
	p.shows(".body.ball")
	p.reads("#name", "slow, replayed")
	p.clean("404") // the page learns from it that there is no run
}
