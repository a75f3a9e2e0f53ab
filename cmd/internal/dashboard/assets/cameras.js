import { byId, html, svg, setText } from './dom.js'
import { upright } from './field.js'
import { cameraFrames, followFrames, wait } from './frames.js'
import { drawing, Overlays } from './overlays.js'
import { Reading } from './readings.js'
import { byTeam } from './teams.js'

const most = 4 // open at once
const sightRange = 9 // m around a robot: the extent of the detections' drawing

/** Cameras are the open sensors. */
export class Cameras {
  constructor(page) {
    this.page = page
    this.fail = page.fail
    this.open = new Map()
    this.overlays = new Overlays(() => this.open.forEach(camera => camera.again()))
    document.addEventListener('visibilitychange', () => this.open.forEach(camera => document.hidden ? camera.stop() : camera.start()))
  }

  toggle(robot, sensor) {
    const name = `${robot.name}.${sensor.name}`
    if (this.open.has(name)) {
      this.close(name)
      return
    }
    if (this.open.size === most) {
      this.fail(new Error(`${most} sensors are open, which is the limit: close one first`))
      return
    }
    this.add(robot, sensor)
  }

  /** add opens a sensor; small shows it in less than the whole width. */
  add(robot, sensor, small = false) {
    const name = `${robot.name}.${sensor.name}`, of = sensor.camera ? Camera : Gauge
    const button = document.querySelector(`[data-camera="${CSS.escape(name)}"]`) // in the table of sensors
    this.open.set(name, new of(robot, sensor, button, () => this.close(name), this, small))
    this.update()
  }

  close(name) {
    const { button } = this.open.get(name)
    this.remove(name)
    button.setAttribute('aria-pressed', 'false')
    button.focus()
  }

  remove(name) {
    const camera = this.open.get(name)
    camera.end()
    camera.figure.remove()
    this.open.delete(name)
    this.update()
  }

  /** enter opens one camera of the first world that has one, and, in a later world, the sensors that were open. */
  enter(world) {
    const was = this.first ? [...this.open].map(([name, camera]) => [name, camera.small]) : []
    was.forEach(([name]) => this.remove(name))
    const all = byTeam(world.robots).flatMap(robot => robot.sensors.map(sensor => ({ robot, sensor, name: `${robot.name}.${sensor.name}` })))
    if (!this.first) {
      this.first = all.find(one => one.sensor.mirror) ?? all.find(one => one.sensor.camera)
      if (this.first) was.push([this.first.name, true])
    }
    for (const [name, small] of was) {
      const one = all.find(one => one.name === name)
      if (one) this.add(one.robot, one.sensor, small)
    }
  }

  show() {}

  update() {
    byId('no-cameras').hidden = this.open.size > 0
    byId('overlays').hidden = ![...this.open.values()].some(camera => camera instanceof Camera)
  }
}

/** Stream shows the frames of one sensor. It requests a frame after it has shown the one before. */
class Stream {
  constructor(robot, sensor, button, close, path, small) {
    const name = `${robot.name}.${sensor.name}`
    Object.assign(this, { path, name, button, small, shown: [] })
    this.sight = html('div', { class: 'sight' }, html('p', {}, 'waiting for a frame'))
    this.about = html('span', { class: 'about' })
    const end = html('button', { type: 'button', 'aria-label': `close ${name}` }, 'Close')
    end.addEventListener('click', close)
    this.caption = html('figcaption', {}, html('strong', {}, name), this.about, end)
    this.figure = html('figure', { 'data-camera': name, class: small ? 'small' : '' }, this.sight, this.caption)
    if (small) byId('cameras').prepend(this.figure) // the overlays' switches are beside it
    else byId('cameras').append(this.figure)
    button.setAttribute('aria-pressed', 'true')
  }

  /** start asks for frames while the page is visible. */
  start() {
    this.stop()
    if (document.hidden) return
    this.ending = new AbortController()
    this.run(this.ending.signal)
  }

  stop() { this.ending?.abort() }

  end() { this.stop() }

  run(signal) {
    return followFrames(signal, () => {
      this.begun = performance.now()
      return this.path + this.query()
    }, async answer => {
      await this.showFrame(answer, signal)
      if (signal.aborted) return
      this.count(answer.headers.get('Omnipitch-Level'), Number(answer.headers.get('Omnipitch-Stamp')))
      await wait(Math.max(this.every - (performance.now() - this.begun), 0), signal)
    }, error => this.sight.replaceChildren(html('p', {}, error instanceof TypeError ? 'the connection is lost' : error.message)))
  }

  count(level, stamp) {
    const now = performance.now()
    this.shown = [...this.shown.filter(t => now - t < 2000), now]
    const rate = this.shown.length > 2 ? (this.shown.length - 1) * 1000 / (now - this.shown[0]) : 0
    setText(this.about, `${level}, ${stamp.toFixed(2)} s, ${rate.toFixed(0)}/s`)
  }
}

/** Gauge shows readings. */
class Gauge extends Stream {
  constructor(robot, sensor, button, close, all, small) {
    const reading = new Reading(robot, sensor, all.page.above)
    super(robot, sensor, button, close, reading.path, small)
    this.reading = reading
    this.every = reading.every
    this.sight.classList.toggle('plain', !reading.scans)
    this.start()
  }

  query() { return '' }

  again() {}

  showFrame(answer) { return this.reading.show(answer, this.sight) }

  end() {
    super.end()
    this.reading.end()
  }
}

/** Camera shows images with overlays, or detections at levels without images. */
class Camera extends Stream {
  constructor(robot, sensor, button, close, all, small) {
    super(robot, sensor, button, close, cameraFrames(robot, sensor), small)
    this.overlays = all.overlays
    this.mirror = sensor.mirror
    this.every = 0
    if (sensor.width_px) this.sight.style.aspectRatio = `${sensor.width_px} / ${sensor.height_px}`
    if (sensor.far_m) this.addDepth(sensor)
    this.addSize()
    this.start()
  }

  /** addSize adds the choice of the picture's size. */
  addSize() {
    const text = () => this.small ? 'Larger' : 'Smaller', button = html('button', { type: 'button' }, text())
    button.addEventListener('click', () => {
      this.small = !this.small
      setText(button, text())
      this.figure.classList.toggle('small', this.small)
      this.again()
    })
    this.caption.lastChild.before(button)
  }

  /** addDepth adds the choice between colour and depth, and the depth scale. */
  addDepth(sensor) {
    this.picture = html('select', { 'aria-label': `picture of ${this.name}` }, html('option', { value: 'color' }, 'colour'), html('option', { value: 'depth' }, 'depth'))
    const { near_m: near, far_m: far } = sensor
    const marks = [0, 1, 2, 3, 4].map(i => html('span', {}, `${Number((near + i * (far - near) / 4).toFixed(1))}${i === 4 ? ' m' : ''}`))
    const scale = html('div', { class: 'depth-scale', hidden: '' }, html('img', { src: 'api/depth.png', alt: `colours of depths from ${near} m, yellow, to ${far} m, violet` }), html('div', { class: 'depth-marks' }, ...marks),
      html('p', {}, html('span', { class: 'swatch near' }), 'nearer, or no echo', html('span', { class: 'swatch far' }), 'farther'))
    this.picture.addEventListener('change', () => {
      scale.hidden = this.picture.value !== 'depth'
      this.again()
    })
    this.about.after(this.picture)
    this.figure.append(scale)
  }

  /** again repeats the request of the frame with other options. */
  again() { this.start() }

  query() {
    const width = Math.round(this.sight.clientWidth * Math.min(devicePixelRatio, 2) / 40) * 40, on = this.overlays.on // a multiple of 40 pixels
    return `width=${width}&${this.picture ? `picture=${this.picture.value}&` : ''}${on.length ? `overlay=${on}&` : ''}`
  }

  async showFrame(answer, signal) {
    const type = answer.headers.get('Content-Type')
    if (type === 'application/json') this.detections(await answer.json())
    else if (type.startsWith('image/')) await this.show(await answer.blob(), undefined, signal)
    else {
      const form = await answer.formData()
      await this.show(form.get('picture'), JSON.parse(form.get('overlay')), signal)
    }
  }

  async show(blob, overlay, signal) {
    const url = URL.createObjectURL(blob), image = html('img', { alt: `image of ${this.name}`, src: url })
    await image.decode()
    if (signal.aborted) {
      URL.revokeObjectURL(url)
      return
    }
    const drawn = overlay?.width_px ? [drawing(overlay, this.overlays.on, blob.type === 'image/png', this.sight.clientWidth, this.mirror)] : []
    this.sight.replaceChildren(image, ...drawn)
    if (this.url) URL.revokeObjectURL(this.url)
    this.url = url
  }

  stop() {
    super.stop()
    if (this.url) URL.revokeObjectURL(this.url)
    this.url = undefined
  }

  detections(seen) {
    if (seen.level !== 'objects' && seen.level !== 'truth') {
      this.sight.replaceChildren(html('p', {}, `At level ${seen.level} there is no image. Levels raw and ideal have one.`))
      return
    }
    const rings = [3, 6, 9].flatMap(r => [svg('circle', { r, class: 'ring' }), upright(`${r} m`, { class: 'ring-name', x: 0.1, y: -r - 0.1 })])
    // Forward is up, as in the image of a mirror.
    const at = d => `translate(${(-d.y_m).toFixed(2)} ${d.x_m.toFixed(2)})`
    const count = seen.detections.length
    this.sight.replaceChildren(svg('svg', { viewBox: `${-sightRange - 1} ${-sightRange - 1} ${2 * sightRange + 2} ${2 * sightRange + 2}`, role: 'img', 'aria-label': `${count} objects that ${this.name} sees from above, forward is up` },
      svg('g', { transform: 'scale(1 -1)' }, ...rings, svg('path', { d: 'M 0 0.5 L 0.35 -0.4 L -0.35 -0.4 Z', class: 'self' }),
        ...seen.detections.map(d => svg('g', { transform: at(d), opacity: Math.max(d.visible_fraction, 0.35) }, svg('title', {}, d.name && d.name !== d.kind ? `${d.name}, ${d.kind}` : d.kind), shape(d))))))
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
