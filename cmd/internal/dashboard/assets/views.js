import { byId, html } from './dom.js'

/** Views shows one of several views of the field. */
export class Views {
  constructor() {
    this.all = new Map()
    this.select = byId('view')
    this.select.addEventListener('change', () => this.choose(this.select.value))
  }

  /** add adds a view: a name, a label, an element, and a function that is called with true when it is shown and with false when it is hidden. */
  add(name, label, element, onShow = () => {}) {
    this.all.set(name, { element, onShow, option: html('option', { value: name }, label) })
    this.select.append(this.all.get(name).option)
    element.hidden = this.all.size > 1
    if (this.all.size === 1) this.choose(name)
    this.select.parentElement.hidden = this.all.size === 1
  }

  /** remove removes a view, for example of a robot that another world does not have. */
  remove(name) {
    const view = this.all.get(name)
    this.all.delete(name)
    view.option.remove()
    if (this.chosen === name) {
      view.onShow(false)
      this.choose(this.all.keys().next().value)
    }
    this.select.parentElement.hidden = this.all.size === 1
  }

  /** deny disables a view, and says why. */
  deny(name, why) {
    const view = this.all.get(name)
    view.option.disabled = true
    view.option.textContent += ` (${why})`
    if (this.chosen === name) this.choose(this.all.keys().next().value)
  }

  choose(name) {
    if (this.chosen === name) return
    const before = this.all.get(this.chosen), now = this.all.get(name)
    this.chosen = this.select.value = name
    before?.onShow(false)
    if (before?.element !== now.element) {
      if (before) before.element.hidden = true
      now.element.hidden = false
    }
    now.onShow(true)
  }
}
