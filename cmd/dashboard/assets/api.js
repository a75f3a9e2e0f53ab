const json = { 'Content-Type': 'application/json' }

async function post(path, value) {
  const answer = await fetch(path, { method: 'POST', headers: json, body: JSON.stringify(value) })
  const text = await answer.text()
  if (answer.status === 200) return text && JSON.parse(text)
  let refusal = { error: text }
  try { refusal = JSON.parse(text) } catch { /* a sentence as it is */ }
  throw Object.assign(new Error(refusal.error), { key: refusal.key })
}

/** act has an action done, as world files have it: act({pause: {}}). */
export const act = action => post('api/do', action)

/** step has a paused run take steps. */
export const step = steps => post('api/step', { steps })

async function get(path) {
  const answer = await fetch(path)
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.json()
}

/** world fetches what does not change while a world runs. */
export const world = () => get('api/world')

/** actions fetches what can be done. */
export const actions = () => get('api/actions')

/** expectations fetches what the scene expects, and how far that has come. */
export const expectations = () => get('api/expectations')

/** log fetches what has happened after the entry with a number. */
export const log = after => get(`api/log?after=${after}`)
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
export const scene = async () => (await fetched('api/scene')).json()

/** shapes fetches the bodies of the render scene, as binary glTF. */
export const shapes = async () => (await fetched('api/scene.glb')).arrayBuffer()

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
    const socket = new WebSocket(new URL('api/state', location.href.replace(/^http/, 'ws')))
    this.socket = socket
    socket.onopen = () => this.onConnection(true)
    socket.onmessage = message => this.onState(JSON.parse(message.data))
    socket.onclose = () => {
      if (this.socket !== socket) return
      this.socket = undefined
      this.onConnection(false)
      this.again = setTimeout(() => this.follow(), 1000)
    }
  }
}
