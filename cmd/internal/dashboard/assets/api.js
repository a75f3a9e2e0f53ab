const json = { 'Content-Type': 'application/json' }
const query = new URLSearchParams(location.search)

/** recording is the id of the recording that the page replays; null: the page shows the run. */
export const recording = query.get('recording')

/** base is the path of requests about the shown simulation: api/ for the run, api/replays/N/ for a replay. It may change. */
export let base = 'api/'

async function answered(answer) {
  const text = await answer.text()
  if (answer.status === 200) return text && JSON.parse(text)
  let refusal = { error: text }
  try { refusal = JSON.parse(text) } catch { /* plain text */ }
  throw Object.assign(new Error(refusal.error), { key: refusal.key })
}

/** get fetches an answer as JSON, post sends a command. Both throw the server's error message. */
export const get = async path => answered(await fetch(path))
export const post = async (path, value) => answered(await fetch(path, { method: 'POST', headers: json, body: JSON.stringify(value) }))

/**
 * repeated returns a function that calls f while active() is true: at once, and a number of ms after each call has ended. f reports its own errors. Calls of the
 * function while f is being repeated have no effect.
 */
export function repeated(every, f, active) {
  let running = false
  return async () => {
    if (running) return
    running = true
    while (active()) {
      await f()
      await new Promise(done => setTimeout(done, every))
    }
    running = false
  }
}

/** act executes an action in the form of world files: act({pause: {}}). */
export const act = action => post(`${base}do`, action)

/** card says which robot a command of the referee box is for. */
export const card = number => post(`${base}card`, { number })

/** step advances a paused run. */
export const step = steps => post(`${base}step`, { steps })

/** seek moves a replay to a time, s since the start of the recorded run. */
export const seek = time => post(`${base}seek`, { time_s: time })

/** world fetches the data that stays constant while a world runs. */
export const world = () => get(`${base}world`)

/** actions fetches the list of possible actions. */
export const actions = () => get(`${base}actions`)

/** expectations fetches the expectations of the world and their present results. */
export const expectations = () => get(`${base}expectations`)

/** log fetches the entries after a number. */
export const log = after => get(`${base}log?after=${after}`)
// fetched returns an answer or throws its error. It retries while the run waits for a step.
async function fetched(path) {
  for (;;) {
    const answer = await fetch(path)
    if (answer.status === 200) return answer
    if (answer.status !== 202) throw new Error(JSON.parse(await answer.text()).error)
    await new Promise(done => setTimeout(done, 1000))
  }
}

/** scene fetches the description of the render scene, without shapes. */
export const scene = async () => (await fetched(`${base}scene`)).json()

/** shapes fetches the bodies of the render scene, as binary glTF. */
export const shapes = async () => (await fetched(`${base}scene.glb`)).arrayBuffer()

/** open opens the recording that the page replays, unless the server has it open. The replay survives reloads of the page. */
async function open() {
  const key = `replay of ${recording}`, known = Number(sessionStorage.getItem(key))
  const { replays } = await get('api/replays')
  if (!replays.some(r => r.replay === known && r.recording === recording)) {
    sessionStorage.setItem(key, (await post('api/replays', { recording })).replay)
  }
  base = `api/replays/${sessionStorage.getItem(key)}/`
}

/** opened calls open until the server can be reached. */
async function opened() {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
    await new Promise(done => setTimeout(done, 1000))
  }
}

/** trouble is the reason why there is no simulation to show: the recording cannot be opened, or there is no run. */
export const trouble = await (recording ? opened() : world()).then(() => undefined, error => error instanceof TypeError ? undefined : error.message)

/** States calls onState with each state, and onConnection with true or false, while the page is visible. */
export class States {
  constructor(onState, onConnection) {
    this.onState = onState
    this.onConnection = onConnection
    document.addEventListener('visibilitychange', () => this.follow())
    this.follow()
  }

  follow() {
    clearTimeout(this.again)
    if (document.hidden) {
      this.socket?.close()
      this.socket = undefined
      return
    }
    if (this.socket) return
    const socket = new WebSocket(new URL(`${base}state`, location.href.replace(/^http/, 'ws')))
    this.socket = socket
    socket.onopen = () => this.onConnection(true)
    socket.onmessage = message => this.onState(JSON.parse(message.data))
    socket.onclose = () => {
      if (this.socket !== socket) return
      this.socket = undefined
      this.onConnection(false)
      this.again = setTimeout(() => this.retry(), 1000)
    }
  }

  /** retry reconnects. If the server has restarted and lost the replay, it opens the recording again. */
  async retry() {
    if (recording) await open().catch(() => { /* the next attempt follows */ })
    this.follow()
  }
}
