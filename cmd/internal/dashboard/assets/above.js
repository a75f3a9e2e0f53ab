import { byId } from './dom.js'
import { Field } from './field.js'
import { Hand } from './hand.js'

/** Above shows the field from above. Users move bodies on it with the pointer. */
export class Above {
  constructor(page) {
    this.page = page
    page.above = this // scans are drawn on its field
    page.views.add('above', 'from above', byId('field'), shown => { this.hidden = !shown })
    byId('areas').addEventListener('change', () => this.area())
    byId('help').addEventListener('click', e => {
      byId('keys').hidden = !byId('keys').hidden
      e.target.setAttribute('aria-expanded', String(!byId('keys').hidden))
    })
  }

  enter(world) {
    this.field = new Field(byId('field'), world)
    new Hand(this.field, this.page.say, this.page.fail)
    byId('areas-switch').hidden = world.areas.length === 0
    this.area()
  }

  /** area shows or hides the world's areas. */
  area() { this.field?.svg.classList.toggle('no-areas', !byId('areas').checked) }

  show(state) {
    this.field.remember(state)
    this.field.svg.style.setProperty('--carpet', state.carpet)
  }

  frame(now, motion) {
    if (!this.hidden) this.field.show(motion.at(now))
  }
}
