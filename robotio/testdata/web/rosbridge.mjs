// roslib.js against our rosbridge: rosbridge.mjs URL
import * as ROSLIB from 'roslib'
import WebSocket from 'ws'
import { assert, run, soon } from './check.mjs'

const ros = new ROSLIB.Ros({})
const statuses = []
/** The next status message; roslib.js tells those with an id only to who listens for that id. */
const status = () => new Promise(ok => ros.transport.on('message', m => { if (m.op === 'status') ok(m) }))

const topic = (name, messageType, more = {}) => new ROSLIB.Topic({ ros, name, messageType, ...more })
const service = (name, serviceType) => new ROSLIB.Service({ ros, name, serviceType })
const call = (s, request) => new Promise((ok, no) => s.callService(request, ok, no))
const ask = (method, ...args) => new Promise((ok, no) => ros[method](...args, ok, no))

/** The first message of a topic that satisfies want. */
function first(t, want = () => true) {
  return soon(new Promise(ok => {
    const f = m => { if (want(m)) { t.unsubscribe(f); ok(m) } }
    t.subscribe(f)
  }), t.name)
}

const odo = m => {
  assert.equal(m.Vx, 120.5)
  assert.equal(m.PowerState, true)
  assert.equal(m.header.frame_id, 'base "ä"')
  assert.deepEqual(m.header.stamp, { secs: 12, nsecs: 34 })
}

await run({
  async connect() {
    await new Promise((ok, no) => { ros.on('connection', ok); ros.on('error', no); ros.connect(process.argv[2]) })
    ros.transport.on('message', m => { if (m.op === 'status') statuses.push(m) })
  },
  async latched() { odo(await first(topic('/odo', 'nubot_common/OdoInfo'))) },
  async 'latched, a second time'() { odo(await first(topic('/odo', 'nubot_common/OdoInfo'))) },
  async 'without a type'() { odo(await first(topic('/odo', undefined))) },
  async png() { odo(await first(topic('/odo', 'nubot_common/OdoInfo', { compression: 'png' }))) },
  async cbor() { odo(await first(topic('/odo', 'nubot_common/OdoInfo', { compression: 'cbor' }))) },
  async 'cbor-raw'() {
    const m = await first(topic('/odo', 'nubot_common/OdoInfo', { compression: 'cbor-raw' }))
    assert.ok(m.bytes instanceof Uint8Array)
    assert.equal(new DataView(m.bytes.buffer, m.bytes.byteOffset).getUint32(4, true), 12, 'the stamp')
    assert.ok(Math.abs(m.secs - Date.now() / 1000) < 3600)
  },
  async 'image in JSON'() {
    const m = await first(topic('/image', 'sensor_msgs/Image'))
    const pixels = Buffer.from(m.data, 'base64')
    assert.equal(pixels.length, 320 * 240 * 3)
    assert.equal(pixels[1], 7)
  },
  async 'image in CBOR'() {
    // What the last check subscribed to may still be on its way, in JSON.
    const m = await first(topic('/image', 'sensor_msgs/Image', { compression: 'cbor' }), m => m.data instanceof Uint8Array)
    assert.equal(m.data.length, 320 * 240 * 3)
    assert.equal(m.data[1], 7)
  },
  async 'typed arrays in CBOR'() {
    const m = await first(topic('/scan', 'sensor_msgs/LaserScan', { compression: 'cbor' }))
    assert.ok(m.ranges instanceof Float32Array)
    assert.deepEqual([...m.ranges], [1.5, Infinity, 2.5])
  },
  async 'not a number in JSON'() {
    assert.deepEqual((await first(topic('/scan', 'sensor_msgs/LaserScan'))).ranges, [1.5, null, 2.5])
  },
  async throttle() {
    const t = topic('/fast', 'std_msgs/Int32', { throttle_rate: 200 })
    const times = []
    await new Promise(ok => t.subscribe(() => { times.push(Date.now()); if (times.length === 6) ok() }))
    t.unsubscribe()
    assert.ok(times[5] - times[0] >= 700, // the first may have been late
       `6 messages within ${times[5] - times[0]} ms at one in 200 ms`)
  },
  async 'publish, at once after advertising'() {
    const echo = first(topic('/echo', 'nubot_common/OdoInfo'), m => m.Vx === -3)
    topic('/cmd', 'nubot_common/OdoInfo').publish({ Vx: -3, header: { frame_id: 'web' } })
    const m = await echo
    assert.equal(m.header.frame_id, 'web')
    assert.ok(m.header.stamp.secs > 1e9, 'a header without a stamp has the time')
  },
  async 'a field that is none'() {
    const told = status()
    topic('/cmd', 'nubot_common/OdoInfo').publish({ speed: 1 })
    const s = await told
    assert.equal(s.level, 'error')
    assert.match(s.msg, /publish: topic \/cmd: message nubot_common\/OdoInfo: speed: no such field/)
  },
  async 'wrong type'() {
    const told = status()
    topic('/odo', 'std_msgs/String').subscribe(() => {})
    assert.match((await told).msg, /topic \/odo: type = "std_msgs\/String": must be nubot_common\/OdoInfo/)
  },
  async 'call a service'() {
    assert.deepEqual(await call(service('/Shoot', 'nubot_common/Shoot'), { strength: 3, ShootPos: 1 }), { ShootIsDone: 3 })
  },
  async 'call a service that fails'() {
    await assert.rejects(call(service('/Shoot', 'nubot_common/Shoot'), { strength: -1 }),
      e => /strength = -1: must not be negative/.test(e))
  },
  async 'call nobody'() {
    await assert.rejects(call(service('/nobody', 'std_srvs/Empty'), {}), e => /no provider/.test(e))
  },
  async 'serve'() {
    const s = service('/web/switch', 'std_srvs/SetBool')
    await s.advertise((request, response) => {
      response.success = request.data
      response.message = 'it is ' + request.data
      return true
    })
    const client = new ROSLIB.Service({ ros, name: '/web/switch', serviceType: 'std_srvs/SetBool' })
    let answer // roslib.js returns from advertise before the server has registered the service
    for (let i = 0; !answer; i++) {
      try { answer = await call(client, { data: true }) } catch (e) { if (i > 200) throw e }
    }
    assert.deepEqual(answer, { success: true, message: 'it is true' })
    console.log('serving /web/switch')
    await new Promise(ok => topic('/served', 'std_msgs/Int32').subscribe(ok))
    await s.unadvertise()
  },
  async rosapi() {
    const topics = await ask('getTopics')
    const i = topics.topics.indexOf('/odo')
    assert.equal(topics.types[i], 'nubot_common/OdoInfo')
    assert.ok((await ask('getServices')).includes('/Shoot'))
    assert.ok((await ask('getNodes')).includes('/sim'))
    assert.equal(await ask('getTopicType', '/odo'), 'nubot_common/OdoInfo')
    assert.equal(await ask('getServiceType', '/Shoot'), 'nubot_common/Shoot')
    assert.deepEqual(await ask('getServicesForType', 'nubot_common/Shoot'), ['/Shoot'])
    assert.deepEqual(await ask('getTopicsForType', 'nubot_common/OdoInfo'), ['/cmd', '/echo', '/odo'])
    const details = await new Promise((ok, no) => ros.getNodeDetails('/sim', ok, no))
    assert.ok(details.publishing.includes('/odo') && details.services.includes('/Shoot') && details.subscribing.includes('/cmd'))
    const defs = await ask('getMessageDetails', 'geometry_msgs/PoseWithCovariance')
    assert.equal(defs[0].type, 'geometry_msgs/PoseWithCovariance')
    const decoded = ros.decodeTypeDefs(defs)
    assert.equal(decoded.pose.position.x, 'float64')
    assert.deepEqual(decoded.covariance, ['float64'])
    const req = await ask('getServiceRequestDetails', 'nubot_common/Shoot')
    assert.deepEqual(req.typedefs[0].fieldnames, ['strength', 'ShootPos'])
    const raw = await ask('getTopicsAndRawTypes')
    assert.match(raw.typedefs_full_text[raw.topics.indexOf('/odo')], /MSG: std_msgs\/Header/)
    assert.deepEqual(await ask('getActionServers'), [])
    const time = await call(service('/rosapi/get_time', 'rosapi/GetTime'), {})
    assert.ok(Math.abs(time.time.secs - Date.now() / 1000) < 3600)
    const pubs = await new Promise((ok, no) => topic('/odo').getPublishers(ok, no))
    assert.deepEqual(pubs, ['/sim'])
  },
  async parameters() {
    const param = name => new ROSLIB.Param({ ros, name })
    const get = name => new Promise((ok, no) => param(name).get(ok, no))
    const set = (name, v) => new Promise((ok, no) => param(name).set(v, ok, no))
    assert.equal(await get('/speed'), 2.5)
    await set('/web/table', { a: [1, 2.5, 'x', true], b: { c: 3 } })
    assert.deepEqual(await get('/web/table'), { a: [1, 2.5, 'x', true], b: { c: 3 } })
    assert.ok((await ask('getParams')).includes('/web/table/b/c'))
    const has = name => call(service('/rosapi/has_param', 'rosapi/HasParam'), { name })
    assert.equal((await has('/web/table')).exists, true)
    await new Promise((ok, no) => param('/web/table').delete(ok, no))
    assert.equal((await has('/web/table')).exists, false)
    assert.equal(await get('/web/table'), null)
    await assert.rejects(set('/web/table', null), e => /value = null/.test(e))
  },
  async 'fragments of the server'() {
    const t = topic('/image', 'sensor_msgs/Image')
    const got = new Promise(ok => { ros.on('/image', m => { if (m.op === 'publish') ok(m) }) })
    ros.callOnConnection({ op: 'subscribe', id: 'f', topic: '/image', type: 'sensor_msgs/Image', fragment_size: 10000 })
    const m = await got
    assert.equal(Buffer.from(m.msg.data, 'base64').length, 320 * 240 * 3)
    ros.callOnConnection({ op: 'unsubscribe', id: 'f', topic: '/image' })
  },
  async 'fragments of the client'() {
    const echo = first(topic('/echo', 'nubot_common/OdoInfo'), m => m.Vx === 77)
    const text = JSON.stringify({ op: 'publish', topic: '/cmd', msg: { Vx: 77, header: { frame_id: 'ä'.repeat(50) } } })
    for (let i = 0; i < text.length; i += 20) {
      ros.callOnConnection({ op: 'fragment', id: 'x', data: text.slice(i, i + 20), num: i / 20, total: Math.ceil(text.length / 20) })
    }
    assert.equal((await echo).header.frame_id, 'ä'.repeat(50))
  },
  async 'levels of status'() {
    ros.setStatusLevel('none')
    ros.callOnConnection({ op: 'nonsense', id: 'quiet' })
    ros.setStatusLevel('error')
    const told = new Promise(ok => ros.once('status:loud', ok))
    ros.callOnConnection({ op: 'nonsense', id: 'loud' })
    assert.match((await told).msg, /op = "nonsense"/)
    assert.ok(!statuses.some(s => s.id === 'quiet'))
  },
  async 'garbage'() {
    const ws = new WebSocket(process.argv[2])
    const said = new Promise(ok => ws.on('message', m => ok(JSON.parse(m))))
    await new Promise(ok => ws.on('open', ok))
    ws.send('{"op":')
    assert.match((await said).msg, /must be a JSON object/)
    ws.close()
  },
  async 'pages of strangers'() {
    const status = origin => new Promise(ok => {
      const ws = new WebSocket(process.argv[2], { origin })
      ws.on('unexpected-response', (_, response) => ok(response.statusCode))
      ws.on('open', () => { ws.close(); ok(101) })
      ws.on('error', () => {})
    })
    assert.equal(await status('https://evil.example'), 403)
    assert.equal(await status('http://localhost:3000'), 101)
    assert.equal(await status('https://good.example'), 101)
  },
})
