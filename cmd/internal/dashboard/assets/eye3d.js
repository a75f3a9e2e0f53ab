import * as three from 'three'
import { byTeam } from './teams.js'
import { OrbitControls } from './three/OrbitControls.js'

const turnStep = 5 * Math.PI / 180, zoomStep = 1.15, panStep = 30 // rad, a factor, pixels
const around = 3, over = 1.8 // m: distance from a followed body, and height above it
const fov = 45 // ° between the upper and the lower edge

/** Eye is the viewpoint of the 3D view: it orbits a point or a body, or looks through a robot's camera. */
export class Eye {
  constructor(canvas, onChange) {
    Object.assign(this, { canvas, onChange })
    this.camera = new three.PerspectiveCamera(fov, 1.5, 0.05, 150)
    this.camera.up.set(0, 0, 1)
    this.controls = new OrbitControls(this.camera, canvas)
    this.controls.maxPolarAngle = Math.PI / 2 - 0.01
    this.controls.minDistance = 0.3
    this.controls.maxDistance = 60
    this.controls.zoomToCursor = true
    this.controls.addEventListener('change', onChange)
    canvas.addEventListener('keydown', e => this.key(e))
  }

  /** enter is called with each world, and its api/scene. */
  enter(world, scene) {
    const f = world.field, goal = f.length_m / 2, half = f.width_m / 2, v = (x, y, z) => new three.Vector3(x, y, z)
    const far = Math.max(f.length_m, f.width_m * 1.4), near = half + f.border_m, wide = (goal + f.border_m) / Math.tan(fov * Math.PI / 360) / 1.5
    this.places = new Map([
      ['over', ['over the field', v(0, -near - 0.6 * wide, 0.9 * wide), v(0, -0.12 * near, 0)]],
      ['above', ['from above', v(0, -0.01, far * 1.05), v(0, 0, 0)]],
      ['cyan', [world.game ? "behind cyan's goal" : 'along x', v(-goal - 5, 0, 2.6), v(-goal * 0.2, 0, 0.2)]],
      ['magenta', [world.game ? "behind magenta's goal" : 'against x', v(goal + 5, 0, 2.6), v(goal * 0.2, 0, 0.2)]],
    ])
    this.bodies = new Map([['ball', world.ball_radius_m ? scene.moving.indexOf('ball') : -1], ...byTeam(world.robots).map(r => [r.name, scene.moving.indexOf(r.name)])].filter(([, i]) => i >= 0))
    this.sensors = new Map()
    const all = scene.sensors.map((s, i) => ({ ...s, index: scene.moving.length + i })).filter(s => s.fov_deg)
    byTeam(world.robots).flatMap(r => all.filter(s => s.robot === r.name)).forEach(s => this.sensors.set(`${s.robot}.${s.sensor}`, s))
    this.go('over')
  }

  /** choices returns the keys and names of all viewpoints. */
  choices() {
    return [...[...this.places].map(([key, [name]]) => [key, name]), ...[...this.bodies.keys()].map(name => [`follow ${name}`, `follow ${name}`]),
      ...[...this.sensors.keys()].map(name => [`through ${name}`, `through ${name}`])]
  }

  go(choice) {
    const [how, name] = choice.split(' ')
    this.followed = this.through = this.last = undefined
    if (how === 'through') this.through = this.sensors.get(name)
    else if (how === 'follow') this.followed = this.bodies.get(name)
    else this.put(...this.places.get(choice).slice(1))
    this.controls.enabled = !this.through
    if (!this.through) this.lens(fov, 0)
    this.onChange()
  }

  put(from, at) {
    this.camera.position.copy(from)
    this.controls.target.copy(at)
    this.controls.update()
  }

  lens(degrees, aspect) {
    this.aspect = aspect // 0: the aspect of the canvas
    if (this.camera.fov !== degrees) this.camera.fov = degrees
  }

  /** look places the camera, given all poses. */
  look(poses) {
    const at = i => new three.Vector3().fromArray(poses, 7 * i), s = this.through
    if (s) {
      this.camera.position.copy(at(s.index))
      // From z forward and y down to z backward and y up.
      this.camera.quaternion.fromArray(poses, 7 * s.index + 3).multiply(new three.Quaternion(1, 0, 0, 0))
      this.lens(s.fov_deg, s.aspect)
      return
    }
    if (this.followed === undefined) return
    const now = at(this.followed)
    if (this.last) {
      const by = now.clone().sub(this.last)
      this.camera.position.add(by)
      this.controls.target.add(by)
      if (by.lengthSq() > 0) this.controls.update()
    } else {
      const heading = new three.Vector3(1, 0, 0).applyQuaternion(new three.Quaternion().fromArray(poses, 7 * this.followed + 3))
      heading.z = 0
      if (this.followed === this.bodies.get('ball') || heading.lengthSq() < 1e-6) heading.set(1, 0, 0)
      this.put(now.clone().addScaledVector(heading.normalize(), -around).setZ(now.z + over), now.clone().setZ(Math.max(now.z, 0.3)))
    }
    this.last = now
  }

  /** region returns the part of the canvas that the picture fills, and its aspect: all of it, or that of a robot's camera. */
  region(width, height) {
    const aspect = this.aspect || width / height, w = Math.min(width, height * aspect), h = w / aspect
    return { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h, aspect }
  }

  key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey || this.through) return
    const c = this.controls, shift = e.shiftKey
    const f = {
      ArrowLeft: () => shift ? c.pan(panStep, 0) : c.rotateLeft(turnStep), ArrowRight: () => shift ? c.pan(-panStep, 0) : c.rotateLeft(-turnStep),
      ArrowUp: () => shift ? c.pan(0, panStep) : c.rotateUp(turnStep), ArrowDown: () => shift ? c.pan(0, -panStep) : c.rotateUp(-turnStep),
      '+': () => c.dollyIn(zoomStep), '=': () => c.dollyIn(zoomStep), '-': () => c.dollyOut(zoomStep),
    }[e.key]
    if (!f) return
    e.preventDefault()
    f()
  }

  dispose() { this.controls.dispose() }
}
