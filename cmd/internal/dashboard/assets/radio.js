import { byId, html, setText } from './dom.js'
import { byTeam } from './teams.js'

// Column heads, and their explanations.
const heads = [
  ['Robot', ''],
  ['Sent', 'messages that the robot has sent'],
  ['Not sent', 'messages that the radio did not send: it was off, its queue was full, or the message was too large'],
  ['Received', 'messages of teammates that have reached the robot'],
  ['Lost', 'messages of teammates that have not reached the robot'],
  ['Under way', 'messages to the robot that are delayed now'],
  ['Delay', 'of the last message that reached the robot'],
  ['Last heard', 'sim time since then'],
]

const time = seconds => seconds === undefined ? '–' : seconds < 10 ? `${Math.round(seconds * 1000)}\u00a0ms` : `${Math.round(seconds)}\u00a0s`

/** Radio shows the state of the robots' radios in a table. It is hidden in worlds without radios. */
export class Radio {
  constructor() {
    this.rows = html('tbody', {})
    this.table = html('table', { id: 'radios', class: 'beliefs', hidden: '' },
      html('caption', {}, 'Messages between teammates by radio'),
      html('thead', {}, html('tr', {}, ...heads.map(([text, title]) => html('th', { scope: 'col', title }, text)))), this.rows)
    byId('beliefs').append(this.table)
  }

  enter(world) {
    this.world = world
    this.cells = new Map(byTeam(world.robots).map(robot => [robot.name, heads.slice(1).map(() => html('td', {}))]))
    this.rows.replaceChildren(...byTeam(world.robots).map(robot => html('tr', { 'data-radio': robot.name, hidden: '' },
      html('th', { scope: 'row' }, html('span', { class: `team ${robot.team}` }, String(robot.number)), ` ${robot.name}`), ...this.cells.get(robot.name))))
  }

  show(state) {
    if (!state) return
    let any = false
    this.world.robots.forEach((robot, i) => {
      const { radio } = state.robots[i], cells = this.cells.get(robot.name)
      cells[0].parentElement.hidden = !radio
      if (!radio) return
      any = true
      const late = radio.heard_s === undefined ? undefined : Math.max(0, state.time_s - radio.heard_s)
      const texts = [radio.off ? `${radio.sent}, off` : radio.sent, radio.dropped, radio.received, radio.lost, radio.under_way, time(radio.delay_s), time(late)]
      texts.forEach((text, k) => setText(cells[k], String(text)))
    })
    this.table.hidden = !any
  }
}
