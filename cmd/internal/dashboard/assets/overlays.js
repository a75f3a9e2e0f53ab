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

/** drawing draws the overlays that are on, in the picture's pixels. */
export function drawing(overlay, on, depth) {
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
    detections: () => (overlay.detections ?? []).flatMap(d => {
      const [u, v] = d.at_px[0]
      return [halo(`${open(d.ring_px)}M${u - 3} ${v}h6M${u} ${v - 3}v6`, 'detections', d.name ?? d.kind),
        svg('text', { x: u, y: v - h / 40, 'font-size': h / 26, class: 'overlay-name' }, d.name ?? `false ${d.kind.replace('_', ' ')}`)]
    }),
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
