import { base, get, repeated } from './api.js'
import { byId, html, setText } from './dom.js'

const every = 1000 // ms between two requests
const most = 300 // rows at once

/** breakable lets a long name wrap after slashes and underscores. */
const breakable = text => text.split(/(?<=[/_])/).flatMap((part, i) => i > 0 ? [html('wbr'), part] : [part])

/** Topics lists the topics of the simulation and of robots' programs, while its tab is shown. */
export class Topics {
  constructor(page) {
    this.filter = html('input', { type: 'search', placeholder: 'name, type or node', 'aria-label': 'show topics with', maxlength: 200 })
    this.filter.addEventListener('input', () => this.ask())
    this.about = html('p', { role: 'status', class: 'about' })
    this.body = html('tbody', {})
    this.rows = new Map()
    this.table = html('table', { class: 'topics' }, html('thead', {}, html('tr', {}, ...[['Topic, type, publishers', 'its name, the type of its messages, and the nodes that publish it'], ['Listeners', 'number of subscribing nodes'], ['Rate', 'messages per second of sim time'], ['Last', 'time stamp of the newest message']].map(([text, title]) => html('th', { scope: 'col', title }, text)))), this.body)
    byId('topics').replaceChildren(html('p', {}, html('label', {}, 'Show ', this.filter)), this.about, this.table)
    const poll = repeated(every, () => this.ask(), () => this.shown)
    page.tabs.onShow('topics', shown => {
      this.shown = shown
      poll()
    })
  }

  enter() {}

  show() {}

  async ask() {
    const filter = this.filter.value
    try {
      const all = await get(`${base}topics?filter=${encodeURIComponent(filter)}`)
      if (filter === this.filter.value) this.fill(all) // otherwise a newer request is in progress
    } catch (error) {
      setText(this.about, error instanceof TypeError ? 'The connection is lost.' : error.message)
    }
  }

  fill(all) {
    const shown = all.topics.slice(0, most), left = all.topics.length - shown.length + (all.left_out ?? 0)
    setText(this.about, all.about ?? `${shown.length} topics${left > 0 ? `, and ${left} more: enter a filter` : ''}`)
    this.table.hidden = shown.length === 0
    const rows = new Map()
    for (const topic of shown) {
      const key = `${topic.master ?? ''} ${topic.name}`, row = this.rows.get(key) ?? this.row(topic)
      rows.set(key, row)
      const type = topic.type === '*' ? 'type unknown' : topic.type
      if (row.type.textContent !== type) row.type.replaceChildren(...breakable(type))
      setText(row.by, topic.publishers.length > 0 ? `published by ${topic.publishers.join(', ')}` : 'no publisher')
      setText(row.listeners, String(topic.listeners))
      setText(row.rate, topic.rate_hz === undefined ? '–' : `${topic.rate_hz.toFixed(topic.rate_hz < 10 ? 1 : 0)} Hz`)
      setText(row.last, topic.last_s ? `${topic.last_s.toFixed(2)} s` : '–')
    }
    const order = [...rows.keys()].join('\n')
    if (order !== this.order) this.body.replaceChildren(...[...rows.values()].map(row => row.element))
    this.rows = rows
    this.order = order
  }

  row(topic) {
    const row = { type: html('span', {}), by: html('span', {}), listeners: html('td', {}), rate: html('td', {}), last: html('td', {}) }
    const at = topic.master ? ` at the master of ${topic.master}` : ''
    row.element = html('tr', { 'data-topic': topic.name }, html('th', { scope: 'row' }, html('strong', {}, ...breakable(topic.name)), at, row.type, row.by), row.listeners, row.rate, row.last)
    return row
  }
}
