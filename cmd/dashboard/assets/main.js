import { byId, html, setText } from './dom.js'
import { act, States, step, world as fetchWorld } from './api.js'
import { Cameras } from './cameras.js'
import { Field } from './field.js'
import { Hand } from './hand.js'
import { Motion } from './motion.js'
import { Sensors } from './sensors.js'

const speeds = ['0.1', '0.25', '0.5', 'realtime', '2', '5', '10', 'steady', 'max']
const errorTime = 8000 // ms that an error is shown
const stillTime = 2000 // ms without a state, after which the page says so: the run waits for robots

const motion = new Motion()
let field, sensors, state, world, entered, fetching = false, settingSpeed = false, errorTimer

const say = text => setText(byId('said'), text)

function fail(error) {
  setText(byId('error'), error.message)
  byId('error').hidden = false
  clearTimeout(errorTimer)
  errorTimer = setTimeout(() => { byId('error').hidden = true }, errorTime)
}

const tried = f => async (...args) => {
  try {
    await f(...args)
  } catch (error) {
    fail(error)
  }
}

const cameras = new Cameras(fail)

/** enter shows another world. */
async function enter() {
  if (fetching) return
  fetching = true
  try {
    world = await fetchWorld()
    const text = JSON.stringify(world)
    if (text === entered) { // the connection was lost, or the page hidden
      fetching = false
      return
    }
    entered = text
    motion.newest = undefined
    cameras.clear()
    setText(byId('name'), world.name)
    document.title = `${world.name} – Omnipitch`
    field = new Field(byId('field'), world)
    new Hand(field, say, fail)
    sensors = new Sensors(world, cameras, say, fail)
  } catch (error) {
    fail(error)
  }
  fetching = false
}

function showSpeed(speed) {
  const select = byId('speed')
  if (settingSpeed) return
  if (![...select.options].some(option => option.value === speed)) select.append(html('option', { value: speed }, speed))
  if (select.value !== speed) select.value = speed
}

function showGame(game) {
  const idle = world.referee === 'off' && game.cyan + game.magenta === 0 && !game.set_piece
  byId('game').hidden = idle
  setText(byId('score'), `${game.cyan} : ${game.magenta}`)
  setText(byId('phase'), [game.phase, game.set_piece && `${game.set_piece} ${game.team ?? ''}`, game.half].filter(Boolean).join(', ').replaceAll('_', ' '))
}

function show(now) {
  state = now
  if (!world || now.world !== world.id) {
    enter()
    return
  }
  motion.add(now, performance.now())
  field.remember(now)
  setText(byId('clock'), `${now.time_s.toFixed(2)} s`)
  setText(byId('factor'), now.paused ? 'paused' : `${now.factor.toFixed(2)} × real time`)
  setText(byId('pause'), now.paused ? 'Resume' : 'Pause')
  byId('step').disabled = !now.paused
  showSpeed(now.speed)
  showGame(now.game)
  sensors.show(now)
}

function frame(time) {
  if (motion.newest && time - motion.came > stillTime) setText(byId('factor'), 'waits for a step')
  if (motion.newest && motion.newest.world === world?.id) field.show(motion.at(time))
  requestAnimationFrame(frame)
}

const pause = tried(() => act(state?.paused ? { resume: {} } : { pause: {} }))
const single = tried(() => step(1))
const setSpeed = tried(async speed => {
  settingSpeed = true
  await act({ set_speed: { speed } }).finally(() => { settingSpeed = false })
})

function faster(by) {
  const i = speeds.indexOf(byId('speed').value)
  if (i >= 0 && speeds[i + by]) setSpeed(speeds[i + by])
}

byId('speed').append(...speeds.map(speed => html('option', { value: speed }, isNaN(speed) ? speed : `× ${speed}`)))
byId('pause').addEventListener('click', pause)
byId('step').addEventListener('click', single)
byId('speed').addEventListener('change', e => setSpeed(e.target.value))
byId('help').addEventListener('click', e => {
  byId('keys').hidden = !byId('keys').hidden
  e.target.setAttribute('aria-expanded', String(!byId('keys').hidden))
})
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.closest('button, select, input, summary')) return
  const f = { ' ': pause, '.': single, '+': () => faster(1), '-': () => faster(-1) }[e.key]
  if (!f) return
  e.preventDefault()
  f()
})

new States(show, connected => {
  byId('connection').classList.toggle('lost', !connected)
  setText(byId('connection'), connected ? 'connected' : 'connection lost, trying again')
  world = undefined // the program may have been started anew
  if (connected) enter()
})
requestAnimationFrame(frame)
