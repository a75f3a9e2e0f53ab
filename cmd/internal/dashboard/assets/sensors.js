import { byId, html, setText } from './dom.js'
import { act, base, get, repeated } from './api.js'
import { byTeam } from './teams.js'

const every = 1000 // ms

// Column heads: a text, its explanation, and whether the column has figures.
const heads = [
  ['Sensor', 'its name in the world file'],
  ['Rate, Hz', 'frames per second of sim time: as configured, and below it as measured', true],
  ['Delay, ms', 'sim time from the capture of a frame to its delivery: as modelled, and below it as measured', true],
  ['Cost, ms', 'computing time of one frame, and below it the number of frames that were late, so that the run had to wait', true],
  ['Level', 'what the sensor delivers: raw measurements, ideal ones without noise, features, objects, or the ground truth'],
  ['Data', 'shown in the part above'],
]

const idle = 'no program and no page receives this sensor, so it takes no frames'

const number = x => x > 0 && x < 0.01 ? '< 0.01' : String(Number(x.toPrecision(x < 1 ? 2 : 3)))

/** Sensors lists every sensor with a choice of its level. The order is that of the levels in states. */
export class Sensors {
  constructor(page) {
    this.page = page
    const poll = repeated(every, () => this.ask(), () => this.shown)
    page.tabs.onShow('sensors', shown => {
      this.shown = shown
      poll()
    })
  }

  enter(world) {
    this.rows = []
    this.figures = new Map() // by robot and sensor
    this.switching = new Set()
    const tables = new Map(world.robots.map(robot => [robot, html('table', { class: 'sensors' },
      html('thead', {}, html('tr', {}, ...heads.map(([text, about, figures]) => html('th', { scope: 'col', title: about, ...figures && { class: 'figures' } }, text)))),
      html('tbody', {}, ...robot.sensors.map(sensor => this.row(robot, sensor))))]))
    const all = byTeam(world.robots).map((robot, i) => html('details', i === 0 ? { open: '' } : {},
      html('summary', {}, html('span', { class: `team ${robot.team}` }, String(robot.number)), robot.name), tables.get(robot)))
    byId('sensors').replaceChildren(...all)
    if (all.length === 0) byId('sensors').append(html('p', {}, 'There are no robots.'))
    else byId('sensors').append(html('p', { class: 'facts' }, 'Upper line: as configured. Lower line: as measured. A sensor that nobody receives is idle.'))
  }

  row(robot, sensor) {
    const name = `${robot.name}.${sensor.name}`
    const select = html('select', { 'aria-label': `level of ${name}`, 'data-sensor': name }, ...sensor.levels.map(level => html('option', {}, level)))
    select.addEventListener('change', () => this.set(robot, sensor, select))
    this.rows.push(select)
    const look = html('button', { type: 'button', 'aria-pressed': 'false', 'aria-label': `show ${name}`, 'data-camera': name }, 'Show')
    look.addEventListener('click', () => this.page.cameras.toggle(robot, sensor))
    const figures = [...Array(6)].map(() => html('span', {}))
    setText(figures[0], number(sensor.rate_hz))
    this.figures.set(name, figures)
    const cell = i => html('td', { class: 'figures' }, figures[i], figures[i + 1])
    return html('tr', {}, html('th', { scope: 'row', title: sensor.kind }, ...sensor.name.split('_').flatMap((part, i) => i ? [html('wbr'), `_${part}`] : [part])), cell(0), cell(2), cell(4), html('td', {}, select), html('td', {}, look))
  }

  /** ask updates the sensors' timing. */
  async ask() {
    try {
      const reports = await get(`${base}sensors`)
      reports.forEach(report => this.report(report))
    } catch { /* the page reports the lost connection */ }
  }

  report(r) {
    const figures = this.figures?.get(`${r.robot}.${r.sensor}`)
    if (!figures) return
    const quiet = r.rate_measured_hz === 0
    setText(figures[1], r.rate_measured_hz === null ? '' : quiet ? 'idle' : number(r.rate_measured_hz))
    figures[1].title = quiet ? idle : ''
    setText(figures[2], number(r.delay_modelled_s * 1000) + (r.jitter_s ? ` ± ${number(r.jitter_s * 1000)}` : ''))
    setText(figures[3], r.delay_measured_s === null || quiet ? '' : number(r.delay_measured_s * 1000))
    setText(figures[4], r.frame_cost_s === null || quiet ? '' : number(r.frame_cost_s * 1000))
    setText(figures[5], r.late_frames ? `${r.late_frames} late` : '')
  }

  async set(robot, sensor, select) {
    const level = select.value
    this.switching.add(select) // the first level with images waits for the renderer
    select.disabled = true
    try {
      await act({ set_level: { robot: robot.name, sensor: sensor.name, level } })
      this.page.say(`${robot.name}.${sensor.name} is at level ${level}`)
    } catch (error) {
      this.page.fail(error)
    }
    select.disabled = false
    select.focus()
    this.switching.delete(select)
  }

  /** show shows the levels of a state, except where the user is choosing. */
  show(state) {
    state.levels.forEach((level, i) => {
      const select = this.rows[i]
      if (!select || this.switching.has(select) || select.value === level) return
      if (![...select.options].some(option => option.value === level)) select.append(html('option', {}, level))
      select.value = level
    })
  }
}
