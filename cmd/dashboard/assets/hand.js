import { svg } from './dom.js'
import { upright } from './field.js'
import { act } from './api.js'

const pixels = 4 // that a pointer moves before it drags
const kickPerMetre = 2 // m/s for each metre of the drag
const fastest = 12 // m/s
const keyStep = 0.1, keyTurn = 15, keyKick = 4 // m, °, m/s

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }

const two = x => Math.round(x * 100) / 100

/** Hand moves, turns and kicks bodies of a field, by pointer and by keys. */
export class Hand {
  /** say gets a sentence on what has been done, fail an error. */
  constructor(field, say, fail) {
    Object.assign(this, { field, say, fail })
    const on = (type, f) => field.svg.addEventListener(type, f)
    on('pointerdown', e => this.take(e))
    on('pointermove', e => this.drag(e))
    on('pointerup', e => this.release(e))
    on('pointercancel', () => this.letGo())
    on('keydown', e => this.key(e))
  }

  take(e) {
    const body = e.target.closest('.body')
    if (!body || e.button !== 0 || this.held) return
    e.preventDefault()
    body.focus({ preventScroll: true })
    this.field.svg.setPointerCapture(e.pointerId)
    const other = e.shiftKey || document.querySelector('input[name=drag]:checked').value === 'other'
    this.held = { name: body.dataset.name, body, other, at: [e.clientX, e.clientY], begun: false }
  }

  drag(e) {
    const h = this.held
    if (!h) return
    h.begun ||= Math.hypot(e.clientX - h.at[0], e.clientY - h.at[1]) > pixels
    if (!h.begun) return
    const to = this.field.point(e), from = this.field.poseOf(h.name)
    if (!h.other) {
      const ghost = h.body.cloneNode(true)
      ghost.setAttribute('class', h.body.getAttribute('class') + ' ghost')
      ghost.removeAttribute('tabindex')
      ghost.removeAttribute('data-name')
      ghost.setAttribute('aria-hidden', 'true')
      ghost.setAttribute('transform', `translate(${to.x} ${to.y}) rotate(${from.heading_deg ?? 0})`)
      this.field.hand.replaceChildren(ghost)
      return
    }
    const end = h.name === 'ball' ? `${this.kick(from, to).speed.toFixed(1)} m/s` : `${Math.round(this.heading(from, to))}°`
    this.field.hand.replaceChildren(
      svg('line', { x1: from.x_m, y1: from.y_m, x2: to.x, y2: to.y, class: 'aim' }),
      svg('g', { transform: `translate(${to.x} ${to.y})` }, upright(end, { class: 'aim-text', x: 0.2 })))
  }

  release(e) {
    const h = this.held
    this.letGo()
    if (!h?.begun) return
    const to = this.field.point(e), from = this.field.poseOf(h.name)
    if (!h.other) this.place(h.name, from, to.x, to.y)
    else if (h.name === 'ball') this.shoot(from, this.kick(from, to))
    else this.turn(h.name, from, this.heading(from, to))
  }

  letGo() {
    this.held = undefined
    this.field.hand.replaceChildren()
  }

  kick(from, to) {
    const dx = to.x - from.x_m, dy = to.y - from.y_m, length = Math.hypot(dx, dy) || 1
    const speed = Math.min(length * kickPerMetre, fastest)
    return { speed, x: dx / length * speed, y: dy / length * speed }
  }

  heading(from, to) { return Math.atan2(to.y - from.y_m, to.x - from.x_m) * 180 / Math.PI }

  key(e) {
    const body = e.target.closest('.body')
    if (e.key === 'Escape') this.letGo()
    const way = arrows[e.key]
    if (!body || !way || e.ctrlKey || e.altKey || e.metaKey) return
    e.preventDefault()
    const name = body.dataset.name, from = this.field.poseOf(name)
    if (!e.shiftKey) this.place(name, from, from.x_m + way[0] * keyStep, from.y_m + way[1] * keyStep)
    else if (name === 'ball') this.shoot(from, { speed: keyKick, x: way[0] * keyKick, y: way[1] * keyKick })
    else this.turn(name, from, from.heading_deg + (way[1] - way[0]) * keyTurn)
  }

  place(name, from, x, y) {
    this.put({ name, x_m: two(x), y_m: two(y), z_m: 0, heading_deg: from.heading_deg ?? 0 }, `${name} placed at ${two(x)}, ${two(y)} m`)
  }

  turn(name, from, heading) {
    this.put({ name, x_m: from.x_m, y_m: from.y_m, heading_deg: heading }, `${name} turned to ${Math.round(heading)}°`)
  }

  shoot(from, k) {
    this.put({ name: 'ball', x_m: from.x_m, y_m: from.y_m, z_m: from.z_m, vx_m_s: k.x, vy_m_s: k.y }, `ball kicked at ${k.speed.toFixed(1)} m/s`)
  }

  async put(place, text) {
    try {
      await act({ place })
      this.say(text)
    } catch (error) {
      this.fail(error)
    }
  }
}
