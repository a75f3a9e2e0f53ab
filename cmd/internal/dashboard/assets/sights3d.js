import * as three from 'three'

const shown = 3 // m: drawn length for a sensor without a range limit

/** Sights draws the fields of view of sensors as lines up to their range. */
export class Sights {
  constructor(sensors, teams, colors) {
    this.group = new three.Group()
    this.all = sensors.map(s => {
      const far = s.range_m || shown, n = s.outline.length, closed = s.kind !== 'laser'
      const points = [], at = i => new three.Vector3(...s.outline[i % n]).multiplyScalar(far)
      for (let i = 0; i < (closed ? n : n - 1); i++) points.push(at(i), at(i + 1))
      const rays = s.kind === 'laser' ? [0, n - 1] : Array.from({ length: 4 }, (_, i) => Math.round(i * n / 4))
      rays.forEach(i => points.push(new three.Vector3(), at(i)))
      const lines = new three.LineSegments(new three.BufferGeometry().setFromPoints(points), new three.LineBasicMaterial({ color: colors[teams[s.robot]] }))
      lines.visible = false
      lines.userData.robot = s.robot
      this.group.add(lines)
      return lines
    })
  }

  /** choose shows the fields of view of one robot, of 'all', or of none. */
  choose(robot) { this.all.forEach(lines => { lines.visible = robot === 'all' || lines.userData.robot === robot }) }
}
