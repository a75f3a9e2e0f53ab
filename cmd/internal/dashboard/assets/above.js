import { byId } from './dom.js'
import { Field } from './field.js'
import { Hand } from './hand.js'

/** Above shows the field from above. Users move bodies on it with the pointer. */
export class Above {
  constructor(page) {
    this.page = page
    page.above = this // scans are drawn on its field
    page.views.add('above', 'from above', byId('field'), shown => { this.hidden = !shown })
    byId('help').addEventListener('click', e => {
      byId('keys').hidden = !byId('keys').hidden
      e.target.setAttribute('aria-expanded', String(!byId('keys').hidden))
    })
  }

  enter(world) {
    this.field = new Field(byId('field'), world)
    new Hand(this.field, this.page.say, this.page.fail)
  }

  show(state) { this.field.remember(state) }

  frame(now, motion) {
    if (!this.hidden) this.field.show(motion.at(now))
  }
}
