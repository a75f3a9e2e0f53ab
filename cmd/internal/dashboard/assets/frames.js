import { base } from './api.js'

/** wait resolves after a number of ms, or when signal aborts. */
export const wait = (ms, signal) => new Promise(done => {
  const timer = setTimeout(done, ms)
  signal.addEventListener('abort', () => { clearTimeout(timer); done() }, { once: true })
})

/** cameraFrames is the path of a camera's frames, to which a query is appended. */
export const cameraFrames = (robot, camera) => `cameras/${encodeURIComponent(robot.name)}/${encodeURIComponent(camera.name)}/next?`

/**
 * followFrames fetches the frames of a sensor, each when the one before has been shown, until signal aborts. path returns the path and query of the next
 * request, or undefined to pause; show(answer) shows a frame; fail(error) receives errors, after which the next request is a second later.
 */
export async function followFrames(signal, path, show, fail = () => {}) {
  for (let after = 0; !signal.aborted;) {
    try {
      const next = path()
      if (!next) {
        await wait(500, signal)
        continue
      }
      const answer = await fetch(`${base}${next}after=${after}`, { signal })
      if (answer.status === 204) continue
      if (!answer.ok) throw new Error(JSON.parse(await answer.text()).error)
      after = Number(answer.headers.get('Omnipitch-Frame'))
      await show(answer)
    } catch (error) {
      if (signal.aborted) return
      after = 0 // frames of a restarted program count from 1
      fail(error)
      await wait(1000, signal)
    }
  }
}
