import { base, get, repeated } from './api.js'
import { byId, html, setText } from './dom.js'
import { Plot } from './plot.js'

const every = 500 // ms
const span = 60 // s that curves show

/** Pace shows the run's past, present and forecast speed, and the cost of a step. */
export class Pace {
  constructor(page) {
    this.page = page
    this.samples = []
    this.now = html('p', { class: 'facts' })
    this.next = html('p', { class: 'facts' })
    this.factor = new Plot({ title: 'Real-time factor', unit: '× real time', curves: [{ name: 'measured', class: 'a', of: s => s.factor }, { name: 'target', class: 'b', of: s => s.target || NaN }] })
    this.forecast = new Plot({ title: 'A second of sim time', unit: 's of wall time', least: 0.1, curves: [{ name: 'took', class: 'a', of: s => s.took_s ?? NaN }, { name: 'forecast', class: 'b', of: s => s.forecast_s ?? NaN }, { name: 'at most, 19 of 20', class: 'c', of: s => s.upper_s ?? NaN }] })
    this.step = new Plot({ title: 'A step', unit: 'ms', least: 0.05, curves: [{ name: 'mean', class: 'a', of: s => s.step_ms }, { name: 'worst', class: 'b', of: s => s.worst_ms }] })
    this.parts = new Plot({ title: 'Parts of a step, mean', unit: 'ms', least: 0.05, curves: [{ name: 'physics', class: 'a', of: s => s.physics_ms }, { name: 'sensors', class: 'b', of: s => s.sensors_ms }, { name: 'waiting for images', class: 'c', of: s => s.waiting_ms }, { name: 'the rest', class: 'd', of: s => s.rest_ms }] })
    byId('pace').append(this.now, this.factor.element, this.next, this.forecast.element, this.step.element, this.parts.element)
    const poll = repeated(every, () => this.ask(), () => this.shown)
    page.tabs.onShow('pace', shown => {
      this.shown = shown
      poll()
    })
  }

  enter() { this.samples = [] }

  show(state) { this.state = state }

  async ask() {
    try {
      this.add(await get(`${base}pace?after=${this.samples.at(-1)?.number ?? 0}`))
    } catch { /* the page reports the lost connection */ }
  }

  add(pace) {
    const fresh = pace.samples.map(s => ({ ...s, t: s.wall_s, gap: s.paused }))
    if (fresh[0] && this.samples.length && fresh[0].t < this.samples.at(-1).t) this.samples = [] // samples have restarted
    this.samples.push(...fresh)
    while (this.samples.length && this.samples[0].t < this.samples.at(-1).t - span) this.samples.shift()
    const all = this.samples, s = this.state, last = all.at(-1)
    for (const plot of [this.factor, this.forecast, this.step, this.parts]) plot.show(all, span)
    if (!s) return
    setText(this.now, `${s.paused ? 'Paused' : `${s.factor.toFixed(2)} × real time over the last second`}, speed ${s.speed}${last ? `; steps of ${pace.step_s * 1000} ms took ${(100 * last.step_ms / 1000 / pace.step_s).toFixed(0)} % of that` : ''}.`)
    setText(this.next, pace.next_s === undefined ? 'No forecast is known.' : `The next second of sim time will take ${pace.next_s.toFixed(3)} s, and at most ${pace.next_upper_s.toFixed(3)} s in 19 of 20 cases.`)
  }
}
