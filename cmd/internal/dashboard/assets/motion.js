// Bodies are interpolated linearly between the last two states, one state late: smooth at any rate.

const farthest = 1.5 // m: a body that moves farther between two states has been placed

function turn(from, to, share) {
  const by = ((to - from + 540) % 360 + 360) % 360 - 180
  return from + by * share
}

/** between interpolates a body between two states. */
export function between(a, b, share) {
  if (Math.hypot(b.x_m - a.x_m, b.y_m - a.y_m) > farthest) return b
  const mix = key => a[key] + (b[key] - a[key]) * share
  const at = { ...b, x_m: mix('x_m'), y_m: mix('y_m') }
  if ('z_m' in b) at.z_m = mix('z_m')
  if ('heading_deg' in b) at.heading_deg = turn(a.heading_deg, b.heading_deg, share)
  return at
}

/** Motion keeps the last two states. */
export class Motion {
  /** add adds a state received at a time, ms. */
  add(state, now) {
    const before = this.newest
    const follows = before && before.world === state.world && before.step <= state.step && before.robots.length === state.robots.length
    this.older = follows ? before : state
    this.every = follows ? Math.min(Math.max(now - this.came, 10), 100) : 33
    this.newest = state
    this.came = now
  }

  /** at returns the shown ball, robots and obstacles at a time, ms. */
  at(now) {
    const { older, newest } = this
    const share = Math.min((now - this.came) / this.every, 1)
    return {
      ball: newest.ball && between(older.ball ?? newest.ball, newest.ball, share),
      robots: newest.robots.map((r, i) => between(older.robots[i], r, share)),
      obstacles: newest.obstacles.map((o, i) => older.obstacles[i] ? between(older.obstacles[i], o, share) : o),
    }
  }
}
