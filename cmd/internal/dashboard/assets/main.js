import { byId, setText } from './dom.js'
import { recording, States, trouble, world as fetchWorld } from './api.js'
import { Above } from './above.js'
import { Actions } from './actions.js'
import { Beliefs } from './beliefs.js'
import { MotionStates } from './motionstates.js'
import { Radio } from './radio.js'
import { Cameras } from './cameras.js'
import { Coach } from './coach.js'
import { Expectations } from './expectations.js'
import { Game } from './game.js'
import { Log, Reload } from './log.js'
import { Motion } from './motion.js'
import { Pace } from './pace.js'
import { Recordings } from './recordings.js'
import { Score } from './score.js'
import { Sensors } from './sensors.js'
import { Tabs } from './tabs.js'
import { Time } from './time.js'
import { Timeline } from './timeline.js'
import { Topics } from './topics.js'
import { View3D } from './view3d.js'
import { Views } from './views.js'

const errorTime = 8000 // ms that an error is shown
let errorTimer

function fail(error) {
  setText(byId('error'), error.message)
  byId('error').hidden = false
  clearTimeout(errorTimer)
  errorTimer = setTimeout(() => { byId('error').hidden = true }, errorTime)
}

/** page is shared by all parts. In a replay it also has page.seek(time_s): s since the start of the recorded run. */
const page = {
  /** say reports an effect. */
  say: text => setText(byId('said'), text),
  /** fail shows an error. */
  fail,
  /** tried wraps f so that the page shows its error. */
  tried: f => async (...args) => {
    try {
      await f(...args)
    } catch (error) {
      fail(error)
    }
  },
  tabs: new Tabs(byId('tabs')),
  views: new Views(),
}
page.cameras = new Cameras(page)
page.above = new Above(page)
page.log = new Log(page)

// A part has enter(world), called for each new world, and show(state), called for each later state. A part that moves
// between states also has frame(time, motion).
const parts = [new Timeline(page), new Time(page), new Score(), page.above, new View3D(page), new Sensors(page), page.cameras, new Pace(page),
  page.log, new Reload(page), new Actions(page), new Game(page), new Expectations(page), new Coach(page), new Beliefs(page), new MotionStates(), new Radio(), new Topics(page), new Recordings(page)]
const moving = parts.filter(part => part.frame)

const motion = new Motion()
let world, entered, fetching = false

/** enter shows another world. */
async function enter() {
  if (fetching) return
  fetching = true
  try {
    world = await fetchWorld()
    const text = JSON.stringify(world)
    if (text !== entered) { // otherwise the connection was lost, or the page hidden
      entered = text
      motion.newest = undefined
      setText(byId('name'), world.replay ? `${world.name}, replayed` : world.name)
      document.title = `${world.name} – Omnipitch`
      parts.forEach(part => part.enter(world))
    }
  } catch (error) {
    fail(error)
    appear()
  }
  fetching = false
}

function show(state) {
  if (state.world !== world?.id) {
    enter()
    return
  }
  motion.add(state, performance.now())
  parts.forEach(part => part.show(state))
  appear()
}

/** appear shows the page, which is hidden until its parts know the world. */
function appear() { document.body.classList.remove('waiting') }

function frame(time) {
  if (motion.newest && motion.newest.world === world?.id) moving.forEach(part => part.frame(time, motion))
  requestAnimationFrame(frame)
}

byId('back').hidden = !recording
if (trouble) { // the recording cannot be opened, or there is no run
  document.body.classList.add('no-simulation')
  setText(byId('connection'), trouble)
  byId('recordings-tab').click()
  appear()
} else {
  new States(show, connected => {
    byId('connection').classList.toggle('lost', !connected)
    setText(byId('connection'), connected ? 'connected' : 'connection lost, trying again')
    world = undefined // the program may have restarted
    if (connected) enter()
    else appear()
  })
  requestAnimationFrame(frame)
}
