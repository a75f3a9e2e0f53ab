package dashboard

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// fill sets the value of an input, found by its label, in a form.
func (p *page) fill(form, label, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf(`(() => {
		const label = [...document.querySelectorAll('%s label')].find(l => l.textContent.replace(' *', '') === '%s')
		label.control.value = '%s'
		label.control.dispatchEvent(new Event('input', { bubbles: true }))
		label.control.dispatchEvent(new Event('change', { bubbles: true }))
		return true
	})()`, form, label, value))
}

// TestGameInBrowser checks the page as referee and coach, the form of all actions, the expectations and the log.
func TestGameInBrowser(t *testing.T) {
	w := judged(t)
	w.Events = w.Events[:1] // removes the event that happens in every step
	s := serve(t, w)
	robot := w.Robots[0].Name
	p := browse(t, s)
	field := s.sim.World().Field
	click := func(css string) { p.t.Helper(); p.run(chromedp.Click(chromedp.CSS(css))) }

	// Referee box commands, a refusal of those that would change nothing, and a card for a robot.
	click("#game-tab")
	p.holds(`document.querySelector('#game-state').textContent === '0 : 0, playing, first half' && document.querySelector('[data-command=start]').ariaDisabled === 'true'`)
	click(`[data-command=stop]`)
	p.holds(`document.querySelector('#game-state').textContent === '0 : 0, stopped, first half' && document.querySelector('[data-command=stop]').ariaDisabled === 'true' && document.querySelector('[data-command=start]').ariaDisabled === 'false'`)
	click(`[data-command=kickoff][data-team=magenta]`)
	p.holds(`document.querySelector('#game-state').textContent.includes('kick-off of magenta') && document.querySelector('#said').textContent === 'kick-off of magenta commanded'`)
	click(`[data-command=start]`)
	p.holds(`document.querySelector('#game-state').textContent.startsWith('0 : 0, playing')`)
	click(`#referee details:first-of-type summary`)
	click(`[data-command=yellow_card]`)
	p.holds(`document.querySelector('#standing').textContent === '` + robot + `: yellow card'`)

	// A goal appears in the score and in the log, and the scene's expectation has passed.
	p.holds(`document.querySelector('[data-name=scores] .status').textContent === 'not yet'`)
	s.do(fmt.Sprintf(`{"place": {"name": "ball", "x_m": %g, "y_m": 0, "vx_m_s": 6}}`, field.Length/2-0.5))
	p.holds(`document.querySelector('#game-state').textContent.startsWith('1 : 0')`)
	p.holds(`document.querySelector('[data-name=scores] .status').textContent.startsWith('passed at')`)
	p.holds(`document.querySelector('[data-name=leaves]').className === 'failed' && document.querySelector('[data-area=magenta_goal]').classList.contains('failed')`)
	p.holds(`document.querySelector('[data-area=magenta_goal] .area-name').textContent === 'magenta_goal  ✗ leaves'`)

	// The coach sends a team a point picked on the field, in the team's own frame.
	p.look("referee-light", 1366, 900, "light")
	p.look("referee-tablet", 820, 1180, "light")
	click("#coach summary")
	p.look("coach-dark", 1366, 900, "dark")
	p.fill("#coach", "team", "magenta")
	click("[data-pick=a]")
	scale := eval[float64](p, `document.querySelector('#field svg g').getScreenCTM().a`) // pixels per metre
	at := eval[[]float64](p,
		`(() => { const r = document.querySelector('#field svg').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	p.run(chromedp.MouseClickXY(at[0]+2*scale, at[1]-scale))
	p.holds(`document.querySelector('#said').textContent === 'A is at -2, -1 m' && document.querySelectorAll('.point').length === 1`)
	p.fill("#coach", "mode", "test")
	p.fill("#coach", "test mode", "300")
	click("#tell")
	p.holds(`document.querySelector('#coach [aria-invalid]')?.closest('.row').querySelector('.wrong').textContent === 'coach: test_mode = 300: must lie in [0, 255]'`)
	p.fill("#coach", "test mode", "7")
	click("#tell")
	p.holds(`document.querySelector('#said').textContent === 'coach: magenta told test'`)

	// An action of the form: first with an error next to its key, then with the keyboard alone.
	click("#more-actions summary")
	eval[bool](p,
		`(() => { const s = document.querySelector('#action'); s.value = 'send_off'; s.dispatchEvent(new Event('change')); return true })()`)
	p.fill("#more-actions", "spacing (m)", "11")
	click("#do")
	p.holds(`document.querySelector('#more-actions [aria-invalid]')?.closest('.row').querySelector('.wrong').textContent === 'send_off: spacing_m = 11: must lie in [0, 10]'`)
	p.fill("#more-actions", "spacing (m)", "")
	y := s.truth.Load().Robots[0].PoseWB.Pos[1]
	p.run(chromedp.KeyEvent(kb.Enter)) // the wrong key has the focus
	until(t, robot+" to be beside the field", func() bool {
		now := s.truth.Load().Robots[0].PoseWB.Pos[1]
		return now != y && (now > field.Width/2 || now < -field.Width/2)
	})
	p.look("game-light", 1366, 900, "light")
	p.look("game-dark", 1366, 900, "dark")
	p.look("game-tablet", 820, 1180, "light")

	// The log with filters by kind, and a world that could not be reloaded.
	click("#log-tab")
	p.holds(`[...document.querySelectorAll('#entries .goal .text')].some(e => e.textContent === 'goal of cyan: 1 : 0')`)
	p.holds(`[...document.querySelectorAll('#entries .action .text')].some(e => e.textContent.startsWith('send_off: robot = "` + robot + `"'))`)
	click(`.kinds input[value=action]`)
	p.holds(`document.querySelectorAll('#entries .goal').length > 0 && document.querySelectorAll('#entries .action').length === 0`)
	s.Reloaded(errors.New("w.toml:1:1: x = 1: unknown key"))
	p.holds(`!document.querySelector('#reload').hidden && document.querySelector('#reload').textContent.endsWith('w.toml:1:1: x = 1: unknown key') && document.querySelector('#entries li').classList.contains('failed')`)
	p.look("log-light", 1366, 900, "light")
	p.look("log-dark", 1366, 900, "dark")
	p.look("log-tablet", 820, 1180, "light")
	s.do(`{"reset": {}}`)
	p.holds(`document.querySelector('#reload').hidden && [...document.querySelectorAll('#entries .world .text')].some(e => e.textContent === 'planar restarts')`)

	// An entry's time is a link where the page can seek to a moment.
	eval[bool](p, `(import('./log.js').then(({ Log }) => {
		const log = new Log({ seek: (time, entry) => { window.sought = time + ' ' + entry.text } })
		log.add([{ n: 1, kind: 'goal', episode: 1, time_s: 0.5, at_s: 1.5, step: 300, text: 'a goal' }])
		log.list.querySelector('button.at').click()
	}), true)`)
	p.holds(`window.sought === '1.5 a goal'`)

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.bad {
		if !strings.Contains(text, "status of 400") { // browsers log the two bad requests
			t.Error(text)
		}
	}
}
