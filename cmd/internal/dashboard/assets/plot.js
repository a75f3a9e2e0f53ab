import { html, svg, setText } from './dom.js'

const width = 340, height = 150, left = 46, right = 8, top = 8, bottom = 32

/** nice returns a tick distance of 1, 2 or 5 times a power of ten, for about n ticks. */
function nice(range, n) {
  const rough = range / n, ten = 10 ** Math.floor(Math.log10(rough))
  return ten * ([1, 2, 5, 10].find(m => m * ten >= rough) ?? 10)
}

const number = x => String(Number(x.toPrecision(6)))

/** Plot draws curves over time. A curve has a name, a colour class, and a dash pattern, so that curves differ without colour. */
export class Plot {
  constructor({ title, unit, curves, least = 1 }) {
    Object.assign(this, { unit, curves, least })
    this.grid = svg('g', { class: 'plot-grid' })
    this.lines = curves.map(c => svg('path', { class: `curve ${c.class}` }))
    this.svg = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'plot', role: 'img', 'aria-label': title }, this.grid, ...this.lines)
    this.values = curves.map(() => html('output', { 'aria-live': 'off' }))
    this.element = html('section', {}, html('h3', {}, title), this.svg, html('ul', { class: 'plot-legend' }, ...curves.map((c, i) =>
      html('li', {}, svg('svg', { viewBox: '0 0 24 8', width: 24, height: 8, 'aria-hidden': 'true' }, svg('path', { d: 'M0 4H24', class: `curve ${c.class}` })), c.name, ' ', this.values[i]))))
  }

  /** show draws samples, whose time t is in seconds, the newest last. */
  show(samples, span) {
    const now = samples.at(-1)?.t ?? 0
    const values = samples.flatMap(s => this.curves.map(c => c.of(s))).filter(Number.isFinite)
    const step = nice(Math.max(...values, this.least) * 1.05, 4)
    const high = Math.ceil(Math.max(...values, this.least) * 1.0001 / step) * step
    const x = t => left + (width - left - right) * (t - now + span) / span
    const y = v => height - bottom - (height - top - bottom) * v / high
    const across = []
    for (let v = 0; v <= high * 1.0001; v += step) {
      across.push(svg('path', { d: `M${left} ${y(v).toFixed(1)}H${width - right}` }), svg('text', { x: left - 4, y: y(v) + 4, 'text-anchor': 'end' }, number(v)))
    }
    for (let t = 0; t <= span; t += 15) {
      across.push(svg('path', { d: `M${x(now - t).toFixed(1)} ${height - bottom}v4` }), svg('text', { x: x(now - t), y: height - bottom + 14, 'text-anchor': t === 0 ? 'end' : t === span ? 'start' : 'middle' }, t === 0 ? '0' : `−${t}`))
    }
    across.push(svg('text', { x: (left + width - right) / 2, y: height - 3, 'text-anchor': 'middle' }, 's of wall time'),
      svg('text', { x: 10, y: (top + height - bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 10 ${(top + height - bottom) / 2})` }, this.unit))
    this.grid.replaceChildren(...across)
    this.curves.forEach((c, i) => {
      let d = '', pen = 'M'
      for (const s of samples) {
        const v = c.of(s)
        if (s.gap) pen = 'M'
        if (!Number.isFinite(v) || s.t < now - span) continue
        d += `${pen}${x(s.t).toFixed(1)} ${y(v).toFixed(1)}`
        pen = 'L'
      }
      this.lines[i].setAttribute('d', d)
      const last = samples.findLast(s => Number.isFinite(c.of(s)))
      setText(this.values[i], last ? `${Number(c.of(last).toPrecision(3))} ${this.unit}` : '')
    })
  }
}
