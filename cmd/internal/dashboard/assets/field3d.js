import * as three from 'three'
import { nameAt } from './field.js'
import { colorOf } from './glb.js'

const arcStep = 5 * Math.PI / 180
const lift = 0.002 // m: height of lines above the carpet

// Flat merges pieces of the floor into one mesh.
class Flat {
  constructor() { this.positions = [] }

  quad(a, b, c, d) { this.positions.push(...a, lift, ...b, lift, ...c, lift, ...a, lift, ...c, lift, ...d, lift) }

  // ring adds the area between two radii, anticlockwise.
  ring([x, y], inner, outer, from, sweep) {
    const n = Math.max(Math.ceil(sweep / arcStep), 1)
    const at = (r, i) => [x + r * Math.cos(from + sweep * i / n), y + r * Math.sin(from + sweep * i / n)]
    for (let i = 0; i < n; i++) this.quad(at(inner, i), at(outer, i), at(outer, i + 1), at(inner, i + 1))
  }

  mark(m) {
    if (m.kind === 'segment') {
      const [ax, ay] = m.a_m, [bx, by] = m.b_m, length = Math.hypot(bx - ax, by - ay) || 1
      const x = -(by - ay) / length * m.width_m / 2, y = (bx - ax) / length * m.width_m / 2
      this.quad([ax - x, ay - y], [bx - x, by - y], [bx + x, by + y], [ax + x, ay + y])
    } else if (m.kind === 'arc') {
      const from = (m.from_deg || 0) * Math.PI / 180
      this.ring(m.a_m, m.radius_m - m.width_m / 2, m.radius_m + m.width_m / 2, from, m.sweep_deg * Math.PI / 180)
    } else {
      this.ring(m.a_m, 0, m.radius_m, 0, 2 * Math.PI)
    }
  }

  geometry() {
    const g = new three.BufferGeometry()
    g.setAttribute('position', new three.Float32BufferAttribute(this.positions, 3))
    g.setAttribute('normal', new three.Float32BufferAttribute(this.positions.map((_, i) => i % 3 === 2 ? 1 : 0), 3))
    return g
  }
}

/** floor makes the hall's floor, the carpet and its lines from api/world and api/scene: { group, carpet }. carpet is the material. */
export function floor(world, scene) {
  const flat = new Flat()
  world.marks.forEach(m => flat.mark(m))
  const carpet = new three.MeshLambertMaterial({ color: colorOf(scene.carpet), polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })
  const lines = new three.MeshLambertMaterial({ color: colorOf(scene.line), polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 })
  const beside = new three.Mesh(new three.PlaneGeometry(scene.size_x_m + 2 * scene.margin_m, scene.size_y_m + 2 * scene.margin_m),
    new three.MeshLambertMaterial({ color: colorOf(scene.floor), polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 }))
  beside.position.z = -5 * lift
  beside.visible = scene.margin_m > 0
  const group = new three.Group()
  for (const mesh of [beside, new three.Mesh(new three.PlaneGeometry(scene.size_x_m, scene.size_y_m), carpet), new three.Mesh(flat.geometry(), lines)]) {
    mesh.receiveShadow = true
    group.add(mesh)
  }
  return { group, carpet }
}

/** areas makes the outlines of the world's areas, and returns the positions of their names: { group, names: [{ name, x, y, end }] }. */
export function areas(world, color) {
  const group = new three.Group(), names = []
  const material = new three.LineDashedMaterial({ color, dashSize: 0.2, gapSize: 0.15 })
  for (const a of world.areas) {
    const points = a.centre_m
      ? Array.from({ length: 73 }, (_, i) => [a.centre_m[0] + a.radius_m * Math.cos(i * arcStep), a.centre_m[1] + a.radius_m * Math.sin(i * arcStep)])
      : [...a.points_m, a.points_m[0]]
    const line = new three.Line(new three.BufferGeometry().setFromPoints(points.map(([x, y]) => new three.Vector3(x, y, 5 * lift))), material)
    line.computeLineDistances()
    group.add(line)
    names.push({ name: a.name, ...nameAt(a, world.field) })
  }
  return { group, names }
}
