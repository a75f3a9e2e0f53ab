import { act } from './api.js'
import { byId, html, setText, svg } from './dom.js'
import { upright } from './field.js'
import { Form } from './form.js'

const points = ['a', 'b']
const one = x => Math.round(x * 10) / 10

/** Coach sends teams a coach's messages: a mode, two points on the field, and the team's own numbers. */
export class Coach {
  constructor(page) {
    this.page = page
    this.wrong = html('p', { class: 'wrong', role: 'alert' })
    this.fields = html('div', {})
    const form = html('form', { novalidate: '' }, this.fields, html('button', { type: 'submit', id: 'tell' }, 'Tell'), this.wrong)
    form.addEventListener('submit', e => {
      e.preventDefault()
      this.tell()
    })
    form.addEventListener('input', () => this.draw())
    byId('coach').append(form)
    byId('coach').addEventListener('toggle', () => this.draw())
    page.tabs.onShow('game-panel', shown => {
      this.shown = shown
      this.draw()
    })
    document.addEventListener('keydown', e => { if (e.key === 'Escape') this.leave() })
  }

  async enter(world) {
    this.leave()
    this.marks = svg('g', { class: 'coach' })
    byId('field').querySelector('svg > g').append(this.marks)
    if (this.form) {
      this.draw()
      return
    }
    try {
      this.form = new Form((await this.page.actions).find(a => a.key === 'coach'), world)
    } catch (error) {
      this.page.fail(error)
      return
    }
    this.fields.append(this.form.element)
    for (const point of points) {
      const button = html('button', { type: 'button', 'aria-pressed': 'false', 'data-pick': point }, `Pick ${point.toUpperCase()} on the field`)
      button.addEventListener('click', () => this.pick(point, button))
      this.form.inputs.get(`${point}_x_m`).closest('.row').before(button)
    }
  }

  show() {}

  /** pick lets the next click on the field choose a point, in the frame of the team. For both teams it is in the frame of cyan. */
  pick(point, button) {
    if (this.leave() === button) return
    this.page.views.choose('above')
    button.setAttribute('aria-pressed', 'true')
    byId('field').classList.add('picking')
    byId('field').scrollIntoView({ block: 'nearest' })
    this.page.say(`Click on the field where ${point.toUpperCase()} is. Escape cancels.`)
    this.picking = { button, take: e => this.take(e, point) }
    byId('field').addEventListener('pointerdown', this.picking.take, { capture: true })
  }

  take(e, point) {
    e.preventDefault()
    e.stopPropagation() // no body is dragged
    const { button } = this.picking
    this.leave()
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(this.marks.getScreenCTM().inverse())
    const way = this.form.inputs.get('team').value === 'magenta' ? -1 : 1
    this.form.inputs.get(`${point}_x_m`).value = one(p.x * way)
    this.form.inputs.get(`${point}_y_m`).value = one(p.y * way)
    this.draw()
    this.page.say(`${point.toUpperCase()} is at ${one(p.x * way)}, ${one(p.y * way)} m`)
    button.focus()
  }

  /** leave ends picking and returns the button that started it. */
  leave() {
    const picking = this.picking
    if (!picking) return undefined
    this.picking = undefined
    picking.button.setAttribute('aria-pressed', 'false')
    byId('field').classList.remove('picking')
    byId('field').removeEventListener('pointerdown', picking.take, { capture: true })
    return picking.button
  }

  /** draw shows the points on the field, as the teams know them. */
  draw() {
    if (!this.form || !this.marks) return
    const input = key => this.form.inputs.get(key)
    const team = input('team').value, shown = []
    if (this.shown && byId('coach').open) {
      for (const side of ['cyan', 'magenta']) {
        if (team && team !== side) continue
        const way = side === 'magenta' ? -1 : 1
        for (const point of points) {
          if (input(`${point}_x_m`).value === '' && input(`${point}_y_m`).value === '') continue
          const x = way * (input(`${point}_x_m`).valueAsNumber || 0), y = way * (input(`${point}_y_m`).valueAsNumber || 0)
          shown.push(svg('g', { transform: `translate(${x} ${y})` }, svg('path', { class: 'point', d: 'M -0.2 0 H 0.2 M 0 -0.2 V 0.2' }),
            upright(`${point.toUpperCase()}${team ? '' : ` of ${side}`}`, { class: 'point-name', x: 0.2, y: -0.2 })))
        }
      }
    }
    this.marks.replaceChildren(...shown)
  }

  async tell() {
    setText(this.wrong, '')
    this.form.wrong()
    try {
      const value = this.form.value()
      await act(value)
      const { team, mode } = value.coach
      this.page.say(`coach: ${team ?? 'both teams'} received ${(mode ?? 'the game’s mode').replaceAll('_', ' ')}`)
    } catch (error) {
      if (!this.form.wrong(error)) setText(this.wrong, error.message)
    }
  }
}
