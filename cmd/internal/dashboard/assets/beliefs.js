import { base, get, repeated } from './api.js'
import { byId, html, setText } from './dom.js'
import { Ghosts } from './ghosts.js'
import { Relative } from './relative.js'
import { Statuses } from './statuses.js'
import { byTeam } from './teams.js'

const every = 100 // ms between two requests
const kinds = { pose: 'own pose', ball: 'ball', obstacles: 'others', path: 'path and target' }

// Column heads, and their explanations.
const heads = [
  ['On the field', 'draw the estimates of the robot on the field'],
  ['Own pose', 'how far the robot is from where it believes to be, and how far it is turned from its believed heading'],
  ['Ball', 'distance of the true ball from where the robot believes it'],
  ['Others', 'number of the other robots and obstacles that it believes in, and their mean distance from the nearest true one'],
  ['Age', 'sim time since the newest of these estimates'],
]

const cm = metres => metres === undefined ? '' : `${(metres * 100).toFixed(metres < 0.1 ? 1 : 0)}\u00a0cm`

const ago = seconds => seconds < 10 ? `${Math.round(seconds * 1000)}\u00a0ms` : `${Math.round(seconds)}\u00a0s`

/** Beliefs shows the beliefs of robots next to the truth: as a table, on the field, and around a robot. It polls only while one of these is visible. */
export class Beliefs {
  constructor(page) {
    this.page = page
    this.robots = new Set() // robots whose beliefs are on the field
    this.kinds = new Set(Object.keys(kinds))
    this.poll = repeated(every, () => this.ask(), () => this.looked)
    this.ghosts = new Ghosts(page)
    this.relative = new Relative(page, () => this.follow())
    this.statuses = new Statuses()
    page.tabs.onShow('beliefs', shown => {
      this.shown = shown
      this.follow()
    })
    this.about = html('p', { class: 'about' }, 'No robot has published an estimate yet.')
    const boxes = Object.entries(kinds).map(([kind, label]) => this.box(label, this.kinds, kind, { 'data-kind': kind }))
    this.rows = html('tbody', {})
    this.table = html('table', { class: 'beliefs' },
      html('caption', {}, 'Errors and age of what robots believe'),
      html('thead', {}, html('tr', {}, ...heads.map(([text, title]) => html('th', { scope: 'col', title }, text)))), this.rows)
    const all = html('button', { type: 'button' }, 'All robots'), none = html('button', { type: 'button' }, 'No robot')
    all.addEventListener('click', () => this.choose(true))
    none.addEventListener('click', () => this.choose(false))
    byId('beliefs').replaceChildren(this.about, html('fieldset', {}, html('legend', {}, 'Show'), ...boxes), html('p', { class: 'buttons' }, all, none), this.table, this.statuses.table)
  }

  /** box makes a checkbox that adds a name to a set. */
  box(label, set, name, attributes, ...before) {
    const box = html('input', { type: 'checkbox', ...attributes })
    box.checked = set.has(name)
    box.addEventListener('change', () => {
      box.checked ? set.add(name) : set.delete(name)
      this.follow()
    })
    return html('label', {}, box, ...before, ` ${label}`)
  }

  choose(all) {
    this.rows.querySelectorAll('input').forEach(box => { box.checked = all })
    this.robots.clear()
    if (all) this.world.robots.forEach(robot => this.robots.add(robot.name))
    this.follow()
  }

  enter(world) {
    this.world = world
    this.known = undefined
    for (const name of this.robots) if (!world.robots.some(robot => robot.name === name)) this.robots.delete(name)
    this.cells = new Map(byTeam(world.robots).map(robot => {
      const cells = ['pose', 'ball', 'obstacles', 'age'].map(kind => html('td', { 'data-belief': `${robot.name}.${kind}` }))
      this.rows.append(html('tr', {}, html('th', { scope: 'row' }, this.box(robot.name, this.robots, robot.name, { 'data-robot': robot.name }, html('span', { class: `team ${robot.team}` }, String(robot.number)))), ...cells))
      return [robot.name, { row: this.rows.lastElementChild, cells }]
    }))
    this.rows.replaceChildren(...[...this.cells.values()].map(one => one.row))
    this.ghosts.enter(world)
    this.statuses.enter(world)
    this.relative.enter(world)
    this.follow()
  }

  show(state) {
    this.state = state
    this.relative.show(state)
  }

  frame(now, motion) { this.relative.frame(now, motion) }

  /** follow polls while beliefs are visible. */
  follow() {
    this.draw()
    this.looked = this.world && !document.hidden && (this.shown || this.robots.size > 0 || this.relative.robot)
    this.poll()
  }

  async ask() {
    try {
      this.known = await get(`${base}beliefs`)
    } catch {
      this.known = undefined // the connection is lost; the header says so
    }
    this.draw()
  }

  draw() {
    if (!this.world) return
    const all = new Map((this.known?.robots ?? []).map(mind => [mind.name, mind]))
    this.ghosts.draw(all, this.robots, this.kinds)
    this.relative.draw(all)
    if (!this.shown) return
    setText(this.about, this.known?.about ?? (all.size > 0 ? 'Errors are differences from the truth at the time of the estimate.' : 'No robot publishes estimates on the topics that its profile names.'))
    this.statuses.draw(all, new Map(this.world.robots.map((robot, i) => [robot.name, this.state?.robots[i]])))
    for (const robot of this.world.robots) this.fill(this.cells.get(robot.name).cells, all.get(robot.name))
  }

  fill([pose, ball, obstacles, age], mind) {
    const place = belief => !belief ? '–' : !belief.known ? 'unknown' : belief.error_m === undefined ? 'known' : cm(belief.error_m)
    const angle = mind?.pose?.error_deg
    setText(pose, place(mind?.pose) + (angle === undefined ? '' : ` ${Math.abs(angle).toFixed(1)}°`))
    setText(ball, place(mind?.ball))
    const off = mind?.obstacles?.places.map(at => at.error_m).filter(error => error !== undefined) ?? []
    const mean = off.length > 0 ? `, ${cm(off.reduce((a, b) => a + b, 0) / off.length)}` : ''
    setText(obstacles, mind?.obstacles ? `${mind.obstacles.places.length}${mean}` : '–')
    const stamps = [mind?.pose, mind?.ball, mind?.obstacles, mind?.path, mind?.velocity, mind?.status].filter(Boolean).map(belief => belief.stamp_s)
    setText(age, stamps.length > 0 ? ago(this.known.time_s - Math.max(...stamps)) : '–')
  }
}
