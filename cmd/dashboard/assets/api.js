const json = { 'Content-Type': 'application/json' }

async function post(path, value) {
  const answer = await fetch(path, { method: 'POST', headers: json, body: JSON.stringify(value) })
  const text = await answer.text()
  if (answer.status === 200) return text && JSON.parse(text)
  let error = text
  try { error = JSON.parse(text).error } catch { /* a sentence as it is */ }
  throw new Error(error)
}

/** act has an action done, as world files have it: act({pause: {}}). */
export const act = action => post('api/do', action)

/** step has a paused run take steps. */
export const step = steps => post('api/step', { steps })

/** world fetches what does not change while a world runs. */
export async function world() {
  const answer = await fetch('api/world')
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

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
