import { base, get, recording, seek } from './api.js'
import { byId, html, setText } from './dom.js'

const lead = 2 // s before an event at which a jump to it arrives
const apart = 10 // pixels between two drawn marks of a kind
const listed = 500 // events in the list
const widths = [[300, '5 min'], [60, '1 min'], [10, '10 s']] // visible ranges, s

// Kinds differ in shape and colour. Important ones are in the upper row.
const kinds = {
  goal: ['●', 'goal'], failure: ['✕', 'failed expectation'], restart: ['┃', 'restart'],
  decision: ['▲', 'decision'], level: ['■', 'level'], action: ['◆', 'action'],
}

/** moment formats a time of a replay, s. */
export function moment(t) {
  const seconds = (t % 60).toFixed(1)
  return t < 60 ? `${seconds} s` : `${Math.floor(t / 60)} min ${seconds} s`
}

/** Timeline is the slider below the field, with marks for the events of a recording. It is absent in a run. */
export class Timeline {
  constructor(page) {
    this.page = page
    this.seek = page.tried(time => this.go(time))
    this.slider = html('div', { id: 'line', role: 'slider', tabindex: 0, 'aria-label': 'time of the replay' })
    this.handle = html('span', { class: 'handle' })
    this.marks = html('div', { class: 'marks', 'aria-hidden': 'true' })
    this.slider.append(html('span', { class: 'track' }), this.marks, this.handle)
    this.now = html('output', { id: 'line-now', 'aria-live': 'off', 'aria-label': 'time of the replay' })
    this.zoom = html('select', {})
    const zoom = html('label', {}, 'Show ', this.zoom)
    const before = html('button', { type: 'button', id: 'event-before' }, 'Previous event')
    const after = html('button', { type: 'button', id: 'event-after' }, 'Next event')
    this.list = html('ol', { class: 'events', tabindex: 0, 'aria-label': 'events' })
    this.summary = html('summary', {}, 'Events')
    this.details = html('details', {}, this.summary, this.list)
    this.note = html('p', { class: 'note' })
    this.row = html('div', { class: 'line-row' }, this.now, before, after, zoom)
    byId('timeline').append(this.slider, this.row, this.note, this.details)
    before.addEventListener('click', () => this.jump(-1))
    after.addEventListener('click', () => this.jump(1))
    this.zoom.addEventListener('change', () => { this.first = undefined; this.draw() })
    this.slider.addEventListener('pointerdown', e => this.take(e))
    this.slider.addEventListener('pointermove', e => { if (this.held) this.drag(e) })
    this.slider.addEventListener('pointerup', () => { this.held = false })
    this.slider.addEventListener('pointercancel', () => { this.held = false })
    this.slider.addEventListener('keydown', e => this.key(e))
    new ResizeObserver(() => this.draw()).observe(this.slider)
  }

  async enter(world) {
    const id = this.of = {}
    this.span = world.replay
    this.page.seek = this.span && this.seek
    byId('timeline').hidden = !this.span
    if (!this.span) return
    const { from_s: from, to_s: to } = this.span
    this.at ??= from
    if (recording) this.row.append(byId('back')) // the row has space for it
    this.zoom.replaceChildren(html('option', { value: to - from }, 'all'), ...widths.filter(([w]) => w < to - from).map(([w, text]) => html('option', { value: w }, text)))
    this.slider.setAttribute('aria-valuemin', from.toFixed(1))
    this.slider.setAttribute('aria-valuemax', to.toFixed(1))
    this.events = []
    this.say(world.replay.exact ? '' : 'Recorded without exact states: to go back, the world is simulated again up to that time.')
    this.draw()
    try {
      const line = await get(`${base}timeline`)
      if (this.of !== id) return // another world has arrived
      this.fill(line)
      this.arrive()
    } catch (error) {
      this.page.fail(error)
    }
  }

  say(text) {
    setText(this.note, text)
    this.note.hidden = !text
  }

  fill(line) {
    this.events = line.events
    if (line.damage) this.say(`The recording is damaged: ${line.damage}`)
    const count = line.events.length + line.left_out
    setText(this.summary, `Events (${count})`)
    this.list.replaceChildren(...line.events.slice(0, listed).map(event => {
      const [shape, name] = kinds[event.kind]
      const go = html('button', { type: 'button', 'data-kind': event.kind }, html('span', { class: `shape ${event.kind}`, 'aria-hidden': 'true' }, shape), `${moment(event.time_s)}: ${name}: ${event.text}`)
      go.addEventListener('click', () => this.seek(event.time_s - lead))
      return html('li', {}, go)
    }))
    if (count > this.list.children.length) this.list.append(html('li', {}, `${count - this.list.children.length} more are not listed`))
    this.draw()
  }

  /** arrive seeks once to the moment in the page's address: a time, or the time of a failure. */
  arrive() {
    const query = new URLSearchParams(location.search), failure = query.get('failure'), time = query.get('time')
    if (failure === null && time === null) return
    query.delete('failure')
    query.delete('time')
    history.replaceState(null, '', `?${query}${location.hash}`)
    const event = this.events.find(e => e.kind === 'failure' && e.text.startsWith(`${failure}: `))
    this.seek((event?.time_s ?? Number(time)) - lead)
    if (event) this.page.say(event.text)
  }

  /** clamp returns the nearest time in the replay's range. */
  clamp(t) { return Math.min(Math.max(t, this.span.from_s), this.span.to_s) }

  /** go seeks. During a seek, only the latest request waits. */
  async go(time) {
    this.wanted = this.clamp(time)
    this.place(this.wanted)
    if (this.going) return
    this.going = true
    try {
      while (this.wanted !== undefined) {
        const to = this.wanted
        this.at = (await seek(to)).time_s // the next state may arrive late
        if (this.wanted === to) this.wanted = undefined
      }
    } finally {
      this.wanted = undefined
      this.going = false
    }
  }

  time(e) {
    const box = this.slider.getBoundingClientRect()
    return this.clamp(this.first + Math.min(Math.max((e.clientX - box.left) / box.width, 0), 1) * this.width())
  }

  take(e) {
    if (e.button !== 0) return
    e.preventDefault()
    this.slider.focus({ preventScroll: true })
    const mark = e.target.closest('[data-time]')
    if (mark) {
      this.seek(Number(mark.dataset.time) - lead)
      this.page.say(mark.title)
      return
    }
    this.slider.setPointerCapture(e.pointerId)
    this.held = true
    this.drag(e)
  }

  drag(e) { this.seek(this.time(e)) }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }[e.key]
    if (by === undefined) return
    e.preventDefault()
    this.seek((this.wanted ?? this.at) + by)
  }

  /** jump seeks to the event before or after the present time. */
  jump(way) {
    const at = (this.wanted ?? this.at) + lead // time of the event that was jumped to
    const event = way > 0 ? this.events.find(e => e.time_s > at + 0.5) : this.events.findLast(e => e.time_s < at - 0.5)
    if (!event) {
      this.page.say(way > 0 ? 'There is no later event.' : 'There is no earlier event.')
      return
    }
    this.seek(event.time_s - lead)
    this.page.say(`${moment(event.time_s)}: ${kinds[event.kind][1]}: ${event.text}`)
  }

  width() { return Number(this.zoom.value) || 1 }

  /** draw places the marks. */
  draw() {
    if (!this.span || !this.slider.clientWidth) return
    const { from_s: from, to_s: to } = this.span, width = this.width(), pixels = this.slider.clientWidth
    const at = this.wanted ?? this.at
    if (this.first === undefined || at < this.first || at > this.first + width) this.first = Math.min(Math.max(at - width / 2, from), Math.max(to - width, from))
    const last = {}, drawn = []
    for (const e of this.events) {
      const x = (e.time_s - this.first) / width * pixels
      if (x < 0 || x > pixels) continue
      const before = last[e.kind]
      if (before && x - before.x < apart) {
        before.more++
        continue
      }
      drawn.push(last[e.kind] = { x, e, more: 0 })
    }
    this.marks.replaceChildren(...drawn.map(({ x, e, more }) => {
      const title = `${moment(e.time_s)}: ${kinds[e.kind][1]}: ${e.text}${more ? `, and ${more} more close by` : ''}`
      const mark = html('span', { class: `shape ${e.kind}`, 'data-time': e.time_s, 'data-kind': e.kind, title }, kinds[e.kind][0])
      mark.style.left = `${x}px`
      return mark
    }))
    this.place(at)
  }

  /** place shows a time. */
  place(t) {
    const width = this.width()
    if (this.first === undefined || t < this.first || t > this.first + width) {
      this.first = undefined
      this.at = t
      this.draw()
      return
    }
    this.handle.style.left = `${(t - this.first) / width * 100}%`
    this.slider.setAttribute('aria-valuenow', t.toFixed(1))
    this.slider.setAttribute('aria-valuetext', `${moment(t)} of ${moment(this.span.to_s)}`)
    setText(this.now, `${moment(t)} of ${moment(this.span.to_s)}`)
  }

  show(state) {
    if (!this.span) return
    this.at = state.at_s
    if (this.wanted === undefined) this.place(this.at)
  }
}
