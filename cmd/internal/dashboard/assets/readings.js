import { byId, html, svg, setText } from './dom.js'
import { pose } from './field.js'

const ranges = [4, 8, 12, 20, 40, 80, 200] // m around a robot; rings are a quarter apart
const textEvery = 100 // ms
const scanEvery = 30

const units = [['m_s2', 'm/s²'], ['m_s_m_s_rad_s', 'm/s, m/s, rad/s'], ['rad_s', 'rad/s'], ['m_s', 'm/s'], ['rad', 'rad'], ['deg', '°'], ['m', 'm'], ['v', 'V'], ['a', 'A'], ['s', 's']]

function label(key) {
  const unit = units.find(([suffix]) => key.endsWith(`_${suffix}`))
  return unit ? [key.slice(0, -unit[0].length - 1).replaceAll('_', ' '), unit[1]] : [key.replaceAll('_', ' '), '']
}

function value(x) {
  if (Array.isArray(x)) return x.map(value).join(', ')
  if (typeof x === 'number') return Number.isInteger(x) ? String(x) : x.toFixed(3)
  if (typeof x === 'boolean') return x ? 'yes' : 'no'
  return x === null ? 'nothing' : String(x)
}

const flat = (x, before = []) => Object.entries(x ?? {}).flatMap(([key, of]) => of !== null && typeof of === 'object' && !Array.isArray(of) ? flat(of, [...before, key]) : [[[...before, key].join('_'), of]])

/** dots is a path of round dots. */
const dots = points => points.map(([x, y]) => `M${x} ${y}h0`).join('')

/** Reading shows the data of a sensor without images: the scan of a laser or lidar around its robot and on the field, and numbers for other sensors. */
export class Reading {
  constructor(robot, sensor, above) {
    this.robot = robot
    this.path = `sensors/${encodeURIComponent(robot.name)}/${encodeURIComponent(sensor.name)}/next?`
    this.name = `${robot.name}.${sensor.name}`
    this.above = above
    this.range = ranges[0]
    this.scans = ['laser', 'lidar'].includes(sensor.kind)
    this.every = this.scans ? scanEvery : textEvery
    this.onField = svg('g', { class: 'scan' }, svg('path', { class: 'halo' }), svg('path', { class: 'stroke' }))
  }

  /** show shows an answer in an element. */
  async show(answer, sight) {
    const reading = await answer.json()
    if (reading.scan) this.scan(reading, sight)
    else this.numbers(reading.reading, sight)
  }

  numbers(reading, sight) {
    const all = flat(reading)
    if (this.keys !== all.map(([key]) => key).join()) {
      this.keys = all.map(([key]) => key).join()
      this.cells = all.map(() => html('dd', {}))
      this.list = html('dl', { class: 'numbers' }, ...all.flatMap(([key], i) => [html('dt', {}, label(key)[0]), this.cells[i]]))
    }
    if (sight.firstChild !== this.list) sight.replaceChildren(this.list)
    all.forEach(([key, x], i) => setText(this.cells[i], `${value(x)} ${label(key)[1]}`))
  }

  scan(reading, sight) {
    const { scan } = reading
    const far = scan.points_m.reduce((most, [x, y]) => Math.max(most, Math.hypot(x, y)), 0)
    const range = Math.max(this.range, ranges.find(r => r >= far) ?? ranges.at(-1))
    if (this.plot?.parentElement !== sight || range !== this.range) {
      this.range = range
      this.draw(range)
      sight.replaceChildren(this.plot, this.facts)
    }
    const d = dots(scan.points_m)
    this.points.forEach(path => path.setAttribute('d', d))
    const text = `${scan.hits} of ${scan.beams} beams hit something${scan.too_near ? `, ${scan.too_near} too near` : ''}; ${scan.near_m} m to ${scan.far_m} m`
    setText(this.facts, text)
    if (!reading.robot || !this.above.field) return
    if (!this.onField.isConnected) this.above.field.drawing.append(this.onField)
    this.onField.setAttribute('transform', pose(reading.robot))
    this.onField.childNodes.forEach(path => path.setAttribute('d', d))
  }

  /** draw draws rings around the robot. Forward is up: the robot's x is up, y to the left. */
  draw(range) {
    const rings = [1, 2, 3, 4].flatMap(i => [svg('circle', { r: i * range / 4, class: 'ring' }), svg('text', { x: range / 80, y: -i * range / 4 - range / 80, class: 'scan-ring-name', 'font-size': range / 16 }, `${i * range / 4} m`)])
    this.points = [svg('path', { class: 'scan-point' })]
    const r = this.robot.radius_m
    this.plot = svg('svg', { viewBox: `${-range * 1.05} ${-range * 1.1} ${range * 2.1} ${range * 2.15}`, role: 'img', 'aria-label': `scan of ${this.name} around the robot, forward is up` },
      ...rings, svg('g', { transform: 'matrix(0 -1 -1 0 0 0)' }, svg('path', { d: `M ${1.5 * r} 0 L ${-r} ${r} L ${-r} ${-r} Z`, class: 'self' }), ...this.points))
    this.facts = html('p', { class: 'facts' })
  }

  end() { this.onField.remove() }
}
