import { act, card } from './api.js'
import { byId, html, setText } from './dom.js'
import { byTeam } from './teams.js'

// Commands, the most frequent first; all others of the referee box are in the last group.
const first = ['start', 'stop', 'drop_ball']
const teams = ['kickoff', 'freekick', 'goalkick', 'throwin', 'corner', 'penalty', 'goal', 'subgoal']
const cards = ['repair', 'repair_end', 'yellow_card', 'double_yellow', 'red_card', 'penalise', 'unpenalise']

const names = {
  kickoff: 'kick-off', freekick: 'free kick', goalkick: 'goal kick', throwin: 'throw-in', goal: 'goal +1', subgoal: 'goal −1', repair: 'off for repair', repair_end: 'repaired',
  end_game: 'end of the game', reset: 'reset the game',
}
const nameOf = command => names[command] ?? command.replaceAll('_', ' ')

const judges = {
  off: 'There is no referee: goals are counted; you give all other commands.',
  auto: 'The automatic referee decides. It accepts your commands: after your stop, it waits for your start.',
  refbox: 'A referee box commands the game. It does not know of your commands here.',
  gamecontroller: 'A GameController commands the game. It does not know of your commands here.',
}

const sides = ['cyan', 'magenta']

/** Game shows the state of the game, and sends the commands of a referee box. */
export class Game {
  constructor(page) {
    this.page = page
    this.buttons = []
    this.state = html('p', { id: 'game-state' })
    this.judge = html('p', { class: 'hint' })
    this.robot = html('select', { id: 'carded' })
    this.standing = html('p', { id: 'standing', class: 'hint' })
    this.robot.addEventListener('change', () => this.show(this.last))
    this.more = html('div', { class: 'buttons' })
    this.question = html('div', { id: 'question', role: 'group', 'aria-labelledby': 'question-text', hidden: '' })
    byId('referee').append(this.state, this.question, this.judge,
      html('div', { class: 'buttons' }, ...first.map(command => this.button(command))),
      html('div', { class: 'sides' }, ...sides.map(team => html('div', { role: 'group', 'aria-label': `commands for ${team}` },
        html('span', { class: `team ${team}`, 'aria-hidden': 'true' }, team), ...teams.map(command => this.button(command, team))))),
      html('details', {}, html('summary', {}, 'Cards and repair'),
        html('div', { class: 'row' }, html('label', { for: 'carded' }, 'Robot'), this.robot), this.standing,
        html('div', { class: 'buttons' }, ...cards.map(command => this.button(command)))),
      html('details', {}, html('summary', {}, 'Halves, parking, the end'), this.more))
  }

  button(command, team) {
    const button = html('button', { type: 'button', 'data-command': command, 'data-team': team, 'aria-label': team && `${nameOf(command)} of ${team}` }, nameOf(command))
    this.buttons.push(button)
    button.addEventListener('click', this.page.tried(async () => {
      if (button.getAttribute('aria-disabled') === 'true') return // it keeps the focus
      const table = { command }
      if (team) table.team = team
      if (cards.includes(command)) Object.assign(table, { team: this.carded.team, number: this.carded.number })
      await act({ game_command: table })
      this.page.say(`${nameOf(command)}${table.number ? ` for ${this.carded.name}` : team ? ` of ${team}` : ''} commanded`)
    }))
    return button
  }

  /** ask shows which robots a command of the referee box can be for, while the box's question waits for its answer. */
  ask(question) {
    const asked = question && JSON.stringify(question)
    if (asked === this.asked) return
    this.asked = asked
    this.question.hidden = !question
    if (!question) return
    const { command, team, numbers, waits_s: waits } = question
    const robots = numbers.map(number => this.world.robots.find(r => r.team === team && r.number === number)).filter(Boolean)
    const text = `The referee box does not say which robot of ${team} its command “${nameOf(command)}” is for.`
    this.question.replaceChildren(html('p', { id: 'question-text' }, `${text} Without your choice, number ${Math.max(...numbers)} gets it after ${waits} s of sim time.`),
      html('div', { class: 'buttons' }, ...robots.map(robot => {
        const button = html('button', { type: 'button', 'data-number': robot.number }, robot.name)
        button.addEventListener('click', this.page.tried(async () => {
          await card(robot.number)
          this.page.say(`${nameOf(command)} for ${robot.name}`)
        }))
        return button
      })))
    this.page.say(`${text} Choose it in the tab “Game”.`)
  }

  get carded() { return this.world.robots.find(r => r.name === this.robot.value) }

  async enter(world) {
    this.world = world
    setText(this.judge, judges[world.referee])
    for (const part of ['referee', 'coach']) byId(part).hidden = !world.game
    const was = this.robot.value
    this.robot.replaceChildren(...byTeam(world.robots).map(r => html('option', {}, r.name)))
    if (world.robots.some(r => r.name === was)) this.robot.value = was
    if (this.more.children.length > 0) return
    try {
      const all = (await this.page.actions).find(a => a.key === 'game_command').keys.find(k => k.key === 'command').choices
      const others = all.filter(command => ![first, teams, cards].some(group => group.includes(command)))
      if (this.more.children.length === 0) this.more.append(...others.map(command => this.button(command)))
    } catch (error) {
      this.page.fail(error)
    }
  }

  /** sensible returns whether a command would change anything. */
  sensible(command, team, { game, robots }) {
    const robot = robots[this.world.robots.indexOf(this.carded)]
    switch (command) {
      case 'start': return game.phase !== 'playing'
      case 'stop': return game.phase !== 'stopped'
      case 'set': return game.phase === 'set_piece'
      case 'park': return game.phase !== 'parked'
      case 'subgoal': return game[team] > 0
      case 'repair': return Boolean(robot) && !robot.out
      case 'repair_end': return robot?.out === 'repair'
      case 'penalise': return Boolean(robot) && (!robot.out || robot.out === 'unpenalise')
      case 'unpenalise': return robot?.out === 'penalise'
      case 'yellow_card': case 'double_yellow': case 'red_card': return Boolean(robot) && robot.out !== 'red_card'
      case 'goal': case 'reset': return true
    }
    if (command === game.half) return false
    return !(game.phase === 'set_piece' && game.set_piece === command && (game.team ?? '') === (team ?? ''))
  }

  show(state) {
    this.last = state
    if (!state) return
    const { game } = state
    this.ask(game.question)
    setText(this.state, [`${game.cyan} : ${game.magenta}`, game.phase, game.set_piece && `${nameOf(game.set_piece)}${game.team ? ` of ${game.team}` : ''}`, game.half].filter(Boolean).join(', ').replaceAll('_', ' '))
    for (const button of this.buttons) {
      const disabled = String(!this.sensible(button.dataset.command, button.dataset.team, state))
      if (button.getAttribute('aria-disabled') !== disabled) button.setAttribute('aria-disabled', disabled)
    }
    const off = this.world.robots.flatMap((r, i) => {
      const { out, yellow } = state.robots[i]
      return out || yellow ? [`${r.name}: ${[out && `off the field, ${out.replaceAll('_', ' ')}`, yellow && 'yellow card'].filter(Boolean).join(', ')}`] : []
    })
    setText(this.standing, off.length > 0 ? off.join('; ') : 'All robots are on the field, without cards.')
  }
}
