import { log } from './api.js'
import { byId, html, setText } from './dom.js'

const most = 1000 // entries on the page
const pause = 250 // ms between two requests

const kinds = ['goal', 'decision', 'game', 'event', 'expectation', 'level', 'fault', 'action', 'world']

/** Log shows log entries, the newest first, filtered by kind. */
export class Log {
  constructor(page) {
    this.page = page
    this.newest = 0
    this.entries = []
    this.listeners = []
    this.shown = new Set(kinds)
    this.list = html('ol', { id: 'entries', tabindex: 0, 'aria-label': 'log entries, the newest first' })
    this.none = html('p', { class: 'hint' }, 'There is no entry yet.')
    const boxes = kinds.map(kind => {
      const box = html('input', { type: 'checkbox', checked: '', value: kind })
      box.addEventListener('change', () => {
        if (box.checked) this.shown.add(kind)
        else this.shown.delete(kind)
        this.draw()
      })
      return html('label', {}, box, kind)
    })
    byId('log-panel').append(html('fieldset', { class: 'kinds' }, html('legend', {}, 'Show'), ...boxes), this.none, this.list)
  }

  /** on calls f with each new entry of a kind. */
  on(kind, f) { this.listeners.push({ kind, f }) }

  enter() {}

  show(state) {
    if (state.log !== this.newest && !this.fetching) this.fetch()
    if (Boolean(this.page.seek) !== Boolean(this.seekable)) this.draw()
  }

  async fetch() {
    this.fetching = true
    try {
      let { entries, newest, began } = await log(this.newest)
      if (this.began && this.began !== began) { // the program has restarted
        this.entries = []
        this.draw()
        ;({ entries, newest } = await log(0))
      }
      this.began = began
      this.newest = newest
      this.entries.push(...entries)
      this.entries.splice(0, this.entries.length - most)
      this.add(entries)
      for (const entry of entries) this.listeners.forEach(l => { if (l.kind === entry.kind) l.f(entry) })
    } catch { /* the next state triggers another request */ }
    setTimeout(() => { this.fetching = false }, pause)
  }

  add(entries) {
    this.list.prepend(...entries.filter(e => this.shown.has(e.kind)).map(e => this.item(e)).reverse())
    while (this.list.children.length > most) this.list.lastChild.remove()
    setText(this.none, this.entries.length > 0 ? 'There is no entry of the chosen kinds yet.' : 'There is no entry yet.')
    this.none.hidden = this.list.children.length > 0
  }

  draw() {
    this.seekable = this.page.seek
    this.list.replaceChildren()
    this.add(this.entries)
  }

  /** item is an entry on the page. If the page can seek, its time is a button. */
  item(entry) {
    const at = `${entry.time_s.toFixed(2)} s`
    let time = html('span', { class: 'at' }, at)
    if (this.page.seek) {
      time = html('button', { type: 'button', class: 'at', 'aria-label': `go to ${at}: ${entry.text}` }, at)
      time.addEventListener('click', () => this.page.seek(entry.at_s, entry))
    }
    return html('li', { class: entry.failed ? `${entry.kind} failed` : entry.kind, 'data-kind': entry.kind }, time, html('span', { class: 'kind' }, entry.kind), html('span', { class: 'text' }, entry.text))
  }
}

/** Reload shows why the files of a world could not be reloaded, until they can be. */
export class Reload {
  constructor(page) {
    page.log.on('world', entry => {
      byId('reload').hidden = !entry.failed
      setText(byId('reload'), entry.failed ? entry.text : '')
    })
  }

  enter() {}

  show() {}
}
