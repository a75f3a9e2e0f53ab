const json = { 'Content-Type': 'application/json' }
const query = new URLSearchParams(location.search)

/** recording is the id of the recording that the page replays, beside the run that may go on; null: it shows the run. */
export const recording = query.get('recording')

/** base is where the requests about the simulation are that the page shows: api/ of the run, api/replays/N/ of a replay. It may change. */
export let base = 'api/'

async function answered(answer) {
  const text = await answer.text()
  if (answer.status === 200) return text && JSON.parse(text)
  let refusal = { error: text }
  try { refusal = JSON.parse(text) } catch { /* a sentence as it is */ }
  throw Object.assign(new Error(refusal.error), { key: refusal.key })
}

/** get fetches an answer of the server as JSON, post sends a command; both throw the sentence of a refusal. */
export const get = async path => answered(await fetch(path))
export const post = async (path, value) => answered(await fetch(path, { method: 'POST', headers: json, body: JSON.stringify(value) }))

/** act has an action done, as world files have it: act({pause: {}}). */
export const act = action => post(`${base}do`, action)

/** step has a paused run take steps. */
export const step = steps => post(`${base}step`, { steps })

/** seek has a replay go on from a time, s since the recorded run began. */
export const seek = time => post(`${base}seek`, { time_s: time })

/** world fetches what does not change while a world runs. */
export const world = () => get(`${base}world`)

/** actions fetches what can be done. */
export const actions = () => get(`${base}actions`)

/** expectations fetches what the scene expects, and how far that has come. */
export const expectations = () => get(`${base}expectations`)

/** log fetches what has happened after the entry with a number. */
export const log = after => get(`${base}log?after=${after}`)
// fetched returns an answer, or the error that it tells; of a run that waits for a step it asks again.
async function fetched(path) {
  for (;;) {
    const answer = await fetch(path)
    if (answer.status === 200) return answer
    if (answer.status !== 202) throw new Error(JSON.parse(await answer.text()).error)
    await new Promise(done => setTimeout(done, 1000))
  }
}

/** scene fetches what there is to know of the render scene beside its shapes. */
export const scene = async () => (await fetched(`${base}scene`)).json()

/** shapes fetches the bodies of the render scene, as binary glTF. */
export const shapes = async () => (await fetched(`${base}scene.glb`)).arrayBuffer()

/** open opens the recording that the page replays, unless the server has it open: as long as the page is there, reloads find the same replay. */
async function open() {
  const key = `replay of ${recording}`, known = Number(sessionStorage.getItem(key))
  const { replays } = await get('api/replays')
  if (!replays.some(r => r.replay === known && r.recording === recording)) {
    sessionStorage.setItem(key, (await post('api/replays', { recording })).replay)
  }
  base = `api/replays/${sessionStorage.getItem(key)}/`
}

/** opened opens it, however long the server cannot be reached. */
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

/** trouble is why there is no simulation to show: the recording cannot be opened, or there is no run. */
export const trouble = await (recording ? opened() : world()).then(() => undefined, error => error instanceof TypeError ? undefined : error.message)

/** States calls onState with each state, and onConnection with true and false, while the page is visible. */
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

  /** retry follows again: of a replay that the server, started anew, does not have any more, one that is opened anew. */
  async retry() {
    if (recording) await open().catch(() => { /* it is tried again */ })
    this.follow()
  }
}
