import { html, setText } from './dom.js'
import { byTeam } from './teams.js'

// Column heads, and their explanations.
const heads = [
  ['Robot', 'number of the robot'],
  ['Position', 'where the robot believes to be, m in the map; below, its distance from the truth'],
  ['Velocity', 'what the robot believes, m/s along the axes of the map; below, the truth'],
  ['Role, action', 'its role in its team; below, what it does'],
  ['Target', 'where it goes, the end of its path, m in the map; below, how far that is from its true position'],
  ['Dribbling', 'whether the robot believes that it dribbles the ball; below, the truth'],
]

const pair = ([x, y]) => `${x.toFixed(2)}, ${y.toFixed(2)}`
const yes = value => value === undefined ? '–' : value ? 'yes' : 'no'

/** Statuses shows what robots say about themselves, each value above the truth, in a table. */
export class Statuses {
  constructor() {
    this.rows = html('tbody', {})
    this.table = html('table', { class: 'statuses' },
      html('caption', {}, 'What robots say about themselves; in grey, the truth'),
      html('thead', {}, html('tr', {}, ...heads.map(([text, title]) => html('th', { scope: 'col', title }, text)))), this.rows)
  }

  enter(world) {
    this.cells = new Map(byTeam(world.robots).map(robot => [robot.name, ['position', 'velocity', 'role', 'target', 'dribbling'].map(kind => html('td', { 'data-said': `${robot.name}.${kind}` }, html('div', {}), html('div', { class: kind === 'role' ? undefined : 'truth' })))]))
    this.rows.replaceChildren(...byTeam(world.robots).map(robot => html('tr', {},
      html('th', { scope: 'row', title: robot.name }, html('span', { class: `team ${robot.team}`, 'aria-label': robot.name }, String(robot.number))), ...this.cells.get(robot.name))))
  }

  /** draw shows what robots say. places maps robots' names to their true poses. */
  draw(minds, places) {
    for (const [name, [position, velocity, role, target, dribbling]] of this.cells) {
      const { pose, velocity: v, status, path } = minds.get(name) ?? {}, place = places.get(name), end = path?.points_m.at(-1)
      const put = (cell, said, below) => [said, below].forEach((text, i) => setText(cell.children[i], text))
      put(position, !pose ? '–' : pose.known ? pair([pose.at.x_m, pose.at.y_m]) : 'unknown', pose?.error_m === undefined ? '' : `${(pose.error_m * 100).toFixed(pose.error_m < 0.1 ? 1 : 0)}\u00a0cm off`)
      put(velocity, !v ? '–' : v.at_m_s ? pair(v.at_m_s) : 'unknown', v?.truth_m_s ? pair(v.truth_m_s) : '')
      put(role, status?.role ?? '–', status?.action ?? '')
      put(target, end ? pair(end) : '–', end && place ? `${Math.hypot(end[0] - place.x_m, end[1] - place.y_m).toFixed(1)}\u00a0m away` : '')
      put(dribbling, yes(status?.dribbling), status?.holds_ball === undefined ? '' : yes(status.holds_ball))
    }
  }
}
