import { svg } from './dom.js'
import { upright } from './field.js'

const ballRadius = 0.2 // m: a little larger than the true ball is drawn

const points = path => path.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`).join(' ')
const move = at => `translate(${at.x_m.toFixed(3)} ${at.y_m.toFixed(3)})`

/** number labels a belief with the robot's number. */
const number = (robot, x, y) => upright(String(robot.number), { class: 'belief-number', x, y })

/** Ghosts draws robots' beliefs on the field: outlines in the colour and shape of their team, with the robot's number. */
export class Ghosts {
  constructor(page) {
    this.page = page
    this.layer = svg('g', { class: 'ghosts', 'aria-hidden': 'true' }) // the table has the same content
  }

  enter(world) {
    this.world = world
    this.page.above.field.drawing.append(this.layer)
  }

  draw(minds, robots, kinds) {
    this.layer.replaceChildren(...this.world.robots.filter(robot => robots.has(robot.name) && minds.has(robot.name)).map(robot => this.mind(robot, minds.get(robot.name), kinds)))
  }

  mind(robot, mind, kinds) {
    const shapes = []
    if (kinds.has('path') && mind.path?.points_m.length > 0) {
      const way = mind.path.points_m, [x, y] = way.at(-1)
      const from = way.length === 1 && mind.pose?.known ? [[mind.pose.at.x_m, mind.pose.at.y_m]] : [] // some programs publish the target alone
      shapes.push(twice(() => svg('polyline', { points: points([...from, ...way]), class: 'belief-path' })))
      shapes.push(svg('g', { transform: `translate(${x.toFixed(3)} ${y.toFixed(3)})`, 'data-belief': `${robot.name}.target` }, twice(() => svg('path', { d: 'M -0.16 -0.16 L 0.16 0.16 M -0.16 0.16 L 0.16 -0.16', class: 'belief-target' })), number(robot, 0.3, 0.3)))
    }
    if (kinds.has('obstacles')) {
      for (const at of mind.obstacles?.places ?? []) {
        shapes.push(svg('g', { transform: move(at) }, twice(() => svg('rect', { x: -0.2, y: -0.2, width: 0.4, height: 0.4, class: 'belief-obstacle' })), number(robot, robot.team === 'magenta' ? -0.36 : 0.36, 0.3)))
      }
    }
    if (kinds.has('ball') && mind.ball?.known) {
      if (mind.ball.truth) shapes.push(error(mind.ball))
      shapes.push(svg('g', { transform: move(mind.ball.at), 'data-belief': `${robot.name}.ball` }, twice(() => svg('circle', { r: ballRadius, class: 'belief-ball' })), number(robot, ballRadius + 0.1, ballRadius + 0.1)))
    }
    if (kinds.has('pose') && mind.pose?.known) {
      if (mind.pose.truth) shapes.push(error(mind.pose))
      shapes.push(svg('g', { transform: move(mind.pose.at), 'data-belief': `${robot.name}.pose` },
        svg('g', { transform: `rotate(${mind.pose.at.heading_deg.toFixed(1)})` }, ...outline(robot)), number(robot, robot.radius_m + 0.15, robot.radius_m + 0.15)))
    }
    return svg('g', { class: `belief ${robot.team}`, 'data-robot': robot.name }, ...shapes)
  }
}

/** twice draws a line with an edge that is visible on any background. */
function twice(shape) {
  const edge = shape(), line = shape()
  edge.classList.add('belief-edge')
  return svg('g', {}, edge, line)
}

/** error is the line from a belief to the truth. */
const error = belief => twice(() => svg('line', { x1: belief.at.x_m, y1: belief.at.y_m, x2: belief.truth.x_m, y2: belief.truth.y_m, class: 'belief-error' }))

function outline(robot) {
  const r = robot.radius_m
  const hull = robot.team === 'magenta' ? () => svg('rect', { x: -r, y: -r, width: 2 * r, height: 2 * r, class: 'belief-robot' }) : () => svg('circle', { r: r + 0.03, class: 'belief-robot' })
  return [twice(hull), twice(() => svg('line', { x1: r * 0.3, y1: 0, x2: r * 1.8, y2: 0, class: 'belief-robot' }))]
}
