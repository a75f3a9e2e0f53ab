import { byId, html, setText } from './dom.js'
import { byTeam } from './teams.js'

const label = name => `field in 3D ${name}, with robots, ball and obstacles`

// software returns whether the processor draws, which is slow; undefined without WebGL.
function software() {
  const gl = document.createElement('canvas').getContext('webgl2')
  if (!gl) return undefined
  const name = gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)
  gl.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|software|basic render/i.test(name)
}

/** View3D is the 3D view of the field. Its code is loaded when the view is first chosen. */
export class View3D {
  constructor(page) {
    this.page = page
    this.canvas = html('canvas', { role: 'img', tabindex: 0, 'aria-label': label('over the field'), 'aria-describedby': 'keys3d' })
    this.message = html('p', { role: 'status' }, 'loading')
    this.from = html('select', { id: 'from3d' })
    this.sights = html('select', { id: 'sights3d' })
    this.names = html('input', { type: 'checkbox', checked: '' })
    this.element = byId('view3d')
    this.element.append(
      html('div', { class: 'tools' }, html('label', {}, 'Look', this.from), html('label', {}, 'Fields of view', this.sights), html('label', {}, this.names, 'numbers and names')),
      html('div', { class: 'sky' }, this.canvas, this.message),
      html('p', { id: 'keys3d' }, 'Drag the ground to turn, with the right button or two fingers to shift, wheel or pinch to come nearer; arrows, Shift + arrows, + and − do the same. Bodies are dragged as in the view from above.'))
    this.from.addEventListener('change', () => {
      this.stage.eye.go(this.from.value)
      this.canvas.setAttribute('aria-label', label(this.from.selectedOptions[0].textContent))
    })
    this.sights.addEventListener('change', () => this.stage.sight(this.sights.value))
    this.names.addEventListener('change', () => this.stage?.name(this.names.checked))
    byId('areas').addEventListener('change', () => this.stage?.area(byId('areas').checked))
    page.views.add('3d', 'in 3D', this.element, shown => this.turn(shown))
  }

  async turn(shown) {
    this.shown = shown
    this.stage?.turn(shown)
    if (!shown || this.stage || this.loading) return
    this.loading = true
    try {
      const slow = software(), gl = slow !== undefined && this.canvas.getContext('webgl2', { antialias: !slow, alpha: true })
      if (!gl) throw new Error('this browser has no WebGL 2')
      const { Scene3D } = await import('./scene3d.js')
      this.stage = new Scene3D(this.canvas, gl, slow, this.page, text => this.say(text))
      this.stage.turn(this.shown)
      if (this.world) await this.open()
    } catch (error) {
      this.page.fail(new Error(`3D view is not available: ${error.message}`))
      this.page.views.deny('3d', error.message)
    }
    this.loading = false
  }

  /** say shows a text over the picture, or none. */
  say(text) {
    setText(this.message, text)
    this.message.hidden = text === ''
  }

  async open() {
    this.say('loading')
    try {
      if (!await this.stage.enter(this.world)) return // a newer world has arrived
    } catch (error) {
      this.say(error.message)
      throw error
    }
    const options = list => list.map(([value, text]) => html('option', { value }, text))
    this.from.replaceChildren(...options(this.stage.eye.choices()))
    this.sights.replaceChildren(...options([['', 'none'], ...byTeam(this.world.robots).map(r => [r.name, `of ${r.name}`]), ['all', 'of all']]))
    this.stage.name(this.names.checked)
    this.stage.area(byId('areas').checked)
    this.say('')
  }

  enter(world) {
    this.world = world
    if (this.stage) this.page.tried(() => this.open())()
  }

  show() {}

  frame(now) {
    if (this.shown) this.stage?.frame(now)
  }
}
