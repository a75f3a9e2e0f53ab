import { byId, html, setText } from './dom.js'
import { act, step } from './api.js'

const speeds = ['0.1', '0.25', '0.5', 'realtime', '2', '5', '10', 'steady', 'max']
const stillTime = 2000 // ms without a state until the page reports that the run waits for robots

/** Time shows sim time and the real-time factor, pauses and steps the run, and sets its speed. */
export class Time {
  constructor(page) {
    this.page = page
    this.pause = page.tried(() => act(this.state?.paused ? { resume: {} } : { pause: {} }))
    this.single = page.tried(() => step(1))
    this.setSpeed = page.tried(async speed => {
      this.setting = true
      await act({ set_speed: { speed } }).finally(() => { this.setting = false })
    })
    byId('speed').append(...speeds.map(speed => html('option', { value: speed }, isNaN(speed) ? speed : `× ${speed}`)))
    byId('pause').addEventListener('click', this.pause)
    byId('step').addEventListener('click', this.single)
    byId('speed').addEventListener('change', e => this.setSpeed(e.target.value))
    document.addEventListener('keydown', e => this.key(e))
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey || e.defaultPrevented || e.target.closest('button, select, input, textarea, summary, [role=slider], [role=tab]')) return
    const f = { ' ': this.pause, '.': this.single, '+': () => this.faster(1), '-': () => this.faster(-1) }[e.key]
    if (!f) return
    e.preventDefault()
    f()
  }

  faster(by) {
    const i = speeds.indexOf(byId('speed').value)
    if (i >= 0 && speeds[i + by]) this.setSpeed(speeds[i + by])
  }

  enter() {}

  show(state) {
    this.state = state
    setText(byId('clock'), `${state.time_s.toFixed(2)} s`)
    setText(byId('factor'), state.paused ? 'paused' : `${state.factor.toFixed(2)} × real time`)
    setText(byId('pause'), state.paused ? 'Resume' : 'Pause')
    byId('step').disabled = !state.paused
    const select = byId('speed')
    if (this.setting) return
    if (![...select.options].some(option => option.value === state.speed)) select.append(html('option', { value: state.speed }, state.speed))
    if (select.value !== state.speed) select.value = state.speed
  }

  frame(now, motion) {
    if (now - motion.came > stillTime) setText(byId('factor'), 'waits for a step')
  }
}
