package dashboard

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// fill sets the value of an input, found by its label, in a form.
func (p *page) fill(form, label, value string) {
	p.t.Helper()
	p.js(`const label = [...document.querySelectorAll('%s label')].find(l => l.textContent.replace(' *', '') === '%s')
		label.control.value = '%s'
		label.control.dispatchEvent(new Event('input', { bubbles: true }))
		label.control.dispatchEvent(new Event('change', { bubbles: true }))`, form, label, value)
}

// TestGameInBrowser checks the page as referee and coach, the form of all actions, the expectations and the log.
func TestGameInBrowser(t *testing.T) {
	t.Parallel()
	w := judged(t)
	w.Events = w.Events[:1] // removes the event that happens in every step
	s := serve(t, w)
	robot, field := w.Robots[0].Name, s.sim.World().Field
	p := browse(t, s)

	// Referee box commands, a refusal of those that would change nothing, and a card for a robot.
	p.click("#game-tab")
	p.reads("#game-state", "0 : 0, playing, first half")
	p.holds(`document.querySelector('[data-command=start]').ariaDisabled === 'true'`)
	p.click(`[data-command=stop]`)
	p.reads("#game-state", "0 : 0, stopped, first half")
	p.holds(`document.querySelector('[data-command=stop]').ariaDisabled === 'true' && document.querySelector('[data-command=start]').ariaDisabled === 'false'`)
	p.click(`[data-command=kickoff][data-team=magenta]`)
	p.holds(`document.querySelector('#game-state').textContent.includes('kick-off of magenta')`)
	p.reads("#said", "kick-off of magenta commanded")
	p.click(`[data-command=start]`)
	p.holds(`document.querySelector('#game-state').textContent.startsWith('0 : 0, playing')`)
	p.click(`#referee details:first-of-type summary`)
	p.click(`[data-command=yellow_card]`)
	p.reads("#standing", robot+": yellow card")

	// A goal appears in the score and in the log, and the scene's expectation has passed.
	p.reads("[data-name=scores] .status", "not yet")
	s.do(fmt.Sprintf(`{"place": {"name": "ball", "x_m": %g, "y_m": 0, "vx_m_s": 6}}`, field.Length/2-0.5))
	p.holds(`document.querySelector('#game-state').textContent.startsWith('1 : 0')`)
	p.holds(`document.querySelector('[data-name=scores] .status').textContent.startsWith('passed at')`)
	p.holds(`document.querySelector('[data-name=leaves]').className === 'failed' && document.querySelector('[data-area=magenta_goal]').classList.contains('failed')`)
	p.reads("[data-area=magenta_goal] .area-name", "magenta_goal  ✗ leaves")

	// The coach sends a team a point picked on the field, in the team's own frame.
	p.screenshots("referee")
	p.click("#coach summary")
	p.screenshots("coach")
	p.fill("#coach", "team", "magenta")
	p.click("[data-pick=a]")
	scale, at := p.scale(), p.box("#field svg")
	p.run(chromedp.MouseClickXY(at[0]+at[2]/2+2*scale, at[1]+at[3]/2-scale))
	p.reads("#said", "A is at -2, -1 m")
	p.holds(`document.querySelectorAll('.point').length === 1`)
	p.fill("#coach", "mode", "test")
	p.fill("#coach", "test mode", "300")
	p.click("#tell")
	wrong := func(form, text string) {
		t.Helper()
		p.holds(`document.querySelector('%s [aria-invalid]')?.closest('.row').querySelector('.wrong').textContent === '%s'`,
			form, text)
	}
	wrong("#coach", "coach: test_mode = 300: must lie in [0, 255]")
	p.fill("#coach", "test mode", "7")
	p.click("#tell")
	p.reads("#said", "coach: magenta received test")

	// An action of the form: first with an error next to its key, then with the keyboard alone.
	p.click("#more-actions summary")
	p.choose("#action", "send_off")
	p.fill("#more-actions", "spacing (m)", "11")
	p.click("#do")
	wrong("#more-actions", "send_off: spacing_m = 11: must lie in [0, 10]")
	p.fill("#more-actions", "spacing (m)", "")
	y := s.truth.Load().Robots[0].PoseWB.Pos[1]
	p.run(chromedp.KeyEvent(kb.Enter)) // the wrong key has the focus
	until(t, robot+" to be beside the field", func() bool {
		now := s.truth.Load().Robots[0].PoseWB.Pos[1]
		return now != y && (now > field.Width/2 || now < -field.Width/2)
	})
	p.screenshots("game")

	// The log with filters by kind, and a world that could not be reloaded.
	p.click("#log-tab")
	p.holds(`[...document.querySelectorAll('#entries .goal .text')].some(e => e.textContent === 'goal of cyan: 1 : 0')`)
	p.holds(`[...document.querySelectorAll('#entries .action .text')].some(e => e.textContent.startsWith('send_off: robot = "%s"'))`, robot)
	p.click(`.kinds input[value=action]`)
	p.holds(`document.querySelectorAll('#entries .goal').length > 0 && document.querySelectorAll('#entries .action').length === 0`)
	s.Reloaded(errors.New("w.toml:1:1: x = 1: unknown key"))
	p.holds(`!!(!document.querySelector('#reload').hidden &&
		document.querySelector('#reload').textContent.endsWith('w.toml:1:1: x = 1: unknown key') &&
		document.querySelector('#entries li.failed'))`)
	p.screenshots("log")
	s.do(`{"reset": {}}`)
	p.holds(`document.querySelector('#reload').hidden && [...document.querySelectorAll('#entries .world .text')].some(e => e.textContent === 'planar restarts')`)

	// An entry's time is a link where the page can seek to a moment.
	p.js(`import('./log.js').then(({ Log }) => {
		const log = new Log({ seek: (time, entry) => { window.sought = time + ' ' + entry.text } })
		log.add([{ n: 1, kind: 'goal', episode: 1, time_s: 0.5, at_s: 1.5, step: 300, text: 'a goal' }])
		log.list.querySelector('button.at').click()
	})`)
	p.holds(`window.sought === '1.5 a goal'`)
	p.clean("status of 400") // browsers log the two bad requests
}

// box asks which robot a command of a referee box is for.
type box struct {
	question atomic.Pointer[refbox.Question]
	answers  chan int
}

func (b *box) Question() *refbox.Question { return b.question.Load() }

func (b *box) Answer(number int) error {
	if b.question.Swap(nil) == nil {
		return errors.New("there is no question")
	}
	b.answers <- number
	return nil
}

// TestQuestionInBrowser checks that the page asks which robot gets a card of a referee box, and sends the answer.
func TestQuestionInBrowser(t *testing.T) {
	t.Parallel()
	w := load(t, "planar")
	b := &box{answers: make(chan int, 1)}
	s := serve(t, w, func(_ *served, cfg *Config) { cfg.Box = b })
	p := browse(t, s)
	p.click("#game-tab")
	p.holds(`document.querySelector('#question').hidden`)
	first := w.Model().Robots[0]
	b.question.Store(&refbox.Question{Command: "yellow_card", Team: first.Team, Numbers: []int{first.Number}})
	p.holds(`!document.querySelector('#question').hidden &&
		document.querySelector('#question p').textContent.includes('which robot of %s its command “yellow card” is for') &&
		document.querySelector('#question p').textContent.includes('number %d gets it after 10 s')`, first.Team, first.Number)
	p.screenshots("question")
	p.click("#question button")
	p.reads("#said", "yellow card for "+first.Name)
	must.Equal(t, <-b.answers, first.Number, "the answer")
	p.holds(`document.querySelector('#question').hidden`)
	s.refuses("/api/card", `{"number": 1}`, 400, "there is no question")
	p.clean("")
}
