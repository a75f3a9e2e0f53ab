import { byId, html, svg, setText } from './dom.js'
import { upright } from './field.js'

const most = 4 // at once
const sightRange = 9 // m around a robot, of what is drawn of detections

const wait = (ms, signal) => new Promise(done => {
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', () => { clearTimeout(timer); done() }, { once: true })
})

/** Cameras are the ones that the user looks through. */
export class Cameras {
  constructor(fail) {
    this.fail = fail
    this.open = new Map()
    document.addEventListener('visibilitychange', () => this.open.forEach(camera => document.hidden ? camera.stop() : camera.start()))
  }

  toggle(robot, sensor, button) {
    const name = `${robot.name}.${sensor.name}`
    if (this.open.has(name)) {
      this.close(name)
      return
    }
    if (this.open.size === most) {
      this.fail(new Error(`${most} cameras are open: close one first`))
      return
    }
    this.open.set(name, new Camera(robot, sensor, button, () => this.close(name)))
    this.update()
  }

  close(name) {
    const camera = this.open.get(name)
    camera.stop()
    camera.figure.remove()
    camera.button.setAttribute('aria-pressed', 'false')
    if (camera.button.isConnected) camera.button.focus()
    this.open.delete(name)
    this.update()
  }

  /** enter closes all, as another world goes on. */
  enter() { [...this.open.keys()].forEach(name => this.close(name)) }

  show() {}

  update() { byId('no-cameras').hidden = this.open.size > 0 }
}

/** Camera shows the frames of one camera, each when the one before has been shown. */
class Camera {
  constructor(robot, sensor, button, close) {
    const name = `${robot.name}.${sensor.name}`
    Object.assign(this, { path: `api/cameras/${encodeURIComponent(robot.name)}/${encodeURIComponent(sensor.name)}/next`, name, button, shown: [] })
    this.sight = html('div', { class: 'sight' }, html('p', {}, 'waiting for a frame'))
    this.about = html('span', {})
    const end = html('button', { type: 'button', 'aria-label': `close ${name}` }, 'Close')
    end.addEventListener('click', close)
    this.figure = html('figure', { 'data-camera': name }, this.sight, html('figcaption', {}, html('strong', {}, name), this.about, end))
    if (sensor.width_px) this.sight.style.aspectRatio = `${sensor.width_px} / ${sensor.height_px}`
    byId('cameras').append(this.figure)
    button.setAttribute('aria-pressed', 'true')
    this.start()
  }

  start() {
    this.stop()
    this.ending = new AbortController()
    this.run(this.ending.signal)
  }

  stop() {
    this.ending?.abort()
    if (this.url) URL.revokeObjectURL(this.url)
    this.url = undefined
  }

  async run(signal) {
    for (let after = 0; !signal.aborted;) {
      try {
        const width = Math.ceil(this.sight.clientWidth * Math.min(devicePixelRatio, 2))
        const answer = await fetch(`${this.path}?width=${width}&after=${after}`, { signal })
        if (answer.status === 204) continue
        if (!answer.ok) throw new Error(JSON.parse(await answer.text()).error)
        after = Number(answer.headers.get('Omnipitch-Frame'))
        const stamp = Number(answer.headers.get('Omnipitch-Stamp')), level = answer.headers.get('Omnipitch-Level')
        if (answer.headers.get('Content-Type') === 'image/jpeg') await this.picture(await answer.blob(), signal)
        else this.detections(await answer.json())
        this.caption(level, stamp)
      } catch (error) {
        if (signal.aborted) return
        after = 0 // of a program that has been started anew frames count from 1
        this.sight.replaceChildren(html('p', {}, error instanceof TypeError ? 'the connection is lost' : error.message))
        await wait(1000, signal)
      }
    }
  }

  caption(level, stamp) {
    const now = performance.now()
    this.shown = [...this.shown.filter(t => now - t < 2000), now]
    const rate = this.shown.length > 2 ? (this.shown.length - 1) * 1000 / (now - this.shown[0]) : 0
    setText(this.about, `${level}, ${stamp.toFixed(2)} s, ${rate.toFixed(0)}/s`)
  }

  async picture(blob, signal) {
    const url = URL.createObjectURL(blob), image = html('img', { alt: `image of ${this.name}`, src: url })
    await image.decode()
    if (signal.aborted) {
      URL.revokeObjectURL(url)
      return
    }
    this.sight.replaceChildren(image)
    if (this.url) URL.revokeObjectURL(this.url)
    this.url = url
  }

  detections(seen) {
    if (seen.level !== 'objects' && seen.level !== 'truth') {
      this.sight.replaceChildren(html('p', {}, `At level ${seen.level} there is no image. Levels raw and ideal have one.`))
      return
    }
    const rings = [3, 6, 9].flatMap(r => [svg('circle', { r, class: 'ring' }), upright(`${r} m`, { class: 'ring-name', x: 0.1, y: -r - 0.1 })])
    // Forwards is up, as in the image of a mirror.
    const at = d => `translate(${(-d.y_m).toFixed(2)} ${d.x_m.toFixed(2)})`
    const count = seen.detections.length
    this.sight.replaceChildren(svg('svg', { viewBox: `${-sightRange - 1} ${-sightRange - 1} ${2 * sightRange + 2} ${2 * sightRange + 2}`, role: 'img', 'aria-label': `${count} objects that ${this.name} sees from above, forwards is up` },
      svg('g', { transform: 'scale(1 -1)' }, ...rings, svg('path', { d: 'M 0 0.5 L 0.35 -0.4 L -0.35 -0.4 Z', class: 'self' }),
        ...seen.detections.map(d => svg('g', { transform: at(d), opacity: Math.max(d.visible_fraction, 0.35) }, svg('title', {}, d.name ?? d.kind), shape(d))))))
  }
}

function shape(d) {
  switch (d.kind) {
    case 'ball': return svg('circle', { r: 0.25, class: 'seen-ball' })
    case 'goal_post': return svg('rect', { x: -0.1, y: -0.1, width: 0.2, height: 0.2, class: 'seen-other' })
  }
  if (d.team === 'cyan') return svg('circle', { r: 0.32, class: 'seen-robot cyan' })
  return svg('rect', { x: -0.3, y: -0.3, width: 0.6, height: 0.6, class: `seen-robot ${d.team ?? ''}` })
}
