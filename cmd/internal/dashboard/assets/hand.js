import { act } from './api.js'

const pixels = 4 // least movement of the pointer that begins a drag
const kickPerMetre = 2 // m/s per metre of the drag
const fastest = 12 // m/s
const keyStep = 0.1, keyTurn = 15, keyKick = 4 // m, °, m/s

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }

const two = x => Math.round(x * 100) / 100

/**
 * Hand moves, turns and kicks bodies on a field, with the pointer and the arrow keys. A field has an element and these functions: grasp(event) returns the
 * name of the body under the pointer; focused(event) that of the body a key applies to; poseOf(name); point(event) returns the pointer's position on the
 * floor, metres; aim(name, to, text) previews the effect of releasing the button, with a text unless it is a move; unaim() removes the preview.
 */
export class Hand {
  /** say receives a sentence about the effect, fail an error. */
  constructor(field, say, fail) {
    Object.assign(this, { field, say, fail })
    const on = (type, f, options) => field.element.addEventListener(type, f, options)
    on('pointerdown', e => this.take(e), { capture: true }) // runs before other pointer handlers
    on('pointermove', e => this.drag(e))
    on('pointerup', e => this.release(e))
    on('pointercancel', () => this.letGo())
    on('keydown', e => this.key(e))
  }

  take(e) {
    if (e.button !== 0 || this.held) return
    const name = this.field.grasp(e)
    if (!name) return
    e.preventDefault()
    this.field.element.setPointerCapture(e.pointerId)
    const other = e.shiftKey || document.querySelector('input[name=drag]:checked').value === 'other'
    this.held = { name, other, at: [e.clientX, e.clientY], begun: false }
  }

  drag(e) {
    const h = this.held
    if (!h) return
    h.begun ||= Math.hypot(e.clientX - h.at[0], e.clientY - h.at[1]) > pixels
    if (!h.begun) return
    const to = this.field.point(e), from = this.field.poseOf(h.name)
    if (!h.other) this.field.aim(h.name, to)
    else this.field.aim(h.name, to, h.name === 'ball' ? `${this.kick(from, to).speed.toFixed(1)} m/s` : `${Math.round(this.heading(from, to))}°`)
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
    this.field.unaim()
  }

  kick(from, to) {
    const dx = to.x - from.x_m, dy = to.y - from.y_m, length = Math.hypot(dx, dy) || 1
    const speed = Math.min(length * kickPerMetre, fastest)
    return { speed, x: dx / length * speed, y: dy / length * speed }
  }

  heading(from, to) { return Math.atan2(to.y - from.y_m, to.x - from.x_m) * 180 / Math.PI }

  key(e) {
    if (e.key === 'Escape') this.letGo()
    const name = this.field.focused(e), way = arrows[e.key]
    if (!name || !way || e.ctrlKey || e.altKey || e.metaKey) return
    e.preventDefault()
    const from = this.field.poseOf(name)
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
