import { base } from './api.js'
const head = 24, each = 7 // bytes of the header; numbers of a pose: x, y, z, and a quaternion
const farthest = 1.5 // m: a body that moves farther between two messages has been placed

/** Poses receives the poses of moving bodies and sensors while it is open. It interpolates them linearly, one state late. */
export class Poses {
  /** onChange is called with each message that moves something, or changes the world or the appearance. */
  constructor(onChange) { this.onChange = onChange }

  open() {
    clearTimeout(this.again)
    if (this.socket) return
    const socket = new WebSocket(new URL(`${base}poses`, location.href.replace(/^http/, 'ws')))
    socket.binaryType = 'arraybuffer'
    this.socket = socket
    socket.onmessage = message => this.take(message.data, performance.now())
    socket.onclose = () => {
      if (this.socket !== socket) return
      this.socket = undefined
      this.again = setTimeout(() => this.open(), 1000)
    }
  }

  close() {
    clearTimeout(this.again)
    this.socket?.close()
    this.socket = this.newest = this.older = undefined
  }

  take(data, now) {
    const view = new DataView(data), u32 = i => view.getUint32(4 * i, true), last = this.newest
    const next = { world: u32(0), look: u32(1), bodies: u32(2), sensors: u32(3), time: view.getFloat64(16, true), poses: new Float32Array(data, head) }
    const same = last && last.world === next.world && last.poses.length === next.poses.length
    if (same && last.look === next.look && last.time === next.time && next.poses.every((x, i) => x === last.poses[i])) return
    const follows = same && last.time <= next.time
    this.older = follows ? last : next
    this.every = follows ? Math.min(Math.max(now - this.came, 10), 100) : 33
    this.newest = next
    this.came = now
    if (!same) this.shown = new Float32Array(next.poses.length)
    this.onChange(next)
  }

  /** settled returns whether the picture at a time, ms, will stay the same. */
  settled(now) { return now - this.came >= this.every }

  /** at returns the numbers of all shown poses at a time, ms. They are valid until the next call. */
  at(now) {
    const a = this.older.poses, b = this.newest.poses, out = this.shown
    const share = Math.min(Math.max((now - this.came) / this.every, 0), 1)
    if (share === 1 || a === b) {
      out.set(b)
      return out
    }
    for (let i = 0; i < b.length; i += each) {
      if (Math.hypot(b[i] - a[i], b[i + 1] - a[i + 1]) > farthest) {
        for (let k = i; k < i + each; k++) out[k] = b[k]
        continue
      }
      for (let k = i; k < i + 3; k++) out[k] = a[k] + (b[k] - a[k]) * share
      // A quaternion and its negative are the same rotation.
      const dot = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6], sign = dot < 0 ? -1 : 1
      let length = 0
      for (let k = i + 3; k < i + each; k++) length += (out[k] = a[k] * sign * (1 - share) + b[k] * share) ** 2
      for (let k = i + 3; k < i + each; k++) out[k] /= Math.sqrt(length)
    }
    return out
  }
}
