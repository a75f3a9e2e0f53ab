import { expectations, repeated } from './api.js'
import { byId, html, setText } from './dom.js'

const every = 1000 // ms between two requests, while expectations are shown

const marks = { passed: '✓', failed: '✗', open: '…' }

/** statusOf returns the status of an expectation: a class, and words. */
function statusOf(e) {
  if (e.decided) return [e.outcome, `${e.outcome} at ${e.at_s.toFixed(2)} s`]
  if (!e.begun) return ['open', 'its time window has not begun']
  if (e.outcome === 'passed') return ['open', 'holds so far']
  return ['open', e.holds ? 'holds now, not decided' : 'not yet']
}

/** Expectations lists the world's expectations, and marks their areas on the field. */
export class Expectations {
  constructor(page) {
    this.page = page
    this.list = html('ul', { class: 'expectations' })
    byId('expectations').append(this.list)
    page.log.on('expectation', () => this.look())
    const poll = repeated(every, () => this.all?.every(e => e.decided) ? undefined : this.look(), () => this.shown)
    page.tabs.onShow('game-panel', shown => {
      this.shown = shown
      poll()
    })
  }

  enter(world) {
    this.world = world
    this.list.replaceChildren()
    this.look()
  }

  show() {}

  async look() {
    if (!this.world || this.looking) return
    this.looking = true
    try {
      this.all = await expectations()
      this.draw()
    } catch { /* the next request may succeed */ }
    this.looking = false
  }

  draw() {
    byId('expectations').hidden = this.all.length === 0
    while (this.list.children.length > this.all.length) this.list.lastChild.remove()
    this.all.forEach((e, i) => {
      const [status, text] = statusOf(e)
      if (!this.list.children[i]) {
        this.list.append(html('li', {}, html('span', { class: 'sign', 'aria-hidden': 'true' }), html('strong', {}), html('span', { class: 'status' }), html('p', { class: 'hint' })))
      }
      const item = this.list.children[i]
      item.className = status
      item.dataset.name = e.name
      const [mark, name, said, hint] = item.children
      setText(mark, marks[status])
      setText(name, e.name)
      setText(said, text)
      setText(hint, e.expected + (e.was && e.begun ? `; ${e.decided ? 'was' : 'now'}: ${e.was}` : ''))
    })
    const statuses = new Map(this.all.map(e => [e.name, statusOf(e)[0]]))
    for (const area of this.world.areas) {
      const shown = byId('field').querySelector(`[data-area="${CSS.escape(area.name)}"]`)
      if (!area.expect || !shown) continue
      const all = area.expect.map(name => statuses.get(name) ?? 'open')
      shown.classList.toggle('failed', all.includes('failed'))
      shown.classList.toggle('passed', all.every(s => s === 'passed'))
      setText(shown.querySelector('.area-name'), [area.name, ...area.expect.map((name, i) => `${marks[all[i]]} ${name}`)].join('  '))
    }
  }
}
