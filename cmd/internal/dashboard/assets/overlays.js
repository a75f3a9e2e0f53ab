import { byId, html, svg } from './dom.js'

/** Kinds of overlays, in drawing order. */
const kinds = [
  { name: 'unseen', label: 'not visible', about: 'its own robot, occluded bodies, and outside its mirror' },
  { name: 'rim', label: 'mirror rim', about: 'the edge of the mirror' },
  { name: 'horizon', label: 'horizon', about: 'far points at the height of the camera' },
  { name: 'lines', label: 'line points', about: 'line points that the camera reports at level features' },
  { name: 'bodies', label: 'true objects', about: 'exact outlines of ball, robots, obstacles and goal posts' },
  { name: 'detections', label: 'detections', about: 'objects that the camera reports at level objects' },
]

const closed = lines => (lines ?? []).map(line => `M${line.map(p => p.join(' ')).join('L')}Z`).join('')
const open = lines => (lines ?? []).map(line => `M${line.map(p => p.join(' ')).join('L')}`).join('')

/** halo draws a path twice, so that its colour is visible on any picture. */
const halo = (d, kind, title) => svg('g', { class: `overlay ${kind}` }, title ? svg('title', {}, title) : '', svg('path', { d, class: 'halo' }), svg('path', { d, class: 'stroke' }))

const hatch = id => svg('defs', {}, svg('pattern', { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
  svg('rect', { width: 8, height: 8, class: 'hatch-ground' }), svg('rect', { width: 3, height: 8, class: 'hatch-stripe' })))

let drawings = 0
const leastFont = 9 // pixels of the page

const boxOf = points => [Math.min, Math.max].flatMap(most => [0, 1].map(axis => most(...points.map(p => p[axis])))) // left, top, right, bottom

const overlap = (a, b) => Math.max(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), 0) * Math.max(Math.min(a[3], b[3]) - Math.max(a[1], b[1]), 0)

/**
 * besideRings returns the middle of each name, beside the ring of its object: where it hides least of all rings, of the names before it, and of the object, which
 * is above its ring in the picture of a lens, and outside of it in that of a mirror.
 */
export function besideRings(names, rings, font, width, height, mirror) {
  const boxes = rings.map(boxOf), taken = [...boxes]
  return names.map((name, i) => {
    const [left, top, right, bottom] = boxes[i], x = (left + right) / 2, y = (top + bottom) / 2, half = 0.29 * font * name.length, line = 0.6 * font
    const sides = far => [[x, bottom + far * line], [left - half - (far - 1) * line, y], [right + half + (far - 1) * line, y], [x, top - far * line]]
    const places = [1, 3, 5].flatMap(sides).map(([u, v], k) => {
      const box = [u - half, v - line, u + half, v + line]
      const inside = overlap(box, [0, 0, width, height]), own = mirror ? Math.hypot(u - width / 2, v - height / 2) > Math.hypot(x - width / 2, y - height / 2) : v < top
      const hidden = taken.reduce((sum, other) => sum + overlap(box, other), 0)
      return { u, v, box, cost: 8 * hidden + 4 * half * line - inside + half * line * ((own ? 1 : 0) + k / 32) }
    })
    const best = places.reduce((a, b) => b.cost < a.cost ? b : a)
    taken.push(best.box)
    return [best.u, best.v]
  })
}

/** drawing draws the overlays that are on, in the picture's pixels. shown is the picture's width on the page, and mirror reports whether the camera looks into one. */
export function drawing(overlay, on, depth, shown, mirror) {
  const { width_px: w, height_px: h } = overlay
  const id = `hatch${drawings++ % 64}`
  const whole = `M-0.5 -0.5H${w - 0.5}V${h - 0.5}H-0.5Z`
  const draw = {
    unseen: () => {
      const outside = overlay.rim_px ? whole + closed(overlay.rim_px) : ''
      const hidden = (overlay.hidden ?? []).map(b => svg('path', { d: closed(b.outline_px), class: 'overlay unseen', fill: `url(#${id})` }, svg('title', {}, `hidden part of ${b.name}`)))
      return [svg('path', { d: outside + closed(overlay.own_px), class: 'overlay unseen', fill: `url(#${id})`, 'fill-rule': 'evenodd' }), ...hidden]
    },
    rim: () => [halo(closed(overlay.rim_px), 'rim')],
    horizon: () => [halo(open(overlay.horizon_px), 'horizon')],
    lines: () => [halo((overlay.lines_px ?? []).map(([u, v]) => `M${u - 2} ${v}h4M${u} ${v - 2}v4`).join(''), 'lines')],
    bodies: () => (overlay.bodies ?? []).map(b => halo(closed(b.outline_px), 'bodies', b.name)),
    detections: () => {
      const all = overlay.detections ?? [], names = all.map(d => d.name ?? `false ${d.kind.replace('_', ' ')}`)
      const font = Math.max(h / 26, leastFont * w / (shown || w))
      const places = besideRings(names, all.map(d => [d.at_px[0], ...(d.ring_px ?? []).flat()]), font, w, h, mirror)
      return [...all.map(d => {
        const [u, v] = d.at_px[0]
        return halo(`${open(d.ring_px)}M${u - 3} ${v}h6M${u} ${v - 3}v6`, 'detections', d.name ?? d.kind)
      }), ...names.map((name, i) => svg('text', { x: places[i][0].toFixed(1), y: places[i][1].toFixed(1), 'font-size': font.toFixed(1), class: 'overlay-name' }, name))]
    },
  }
  return svg('svg', { viewBox: `-0.5 -0.5 ${w} ${h}`, preserveAspectRatio: 'none', class: depth ? 'overlays over-depth' : 'overlays', 'aria-hidden': 'true' }, hatch(id), ...kinds.filter(k => on.includes(k.name)).flatMap(k => draw[k.name]()))
}

/** sample shows the appearance of an overlay. */
function sample(kind) {
  const id = `sample-${kind}`
  const d = { unseen: 'M1 1H27V15H1Z', rim: 'M2 14Q14 -8 26 14', horizon: 'M1 8H27', lines: 'M6 8h6M9 5v6M17 8h6M20 5v6', bodies: 'M7 14V5L10 2H18L21 5V14Z', detections: 'M4 8a10 6 0 1 0 20 0a10 6 0 1 0 -20 0M11 8h6M14 5v6' }[kind]
  return svg('svg', { viewBox: '0 0 28 16', width: 28, height: 16, class: 'overlay-sample', 'aria-hidden': 'true' }, hatch(id),
    kind === 'unseen' ? svg('path', { d, class: 'overlay unseen', fill: `url(#${id})` }) : halo(d, kind))
}

/** Overlays are the switches for overlays on all pictures, and their legend. */
export class Overlays {
  constructor(onChange) {
    this.boxes = new Map()
    byId('overlays').append(...[...kinds].reverse().map(kind => {
      const box = html('input', { type: 'checkbox', 'data-overlay': kind.name })
      box.addEventListener('change', onChange)
      this.boxes.set(kind.name, box)
      return html('label', { title: kind.about }, box, sample(kind.name), kind.label)
    }))
  }

  /** on are the names of the overlays that are on. */
  get on() { return [...this.boxes].filter(([, box]) => box.checked).map(([name]) => name) }
}
