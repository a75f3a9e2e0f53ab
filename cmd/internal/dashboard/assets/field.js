import { svg, setText } from './dom.js'

const leastBall = 0.16 // m: least radius at which the ball is drawn, so that it stays visible
const trailTime = 2 // s of sim time
const shownHeight = 0.15 // m above the floor, from which a ball's height is shown

function arc(m) {
  if (m.sweep_deg >= 359.9) return svg('circle', { cx: m.a_m[0], cy: m.a_m[1], r: m.radius_m, class: 'mark', 'stroke-width': m.width_m })
  const rad = Math.PI / 180, from = m.from_deg * rad || 0, to = from + m.sweep_deg * rad
  const point = a => `${m.a_m[0] + m.radius_m * Math.cos(a)} ${m.a_m[1] + m.radius_m * Math.sin(a)}`
  return svg('path', { d: `M ${point(from)} A ${m.radius_m} ${m.radius_m} 0 ${m.sweep_deg > 180 ? 1 : 0} 1 ${point(to)}`, class: 'mark', 'stroke-width': m.width_m })
}

/** mark draws a painted line. */
export function mark(m) {
  switch (m.kind) {
    case 'segment': return svg('line', { x1: m.a_m[0], y1: m.a_m[1], x2: m.b_m[0], y2: m.b_m[1], class: 'mark', 'stroke-width': m.width_m })
    case 'arc': return arc(m)
    default: return svg('circle', { cx: m.a_m[0], cy: m.a_m[1], r: m.radius_m, class: 'spot' })
  }
}

/** goals draws the goals of a field that has any. */
export const goals = f => f.goal_width_m ? [goal(f, -1, 'cyan'), goal(f, 1, 'magenta')] : []

/** goal draws a team's goal at a side, 1 or -1. */
function goal(f, side, team) {
  const x = side * f.length_m / 2, depth = side * f.goal_depth_m
  return svg('rect', { x: Math.min(x, x + depth), y: -f.goal_width_m / 2, width: f.goal_depth_m, height: f.goal_width_m, class: `goal ${team}` })
}

/** upright makes text that is upright in a drawing whose y axis points up. */
export const upright = (text, attributes) => svg('text', { ...attributes, transform: 'scale(1 -1)' }, text)

function area(a, field) {
  const shape = a.centre_m
    ? svg('circle', { cx: a.centre_m[0], cy: a.centre_m[1], r: a.radius_m, class: 'area' })
    : svg('polygon', { points: a.points_m.map(p => p.join(',')).join(' '), class: 'area' })
  const { x, y, end } = nameAt(a, field)
  return svg('g', { 'data-area': a.name, class: a.expect && 'asked' }, shape,
    svg('g', { transform: `translate(${x} ${y})` }, upright(a.name, { class: 'area-name', y: 0.38, 'text-anchor': end ? 'end' : 'start' })))
}

/** nameAt returns the position of an area's name, below the area so that it hides nothing in it, and whether the name ends there, at the right end of the field. */
export function nameAt(a, field) {
  const points = a.points_m ?? [-1, 1].map(side => a.centre_m.map(v => v + side * a.radius_m))
  const [x, right] = [Math.min, Math.max].map(most => most(...points.map(p => p[0]))), y = Math.min(...points.map(p => p[1]))
  const end = x > field.length_m / 2 - 4 // otherwise its name would extend beyond the field
  return { x: end ? right : x, y: Math.max(y, 0.45 - field.width_m / 2 - field.border_m), end }
}

function hull(radius, length, width) {
  return length ? svg('rect', { x: -length / 2, y: -width / 2, width: length, height: width, rx: 0.04, class: 'hull' }) : svg('circle', { r: radius, class: 'hull' })
}

function robot(r) {
  const size = r.radius_m * 0.8
  const badge = r.team === 'magenta'
    ? svg('rect', { x: -size, y: -size, width: 2 * size, height: 2 * size, rx: 0.03, class: 'badge' })
    : svg('circle', { r: r.radius_m, class: 'badge' })
  const number = svg('g', { class: 'turned' }, badge, upright(String(r.number), { class: 'number', 'font-size': r.radius_m * 1.5 }))
  return body(r.name, `${r.name}, robot ${r.number} of ${r.team}`, `robot ${r.team}`, r.radius_m,
    hull(r.radius_m, r.length_m, r.width_m),
    svg('path', { d: `M ${r.radius_m * 1.7} 0 L ${r.radius_m * 0.9} ${r.radius_m * 0.6} L ${r.radius_m * 0.9} ${-r.radius_m * 0.6} Z`, class: 'nose' }), number)
}

function obstacle(o) {
  const looks = o.looks === 'box' ? 'obstacle' : o.looks
  return body(o.name, `${o.name}, ${looks}`, 'obstacle', Math.hypot(o.size_x_m, o.size_y_m) / 2, o.looks === 'cylinder' ? hull(o.size_x_m / 2) : hull(0, o.size_x_m, o.size_y_m))
}

function body(name, label, kind, radius, ...shapes) {
  return svg('g', { class: `body ${kind}`, 'data-name': name, tabindex: 0, role: 'button', 'aria-label': label },
    svg('title', {}, name), svg('circle', { r: radius + 0.12, class: 'focus' }), ...shapes)
}

/** pose is the SVG transform of a body. */
export const pose = p => `translate(${p.x_m.toFixed(3)} ${p.y_m.toFixed(3)}) rotate(${(p.heading_deg ?? 0).toFixed(1)})`

/** Field draws the field from above: x to the right, y up, metres. */
export class Field {
  constructor(into, world) {
    const f = world.field, margin = Math.max(f.border_m, f.goal_depth_m) + 0.05
    const width = f.length_m + 2 * margin, height = f.width_m + 2 * margin
    this.world = world
    this.trail = []
    this.robots = world.robots.map(robot)
    this.obstacles = world.obstacles.map(obstacle)
    const radius = Math.max(world.ball_radius_m ?? 0, leastBall)
    this.ballRadius = radius
    this.shadow = svg('ellipse', { rx: radius, ry: radius, class: 'shadow' })
    this.skin = svg('circle', { r: radius, class: 'skin' })
    this.ball = body('ball', 'ball', 'ball', radius, this.skin)
    this.height = upright('', { class: 'height', x: radius + 0.15, y: 0 })
    this.heightAt = svg('g', {}, this.height)
    this.path = svg('polyline', { class: 'trail' })
    this.hand = svg('g', { class: 'hand' })
    this.drawing = svg('g', { transform: 'scale(1 -1)' },
      ...world.marks.map(mark), ...goals(f), ...world.areas.map(a => area(a, f)),
      this.path, ...this.obstacles, ...this.robots, ...world.ball_radius_m ? [this.shadow, this.ball, this.heightAt] : [], this.hand)
    this.svg = svg('svg', { class: 'empty', viewBox: `${-width / 2} ${-height / 2} ${width} ${height}`, role: 'group', 'aria-label': `field ${f.length_m} m by ${f.width_m} m, robots${world.ball_radius_m ? ', ball' : ''} and obstacles` }, this.drawing)
    into.replaceChildren(this.svg)
  }

  /** poseOf returns the shown pose of a body. */
  poseOf(name) {
    if (name === 'ball') return this.shown.ball
    const r = this.world.robots.findIndex(x => x.name === name)
    return r >= 0 ? this.shown.robots[r] : this.shown.obstacles[this.world.obstacles.findIndex(x => x.name === name)]
  }

  get element() { return this.svg }

  /** grasp returns the name of the body under the pointer, and focuses it. */
  grasp(event) {
    const body = event.target.closest('.body')
    body?.focus({ preventScroll: true })
    return body?.dataset.name
  }

  /** focused returns the name of the body that has the focus. */
  focused(event) { return event.target.closest('.body')?.dataset.name }

  /** aim previews a move of a body; with a text, a kick or a turn. */
  aim(name, to, text) {
    const from = this.poseOf(name)
    if (text === undefined) {
      const body = this.drawing.querySelector(`[data-name="${CSS.escape(name)}"]`), ghost = body.cloneNode(true)
      ghost.setAttribute('class', body.getAttribute('class') + ' ghost')
      ghost.removeAttribute('tabindex')
      ghost.removeAttribute('data-name')
      ghost.setAttribute('aria-hidden', 'true')
      ghost.setAttribute('transform', `translate(${to.x} ${to.y}) rotate(${from.heading_deg ?? 0})`)
      this.hand.replaceChildren(ghost)
      return
    }
    this.hand.replaceChildren(
      svg('line', { x1: from.x_m, y1: from.y_m, x2: to.x, y2: to.y, class: 'aim' }),
      svg('g', { transform: `translate(${to.x} ${to.y})` }, upright(text, { class: 'aim-text', x: 0.2 })))
  }

  unaim() { this.hand.replaceChildren() }

  /** point returns the pointer's position on the field, metres. */
  point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.drawing.getScreenCTM().inverse())
  }

  /** remember adds the ball's position to its trail. */
  remember(state) {
    if (!state.ball) return
    const last = this.trail.at(-1)
    if (last && (state.time_s < last.t || Math.hypot(state.ball.x_m - last.x, state.ball.y_m - last.y) > 1.5)) this.trail = []
    this.trail.push({ t: state.time_s, x: state.ball.x_m, y: state.ball.y_m })
    while (this.trail[0].t < state.time_s - trailTime) this.trail.shift()
    if (this.trail.length > 90) this.trail.shift()
  }

  /** show moves everything to its present pose. */
  show(shown) {
    if (!this.shown) this.svg.classList.remove('empty')
    this.shown = shown
    shown.robots.forEach((r, i) => {
      const g = this.robots[i]
      g.setAttribute('transform', pose(r))
      g.lastElementChild.setAttribute('transform', `rotate(${(-r.heading_deg).toFixed(1)})`)
      g.classList.toggle('out', Boolean(r.out))
    })
    shown.obstacles.forEach((o, i) => this.obstacles[i]?.setAttribute('transform', pose(o)))
    const b = shown.ball
    if (!b) return
    const up = Math.max(b.z_m - this.world.ball_radius_m, 0)
    this.ball.setAttribute('transform', pose(b))
    this.skin.setAttribute('r', (this.ballRadius * (1 + Math.min(up, 4) * 0.35)).toFixed(3))
    this.shadow.setAttribute('transform', `translate(${(b.x_m + up * 0.25).toFixed(3)} ${(b.y_m - up * 0.25).toFixed(3)})`)
    this.heightAt.setAttribute('transform', `translate(${b.x_m.toFixed(3)} ${b.y_m.toFixed(3)})`)
    setText(this.height, up > shownHeight ? `↑ ${up.toFixed(1)} m` : '')
    this.path.setAttribute('points', this.trail.map(p => `${p.x.toFixed(2)},${p.y.toFixed(2)}`).join(' '))
  }
}

