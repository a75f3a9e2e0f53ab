import * as three from 'three'
import * as api from './api.js'
import { Eye } from './eye3d.js'
import { areas, floor } from './field3d.js'
import { colorOf, readShapes } from './glb.js'
import { Hand } from './hand.js'
import { badge, text } from './label3d.js'
import { Poses } from './poses.js'
import { Sights } from './sights3d.js'

const frameTime = 1000 / 30 - 4 // least time between two pictures, ms; screens refresh independently
const lookTime = 500 // ms between two changes of light and colours
const trailTime = 2, trailMost = 90 // s of sim time; points
const reach = 14 // pixels around a body's centre within which a pointer grabs it, at least
const apart = 0.05 // m between a body and its label

const still = matchMedia('(prefers-reduced-motion: reduce)')

/** Scene3D draws the render scene of the robots' cameras with labels and markings, whenever something has changed. */
export class Scene3D {
  /** slow means that the processor draws; say receives a text to show instead of the picture, or ''. */
  constructor(canvas, gl, slow, page, say) {
    Object.assign(this, { canvas, gl, slow, say })
    this.renderer = new three.WebGLRenderer({ canvas, context: gl, alpha: true })
    this.renderer.setClearAlpha(0)
    this.renderer.setScissorTest(true)
    this.renderer.shadowMap.enabled = true
    this.renderer.shadowMap.autoUpdate = false
    if (slow) this.renderer.shadowMap.type = three.BasicShadowMap // halves the time of a picture
    this.eye = new Eye(canvas, () => { this.dirty = true })
    this.poses = new Poses(message => this.moved(message))
    this.colors = Object.fromEntries(['cyan', 'magenta', 'ball'].map(name => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()]))
    this.element = canvas
    new Hand(this, page.say, page.fail)
    new ResizeObserver(() => { this.dirty = true }).observe(canvas)
    still.addEventListener('change', () => { this.dirty = true })
    canvas.addEventListener('webglcontextlost', e => {
      e.preventDefault()
      this.lost = true
      this.fence = undefined
      if (this.lamp) { // otherwise three.js would free resources of the lost graphics context
        this.lamp.shadow.dispose()
        this.lamp.shadow.map = null
      }
      say('the browser has taken away the graphics context; the view returns with it')
    })
    canvas.addEventListener('webglcontextrestored', () => {
      this.lost = false
      this.dirty = this.shadows = true
      say('')
    })
    document.addEventListener('visibilitychange', () => this.follow())
  }

  /** turn shows or hides the scene. */
  turn(shown) {
    this.shown = shown
    this.follow()
  }

  follow() {
    if (this.shown && this.scene && !document.hidden) this.poses.open()
    else this.poses.close()
    this.dirty = true
  }

  /** enter shows another world. It returns false if a newer world has arrived since. */
  async enter(world) {
    const turn = this.entering = {}
    this.leave()
    const [about, data] = await Promise.all([api.scene(), api.shapes()])
    const { bodies, materials } = await readShapes(data)
    if (turn !== this.entering) return false
    Object.assign(this, { world, about, materials, trail: [] })
    this.scene = new three.Scene()
    this.scene.add(...bodies)
    this.moving = bodies.filter(b => b.userData.moving !== undefined).sort((a, b) => a.userData.moving - b.userData.moving)
    this.indexOf = Object.fromEntries(about.moving.map((name, i) => [name, i]))
    this.ground = floor(world, about)
    this.scene.add(this.ground.group)
    this.light()
    this.mark(world)
    this.sights = new Sights(about.sensors, Object.fromEntries(world.robots.map(r => [r.name, r.team])), this.colors)
    this.scene.add(this.sights.group)
    this.eye.enter(world, about)
    this.follow()
    return true
  }

  light() {
    const { about } = this, l = about.light
    this.lamp = new three.DirectionalLight(undefined, Math.PI)
    this.around = new three.HemisphereLight(undefined, undefined, Math.PI)
    this.around.position.set(0, 0, 1)
    this.lamp.castShadow = l.shadows
    const half = Math.hypot(about.size_x_m, about.size_y_m) / 2
    Object.assign(this.lamp.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 1, far: 4 * half })
    this.lamp.shadow.mapSize.setScalar(this.slow ? 1024 : 2048)
    this.lamp.shadow.normalBias = 0.02
    this.spots = l.spots.map(() => new three.PointLight(undefined, Math.PI))
    this.scene.add(this.lamp, this.around, ...this.spots)
    this.paint(about)
  }

  /** paint sets light and colours. */
  paint(about) {
    const l = about.light
    this.lamp.color.copy(colorOf(l.lamp))
    this.lamp.position.fromArray(l.towards).multiplyScalar(2 * Math.hypot(about.size_x_m, about.size_y_m) / 2)
    this.around.color.copy(colorOf(l.sky))
    this.spots.forEach((spot, i) => {
      spot.position.fromArray(l.spots[i].at_m)
      spot.color.copy(colorOf(l.spots[i].light))
    })
    this.around.groundColor.copy(colorOf(l.bounce))
    this.ground.carpet.color.copy(colorOf(about.carpet))
    this.materials.forEach((m, i) => { if (!m.map && !m.vertexColors) m.color.copy(colorOf(about.materials[i])) })
    this.look = about.look
    this.dirty = this.shadows = true
  }

  /** mark adds the parts that the render scene lacks: names, areas, the trail of the ball, and previews of drags. */
  mark(world) {
    this.names = new three.Group()
    this.areaNames = []
    this.labels = new Map(world.robots.map(r => [r.name, badge(r, this.colors)]))
    world.obstacles.forEach(o => this.labels.set(o.name, text(o.name)))
    const marked = areas(world, this.colors.ball)
    for (const { name, x, y, end } of marked.names) {
      const label = text(name)
      label.position.set(x, y, 0)
      label.center.set(end ? 1 : 0, 1) // the name hangs below the area's near edge
      marked.group.add(label)
      this.areaNames.push(label)
    }
    this.areas = marked.group
    this.names.add(...this.labels.values())
    const line = (points, color) => {
      const geometry = new three.BufferGeometry()
      geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(3 * points), 3))
      geometry.setDrawRange(0, 0)
      const l = new three.Line(geometry, new three.LineBasicMaterial({ color }))
      l.frustumCulled = false
      return l
    }
    this.path = line(trailMost, this.colors.ball)
    this.plumb = line(2, '#ffffff') // from the ball to the floor
    this.hand = new three.Group()
    this.aimed = line(2, '#ffffff')
    this.ring = new three.Mesh(new three.RingGeometry(0.9, 1, 40), new three.MeshBasicMaterial({ color: '#ffffff', depthTest: false }))
    this.hand.add(this.aimed, this.ring)
    this.hand.visible = false
    this.sizes = new Map(this.moving.map(body => [body.name, new three.Box3().setFromObject(body).getSize(new three.Vector3())]))
    this.scene.add(this.names, marked.group, this.path, this.plumb, this.hand)
  }

  /** leave frees the resources of the last world. */
  leave() {
    this.poses.close()
    this.scene?.traverse(o => {
      o.geometry?.dispose()
      o.material?.map?.dispose()
      o.material?.dispose()
      o.shadow?.dispose()
    })
    this.scene = undefined
  }

  /** sight shows the fields of view of a robot's sensors. */
  sight(robot) {
    this.sights.choose(robot)
    this.dirty = true
  }

  /** name shows or hides numbers and names. */
  name(shown) {
    if (!this.scene) return
    for (const label of [this.names, ...this.areaNames]) label.visible = shown
    this.dirty = true
  }

  /** area shows or hides the world's areas. */
  area(shown) {
    if (!this.scene) return
    this.areas.visible = shown
    this.dirty = true
  }

  /** moved is called with each message of poses. */
  moved(message) {
    this.dirty = this.shadows = true
    this.settled = false
    if (this.world.ball_radius_m) this.remember(message)
    this.repaint(message)
  }

  /** remember adds the ball's position to its trail. */
  remember(message) {
    const i = 7 * this.indexOf.ball, at = [message.poses[i], message.poses[i + 1], message.poses[i + 2]], last = this.trail.at(-1)
    if (last && (message.time < last.t || Math.hypot(at[0] - last.at[0], at[1] - last.at[1]) > 1.5)) this.trail = []
    this.trail.push({ t: message.time, at })
    while (this.trail[0].t < message.time - trailTime || this.trail.length > trailMost) this.trail.shift()
  }

  /** repaint fetches the light and the colours after a change. */
  repaint(message) {
    if (message.look !== this.look && !this.painting) {
      this.painting = true
      setTimeout(async () => {
        try {
          const about = await api.scene()
          if (about.world === this.world.id && this.scene) this.paint(about)
        } catch { /* the next message retries */ }
        this.painting = false
      }, lookTime)
    }
  }

  /** frame draws the picture at a time, ms, if it differs from the last one. */
  frame(now) {
    if (!this.scene || this.lost || !this.poses.newest || this.poses.newest.world !== this.world.id || now - this.drawn < frameTime) return
    if (!this.dirty && this.settled) return
    const { gl } = this
    if (this.fence && gl.clientWaitSync(this.fence, 0, 0) === gl.TIMEOUT_EXPIRED) return // the last picture is not finished
    gl.deleteSync(this.fence ?? null)
    if (!this.settled) this.shadows = true
    this.settled = this.poses.settled(now)
    this.dirty = false
    this.drawn = now
    const poses = this.poses.at(now)
    this.place(poses)
    this.eye.look(poses)
    this.label()
    this.draw()
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
  }

  place(poses) {
    this.moving.forEach((body, i) => {
      body.position.fromArray(poses, 7 * i)
      body.quaternion.fromArray(poses, 7 * i + 3)
    })
    this.sights.all.forEach((lines, i) => {
      const at = 7 * (this.moving.length + i)
      lines.position.fromArray(poses, at)
      lines.quaternion.fromArray(poses, at + 3)
    })
    const ball = this.moving[this.indexOf.ball].position
    const set = (line, points) => {
      const position = line.geometry.attributes.position
      points.forEach((p, i) => position.setXYZ(i, ...p))
      position.needsUpdate = true
      line.geometry.setDrawRange(0, points.length)
    }
    set(this.path, still.matches ? [] : this.trail.map(p => p.at))
    set(this.plumb, ball.z > this.world.ball_radius_m + 0.05 ? [ball.toArray(), [ball.x, ball.y, 0.01]] : [])
  }

  /** label puts each label beside its body, at the body's upper edge in the picture, so that it hides nothing of the body from any viewpoint. */
  label() {
    const up = new three.Vector3(0, 1, 0).applyQuaternion(this.eye.camera.quaternion), flat = Math.hypot(up.x, up.y)
    for (const [name, label] of this.labels) {
      const body = this.moving[this.indexOf[name]]
      if (!body) continue
      const size = this.sizes.get(name), far = flat * Math.hypot(size.x, size.y) / 2 + Math.abs(up.z) * size.z / 2 + apart
      label.position.copy(body.position).setZ(size.z / 2).addScaledVector(up, far)
    }
  }

  draw() {
    const { renderer, canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight
    if (width === 0 || height === 0) return
    const size = renderer.getSize(new three.Vector2()), ratio = Math.min(devicePixelRatio, 2)
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio)
    if (size.x !== width || size.y !== height) renderer.setSize(width, height, false)
    const at = this.eye.region(width, height), camera = this.eye.camera
    if (camera.aspect !== at.aspect || this.lens !== camera.fov) {
      camera.aspect = at.aspect
      this.lens = camera.fov
      camera.updateProjectionMatrix()
    }
    renderer.setScissor(0, 0, width, height)
    renderer.clear()
    renderer.setViewport(at.x, at.y, at.width, at.height)
    renderer.setScissor(at.x, at.y, at.width, at.height)
    renderer.shadowMap.needsUpdate = Boolean(this.shadows)
    this.shadows = false
    renderer.render(this.scene, camera)
    // Tests check that an unchanged scene costs nothing.
    canvas.dataset.pictures = Number(canvas.dataset.pictures ?? 0) + 1
  }

  /** pixel returns the canvas position of a point of the world, pixels, and the number of pixels per metre there. */
  pixel(point) {
    const camera = this.eye.camera, at = this.eye.region(this.canvas.clientWidth, this.canvas.clientHeight)
    const far = point.clone().applyMatrix4(camera.matrixWorldInverse).z
    const p = point.clone().project(camera)
    return { x: at.x + (p.x + 1) / 2 * at.width, y: at.y + (1 - p.y) / 2 * at.height, scale: far < 0 ? at.height / 2 / Math.tan(camera.fov * Math.PI / 360) / -far : 0, far: -far }
  }

  // The field interface that Hand requires.

  grasp(event) {
    if (!this.scene) return undefined
    const box = this.canvas.getBoundingClientRect(), near = []
    const size = { ...this.world.ball_radius_m && { ball: this.world.ball_radius_m }, ...Object.fromEntries(this.world.robots.map(r => [r.name, r.radius_m])),
      ...Object.fromEntries(this.world.obstacles.map(o => [o.name, Math.max(o.size_x_m, o.size_y_m) / 2])) }
    for (const [name, radius] of Object.entries(size)) {
      const body = this.moving[this.indexOf[name]]
      if (!body) continue
      const middle = body.position.clone()
      if (name !== 'ball') middle.z = this.sizes.get(name).z / 2
      const p = this.pixel(middle), off = Math.hypot(event.clientX - box.x - p.x, event.clientY - box.y - p.y)
      if (p.scale && off < Math.max(radius * p.scale, reach)) near.push({ name, far: p.far, z: middle.z })
    }
    const nearest = near.sort((a, b) => a.far - b.far)[0]
    this.eye.controls.enabled = !nearest && !this.eye.through
    this.held = nearest
    return nearest?.name
  }

  focused() { return undefined } // arrow keys turn the scene

  point(event) {
    const box = this.canvas.getBoundingClientRect(), at = this.eye.region(box.width, box.height), ray = new three.Raycaster()
    ray.setFromCamera(new three.Vector2((event.clientX - box.x - at.x) / at.width * 2 - 1, 1 - (event.clientY - box.y - at.y) / at.height * 2), this.eye.camera)
    const hit = ray.ray.intersectPlane(new three.Plane(new three.Vector3(0, 0, 1), -this.held.z), new three.Vector3())
    const now = this.moving[this.indexOf[this.held.name]].position
    const most = 50 // m: distance of points on the horizon
    return hit && hit.length() < most ? hit : now
  }

  poseOf(name) {
    const body = this.moving[this.indexOf[name]], ahead = new three.Vector3(1, 0, 0).applyQuaternion(body.quaternion)
    return { x_m: body.position.x, y_m: body.position.y, z_m: body.position.z, ...name !== 'ball' && { heading_deg: Math.atan2(ahead.y, ahead.x) * 180 / Math.PI } }
  }

  aim(name, to, words) {
    const from = this.moving[this.indexOf[name]].position, position = this.aimed.geometry.attributes.position
    position.setXYZ(0, from.x, from.y, 0.02)
    position.setXYZ(1, to.x, to.y, 0.02)
    position.needsUpdate = true
    this.aimed.geometry.setDrawRange(0, 2)
    const radius = this.world.robots.find(r => r.name === name)?.radius_m ?? 2 * this.world.ball_radius_m
    this.ring.position.set(to.x, to.y, 0.02)
    this.ring.scale.setScalar(radius)
    this.hand.visible = this.dirty = true
    if (words !== this.words) {
      this.unsay()
      this.words = words
      if (words !== undefined) this.hand.add(this.note = text(words))
    }
    this.note?.position.set(to.x, to.y, 0.4)
  }

  unsay() {
    if (!this.note) return
    this.hand.remove(this.note)
    this.note.material.map.dispose()
    this.note.material.dispose()
    this.note = this.words = undefined
  }

  unaim() {
    if (!this.hand) return
    this.unsay()
    this.hand.visible = false
    this.dirty = true
    this.eye.controls.enabled = !this.eye.through
  }
}
