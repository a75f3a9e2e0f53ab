import { act, actions } from './api.js'
import { byId, html, setText } from './dom.js'
import { Form } from './form.js'

/** Actions is a form for every action that world files know. */
export class Actions {
  constructor(page) {
    this.page = page
    this.select = html('select', { id: 'action' })
    this.about = html('p', { class: 'hint' })
    this.form = html('div', {})
    this.wrong = html('p', { class: 'wrong', role: 'alert' })
    this.select.addEventListener('change', () => this.choose())
    const form = html('form', { novalidate: '' }, html('div', { class: 'row' }, html('label', { for: 'action' }, 'Action'), this.select), this.about, this.form,
      html('button', { type: 'submit', id: 'do' }, 'Do'), this.wrong)
    form.addEventListener('submit', e => {
      e.preventDefault()
      this.do()
    })
    byId('more-actions').append(form)
  }

  async enter(world) {
    this.world = world
    try {
      this.page.actions = actions() // other parts use it too
      this.all = await this.page.actions
    } catch (error) {
      this.page.fail(error)
      return
    }
    const was = this.select.value
    this.select.replaceChildren(...this.all.map(a => html('option', { value: a.key }, a.key.replaceAll('_', ' '))))
    this.select.value = this.all.some(a => a.key === was) ? was : 'place'
    this.choose()
  }

  show() {}

  choose() {
    const action = this.all.find(a => a.key === this.select.value)
    this.shown = new Form(action, this.world)
    this.form.replaceChildren(this.shown.element)
    setText(this.about, action.about)
    setText(this.wrong, '')
  }

  async do() {
    setText(this.wrong, '')
    this.shown.wrong()
    try {
      await act(this.shown.value())
      this.page.say(`${this.select.value.replaceAll('_', ' ')}: done`)
    } catch (error) {
      if (!this.shown.wrong(error)) setText(this.wrong, error.message)
    }
  }
}
