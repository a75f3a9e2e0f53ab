import { byId, html } from './dom.js'
import { act } from './api.js'

/** Sensors lists every sensor with its level, which it switches, in the order in which states have levels. */
export class Sensors {
  constructor(page) { this.page = page }

  enter(world) {
    this.rows = []
    this.switching = new Set()
    const all = world.robots.map((robot, i) => html('details', i === 0 ? { open: '' } : {},
      html('summary', {}, html('span', { class: `team ${robot.team}` }, String(robot.number)), robot.name),
      html('table', {},
        html('thead', {}, html('tr', {}, ...['Sensor', 'Rate', 'Level', 'Look'].map(text => html('th', { scope: 'col' }, text)))),
        html('tbody', {}, ...robot.sensors.map(sensor => this.row(robot, sensor))))))
    byId('sensors').replaceChildren(...all)
    if (all.length === 0) byId('sensors').append(html('p', {}, 'There are no robots.'))
  }

  row(robot, sensor) {
    const name = `${robot.name}.${sensor.name}`
    const select = html('select', { 'aria-label': `level of ${name}`, 'data-sensor': name }, ...sensor.levels.map(level => html('option', {}, level)))
    select.addEventListener('change', () => this.set(robot, sensor, select))
    this.rows.push(select)
    let look = ''
    if (sensor.camera) {
      look = html('button', { type: 'button', 'aria-pressed': 'false', 'aria-label': `look through ${name}`, 'data-camera': name }, 'Look')
      look.addEventListener('click', () => this.page.cameras.toggle(robot, sensor, look))
    }
    return html('tr', {}, html('th', { scope: 'row', title: sensor.kind }, sensor.name), html('td', { class: 'rate' }, `${Number(sensor.rate_hz.toPrecision(3))} Hz`), html('td', {}, select), html('td', {}, look))
  }

  async set(robot, sensor, select) {
    const level = select.value
    this.switching.add(select) // the first level with images takes until a renderer is there
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

  /** show shows the levels of a state, but where the user is choosing. */
  show(state) {
    state.levels.forEach((level, i) => {
      const select = this.rows[i]
      if (!select || this.switching.has(select) || select.value === level) return
      if (![...select.options].some(option => option.value === level)) select.append(html('option', {}, level))
      select.value = level
    })
  }
}

