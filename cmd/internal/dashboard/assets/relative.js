import { html, svg, setText } from './dom.js'
import { goals, mark, upright } from './field.js'
import { cameraFrames, followFrames } from './frames.js'
import { between } from './motion.js'
import { byTeam } from './teams.js'

const range = 8 // m around the robot
const rings = [2, 4, 6, 8]
const kept = 60 // number of stored states; beliefs refer to the past
const rad = Math.PI / 180

/** inFrame transforms a map position into the frame of a robot with a pose: x forward, y left. */
export function inFrame(pose, at) {
  const dx = at.x_m - pose.x_m, dy = at.y_m - pose.y_m, cos = Math.cos(pose.heading_deg * rad), sin = Math.sin(pose.heading_deg * rad)
  return { x_m: cos * dx + sin * dy, y_m: -sin * dx + cos * dy }
}

/** put moves a shape to a position in the robot's frame. Forward is up, left is left. */
const put = at => `translate(${(-at.y_m).toFixed(3)} ${at.x_m.toFixed(3)})`

/** around shows map coordinates in the frame of a robot with a pose. */
const around = pose => `rotate(${(90 - pose.heading_deg).toFixed(2)}) translate(${(-pose.x_m).toFixed(3)} ${(-pose.y_m).toFixed(3)})`

const where = at => `${Math.abs(at.x_m).toFixed(2)} m ${at.x_m < 0 ? 'behind' : 'ahead'}, ${Math.abs(at.y_m).toFixed(2)} m to the ${at.y_m < 0 ? 'right' : 'left'}`

/** Relative shows the surroundings of one robot: its beliefs, the truth in faint colours, and the detections of its cameras. */
export class Relative {
  constructor(page, changed) {
    this.page = page
    this.changed = changed
    this.names = []
    this.past = []
    this.element = html('div', { id: 'relative', hidden: '' })
    document.getElementById('field').after(this.element)
  }

  enter(world) {
    const chosen = this.robot?.name
    this.world = world
    this.past = []
    this.names.forEach(name => this.page.views.remove(name))
    const robots = byTeam(world.robots)
    this.names = robots.map(robot => `from.${robot.name}`)
    robots.forEach(robot => this.page.views.add(`from.${robot.name}`, `around ${robot.name}`, this.element, shown => this.look(shown ? robot : undefined, world.robots.indexOf(robot))))
    if (chosen && world.robots.some(robot => robot.name === chosen)) this.page.views.choose(`from.${chosen}`)
  }

  /** look shows the surroundings of another robot, or of none. */
  look(robot, index) {
    this.robot = robot
    this.index = index
    this.mind = undefined
    this.seen = new Map() // detections by camera
    this.ending?.abort()
    if (robot) {
      this.build()
      this.ending = new AbortController()
      robot.sensors.filter(sensor => sensor.camera).forEach(camera => this.watch(camera, this.ending.signal))
    }
    this.changed()
  }

  build() {
    const w = this.world
    const lines = () => [...w.marks.map(mark), ...goals(w.field)]
    this.trueLines = svg('g', { class: 'is-so' }, ...lines())
    this.lines = svg('g', { class: 'is-believed' }, ...lines())
    this.truth = svg('g', { class: 'is-so' })
    this.beliefs = svg('g', { class: `belief ${this.robot.team}` })
    this.detections = svg('g', { class: 'detected' })
    this.svg = svg('svg', { viewBox: `${-range - 0.5} ${-range - 0.5} ${2 * range + 1} ${2 * range + 1}`, role: 'img' },
      svg('g', { transform: 'scale(1 -1)' }, this.trueLines, this.lines,
        ...rings.flatMap(r => [svg('circle', { r, class: 'around' }), upright(`${r} m`, { class: 'around-name', x: 0.1, y: -r - 0.1 })]),
        this.truth, this.detections, this.beliefs, svg('path', { d: 'M 0 0.4 L 0.3 -0.3 L -0.3 -0.3 Z', class: `me ${this.robot.team}` })))
    this.caption = html('p', { class: 'legend' })
    this.element.replaceChildren(this.svg, this.caption)
  }

  /** watch receives the detections of a camera while it is at a level without images. */
  watch(camera, signal) {
    return followFrames(signal, () => {
      const level = this.levelOf(camera)
      if (!document.hidden && (level === 'objects' || level === 'truth')) return `${cameraFrames(this.robot, camera)}width=80&`
      this.seen.delete(camera.name)
    }, async answer => {
      if (answer.headers.get('Content-Type') === 'application/json') this.seen.set(camera.name, await answer.json())
      this.drawSeen()
    })
  }

  levelOf(sensor) {
    let at = 0
    for (const robot of this.world.robots) {
      for (const one of robot.sensors) {
        if (one === sensor) return this.state?.levels[at]
        at++
      }
    }
  }

  show(state) {
    this.state = state
    if (this.past.at(-1)?.time_s > state.time_s) this.past = [] // the world has restarted
    this.past.push(state)
    if (this.past.length > kept) this.past.shift()
  }

  /** then returns the true poses at a past sim time. */
  then(time) {
    const k = this.past.findLastIndex(state => state.time_s <= time)
    const a = this.past[Math.max(k, 0)], b = this.past[k + 1] ?? a
    const share = b.time_s > a.time_s ? Math.min(Math.max((time - a.time_s) / (b.time_s - a.time_s), 0), 1) : 0
    const mix = (from, to) => to ? between(from, to, share) : from
    return { ball: a.ball && mix(a.ball, b.ball), robots: a.robots.map((r, i) => mix(r, b.robots[i])), obstacles: a.obstacles.map((o, i) => mix(o, b.obstacles[i])) }
  }

  drawSeen() {
    const cross = 'M -0.18 -0.18 L 0.18 0.18 M -0.18 0.18 L 0.18 -0.18'
    this.detections.replaceChildren(...[...this.seen.values()].flatMap(seen => seen.detections).map(d => svg('path', { d: cross, transform: put(d), class: `detection ${d.kind}` }, svg('title', {}, d.name ?? d.kind))))
  }

  /** draw shows the robot's beliefs. */
  draw(minds) {
    if (!this.robot) return
    const mind = this.mind = minds.get(this.robot.name)
    const pose = mind?.pose?.known ? mind.pose.at : undefined
    this.lines.classList.toggle('unknown', !pose)
    if (pose) this.lines.setAttribute('transform', around(pose))
    const shapes = [], from = belief => belief.from ?? pose
    const ball = mind?.ball?.known && from(mind.ball) ? inFrame(from(mind.ball), mind.ball.at) : undefined
    if (mind?.path && from(mind.path)) shapes.push(svg('polyline', { points: mind.path.points_m.map(([x, y]) => inFrame(from(mind.path), { x_m: x, y_m: y })).map(at => `${(-at.y_m).toFixed(3)},${at.x_m.toFixed(3)}`).join(' '), class: 'belief-path' }))
    const obstacles = mind?.obstacles && from(mind.obstacles) ? mind.obstacles.places.map(at => ({ ...inFrame(from(mind.obstacles), at), number: at.number })) : []
    for (const at of obstacles) {
      shapes.push(svg('g', { transform: put(at), 'data-around': 'obstacle' }, svg('rect', { x: -0.25, y: -0.25, width: 0.5, height: 0.5, class: 'belief-obstacle' }), upright(at.number ? String(at.number) : '', { class: 'belief-number' })))
    }
    if (ball) shapes.push(svg('circle', { r: 0.2, class: 'belief-ball', transform: put(ball), 'data-around': 'ball' }))
    this.beliefs.replaceChildren(...shapes)
    const said = [pose ? '' : 'it does not say where it is', ball ? `ball ${where(ball)}` : this.world.ball_radius_m ? 'no ball' : '', `${obstacles.length} obstacles`].filter(Boolean).join(', ')
    this.svg.setAttribute('aria-label', `what ${this.robot.name} believes around it, forward is up: ${said}`)
    const detects = this.seen.size > 0 ? ` Crosses: what ${[...this.seen.keys()].join(' and ')} detect.` : ''
    setText(this.caption, `${this.robot.name} believes: ${said}. Faint: the truth at that time.${detects}`)
  }

  /** frame shows the truth faintly: at the time of the beliefs, or, without beliefs, now. */
  frame(now, motion) {
    if (!this.robot) return
    const stamps = [this.mind?.pose, this.mind?.ball, this.mind?.obstacles].filter(Boolean).map(belief => belief.stamp_s)
    const at = stamps.length > 0 && this.past.length > 0 ? this.then(Math.max(...stamps)) : motion.at(now), me = at.robots[this.index]
    if (!me) return
    this.trueLines.setAttribute('transform', around(me))
    const shapes = at.robots.flatMap((robot, i) => i === this.index ? [] : [svg('circle', { r: this.world.robots[i].radius_m, class: `true-robot ${this.world.robots[i].team}`, transform: put(inFrame(me, robot)) })])
    at.obstacles.forEach((o, i) => {
      const size = this.world.obstacles[i]
      if (size) shapes.push(svg('rect', { x: -size.size_y_m / 2, y: -size.size_x_m / 2, width: size.size_y_m, height: size.size_x_m, class: 'true-robot', transform: `${put(inFrame(me, o))} rotate(${(o.heading_deg - me.heading_deg).toFixed(1)})` }))
    })
    if (at.ball) shapes.push(svg('circle', { r: 0.16, class: 'true-ball', transform: put(inFrame(me, at.ball)), 'data-around': 'true-ball' }))
    this.truth.replaceChildren(...shapes)
  }
}
