import { get, post, recording, repeated } from './api.js'
import { byId, html, setText } from './dom.js'
import { moment } from './timeline.js'

const every = 5000 // ms between two requests, while the list is shown

const size = bytes => bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
const date = text => new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const counted = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`

/** link is a link that opens a recording alongside the run. */
const link = (id, text, label, more = {}) => html('a', { class: 'button', href: `?${new URLSearchParams({ recording: id, ...more })}`, 'aria-label': label, 'data-recording': id }, text)

/** Recordings records the run, and lists recordings and test results. */
export class Recordings {
  constructor(page) {
    this.page = page
    this.button = html('button', { type: 'button', id: 'record' }, 'Record')
    this.status = html('p', { role: 'status', class: 'dim', id: 'record-status' })
    this.files = html('div', { id: 'files' })
    this.results = html('div', { id: 'results' })
    byId('recordings').append(html('div', { class: 'record' }, this.button, this.status), html('h3', {}, 'Recordings'), this.files, this.results)
    this.button.addEventListener('click', page.tried(() => this.record()))
    const poll = repeated(every, () => this.look(), () => this.shown)
    page.tabs.onShow('recordings', shown => {
      this.shown = shown
      poll()
    })
  }

  enter() {}

  show(state) {
    if (recording || Boolean(state.recorded) === this.on) return
    this.on = Boolean(state.recorded)
    this.showRecord()
    this.look()
  }

  async record() {
    this.button.disabled = true
    try {
      this.tape = await post('api/recordings', { record: !this.tape?.on })
      this.on = this.tape.on
    } finally {
      this.button.disabled = false
    }
    await this.look()
  }

  async look() {
    try {
      const [list, { results }] = await Promise.all([get('api/recordings'), get('api/results')])
      this.tape = list.record
      this.showRecord()
      this.showFiles(list)
      this.showResults(results)
    } catch (error) {
      if (!(error instanceof TypeError)) this.page.fail(error) // otherwise the connection is lost, which the page reports
    }
  }

  showRecord() {
    const tape = this.tape
    if (!tape) return
    this.button.hidden = !tape.offered
    setText(this.button, tape.on ? 'Stop recording' : 'Start recording')
    this.button.setAttribute('aria-pressed', String(Boolean(tape.on)))
    setText(this.status, tape.on ? `recording into ${tape.name}` : tape.error ?? tape.why ?? '')
  }

  /** put replaces an element's content unless it is the same, so that a focused link stays. */
  put(element, key, make) {
    const text = JSON.stringify(key)
    if (element.dataset.key === text) return
    element.dataset.key = text
    element.replaceChildren(...make())
  }

  showFiles(list) {
    this.put(this.files, [list.recordings, list.left_out, this.tape.name], () => {
      if (list.folders === 0) return [html('p', { class: 'dim' }, 'No folder was named at the start: use --recordings DIR.')]
      if (list.recordings.length === 0) return [html('p', { class: 'dim' }, 'The folders that were named at the start contain no recordings.')]
      const all = list.recordings.map(r => {
        const writing = r.name === `${this.tape.name}.partial`
        const about = writing ? '' : r.damage ? `damaged: ${r.damage}` : r.unread ? 'takes long to read' : r.partial ? 'its run was cut off' : ''
        const length = writing ? 'being written' : r.unread ? 'length not known' : r.from_s > 0 ? `${moment(r.to_s - r.from_s)} from ${moment(r.from_s)} on` : moment(r.to_s)
        const now = r.id === recording
        return html('li', now ? { 'aria-current': 'true' } : {},
          html('div', {}, html('strong', {}, r.world ?? r.name), r.seed ? `, seed ${r.seed}` : '', now ? ', shown here' : ''),
          html('div', { class: 'dim' }, `${length}, ${date(r.date)}, ${size(r.size_bytes)}`),
          html('div', { class: 'dim file' }, r.name),
          about ? html('div', { class: 'wrong' }, about) : '',
          now || writing || !r.world && !r.unread ? '' : link(r.id, 'Replay', `Replay ${r.name}`))
      })
      if (list.left_out) all.push(html('li', { class: 'dim' }, `${list.left_out} older ones are not listed`))
      return [html('ul', { class: 'files' }, ...all)]
    })
  }

  showResults(results) {
    this.put(this.results, results, () => results.flatMap(r => [
      html('h3', {}, `Test results in ${r.folder}`),
      html('p', { class: 'dim' }, r.error ?? `${date(r.date)}, in ${r.wall_s.toFixed(1)} s`),
      ...r.worlds.map(world => this.world(world)),
      ...(r.notes ?? []).map(note => html('p', { class: 'dim' }, note)),
    ]))
  }

  world(w) {
    const verdict = w.failed ? `✕ ${w.failed} of ${counted(w.runs, 'run')} failed` : `✓ ${counted(w.passed, 'run')} passed`
    return html('details', w.failed ? { open: '' } : {},
      html('summary', { class: w.failed ? 'wrong' : '' }, html('strong', {}, w.name), ` ${verdict}${w.not_run ? `, ${w.not_run} not run` : ''}`),
      w.passed_seeds ? html('p', { class: 'dim' }, `passed with seeds ${w.passed_seeds}`) : '',
      html('ul', { class: 'files' }, ...w.failures.map(f => {
        const first = f.reasons[0]
        return html('li', {}, html('strong', {}, `seed ${f.seed}`), ...f.reasons.map(r => html('div', {}, r.text)),
          f.recording ? link(f.recording, 'See it fail', `See it fail: ${w.name}, seed ${f.seed}`, { time: first?.time_s ?? 0, ...(first?.expectation && { failure: first.expectation }) }) : '',
          html('div', { class: 'dim' }, 'again: ', html('code', {}, f.again ?? '')))
      })),
      w.left_out ? html('p', { class: 'dim' }, `${w.left_out} more failed`) : '')
  }
}
