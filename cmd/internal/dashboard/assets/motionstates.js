import { byId, html, setText } from './dom.js'
import { byTeam } from './teams.js'

// Column heads, and their explanations.
const heads = [
  ['Robot', ''],
  ['State', 'what the robot does'],
  ['For', 'sim time since the state began, as far as this page has seen'],
  ['Roll', 'of the trunk; positive leans to the right'],
  ['Pitch', 'of the trunk; positive leans forwards'],
  ['Before', 'earlier states, the newest first, with their durations'],
]

const mostStates = 5 // in the last column
const seconds = s => `${s.toFixed(1)}\u00a0s`
const degrees = d => `${Math.round(d)}°`

/** MotionStates shows in a table what robots do that walk or play animations. It is hidden in worlds without such robots. */
export class MotionStates {
  constructor() {
    this.rows = html('tbody', {})
    this.table = html('table', { id: 'motion-states', class: 'beliefs', hidden: '' },
      html('caption', {}, 'Motion of robots with legs'),
      html('thead', {}, html('tr', {}, ...heads.map(([text, title]) => html('th', { scope: 'col', title }, text)))), this.rows)
    byId('beliefs').append(this.table)
  }

  enter(world) {
    this.world = world
    this.cells = new Map(world.robots.map(robot => [robot.name, heads.slice(1).map(() => html('td', {}))]))
    this.past = new Map(world.robots.map(robot => [robot.name, []]))
    this.rows.replaceChildren(...byTeam(world.robots).map(robot => html('tr', { 'data-motion': robot.name, hidden: '' },
      html('th', { scope: 'row' }, html('span', { class: `team ${robot.team}` }, String(robot.number)), ` ${robot.name}`), ...this.cells.get(robot.name))))
  }

  show(state) {
    if (!state) return
    const now = state.time_s
    let any = false
    this.world.robots.forEach((robot, i) => {
      const { motion } = state.robots[i], cells = this.cells.get(robot.name), past = this.past.get(robot.name)
      cells[0].parentElement.hidden = !motion
      if (!motion) return
      any = true
      if (past.length && past[0].last > now) past.length = 0 // time has gone back
      if (past[0]?.name === motion.state) past[0].last = now
      else past.unshift({ name: motion.state, began: now, last: now })
      past.length = Math.min(past.length, mostStates + 1)
      const name = motion.state.replaceAll('_', ' ') + (motion.progress ? `, ${Math.round(motion.progress)}\u00a0%` : '')
      const before = past.slice(1).map((p, k) => `${p.name.replaceAll('_', ' ')} ${seconds(past[k].began - p.began)}`).join(', ')
      const texts = [name, seconds(now - past[0].began), degrees(motion.roll_deg), degrees(motion.pitch_deg), before || '–']
      texts.forEach((text, k) => setText(cells[k], text))
    })
    this.table.hidden = !any
  }
}
