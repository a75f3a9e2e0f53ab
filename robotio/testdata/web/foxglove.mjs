// The client of @foxglove/ws-protocol against our server: foxglove.mjs URL SUBPROTOCOL
import foxglove from '@foxglove/ws-protocol'
import WebSocket from 'ws'
import { assert, run, soon } from './check.mjs'

const [, , url, protocol] = process.argv
const channels = new Map(), services = new Map(), removed = []
const statuses = []
let client, info

const has = (map, name) => soon((async () => {
  while (!map.get(name)) await new Promise(ok => setImmediate(ok))
  return map.get(name)
})(), name)

/** The next event that satisfies want. */
function next(event, want = () => true) {
  return soon(new Promise(ok => {
    const f = e => { if (want(e)) { client.off(event, f); ok(e) } }
    client.on(event, f)
  }), event)
}

/** The first message of a topic. */
async function first(topic, want = () => true) {
  const c = await has(channels, topic)
  let id = -1
  const got = next('message', m => m.subscriptionId === id && want(m))
  id = client.subscribe(c.id)
  const m = await got
  client.unsubscribe(id)
  return m
}

const vx = m => m.data.getFloat32(16 + m.data.getUint32(12, true), true) // behind seq, stamp and frame_id

/** An OdoInfo. */
function odo(v) {
  const b = new Uint8Array(16 + 3 * 4 + 2)
  new DataView(b.buffer).setFloat32(16, v, true)
  return b
}

await run({
  async connect() {
    const ws = new WebSocket(url, [protocol])
    client = new foxglove.FoxgloveClient({ ws })
    client.on('advertise', l => l.forEach(c => channels.set(c.topic, c)))
    client.on('unadvertise', l => { for (const [t, c] of channels) if (l.includes(c.id)) { channels.delete(t); removed.push(t) } })
    client.on('advertiseServices', l => l.forEach(s => services.set(s.name, s)))
    client.on('unadvertiseServices', l => { for (const [n, s] of services) if (l.includes(s.id)) { services.delete(n); removed.push(n) } })
    client.on('status', s => statuses.push(s))
    info = await next('serverInfo')
    assert.equal(ws.protocol, protocol)
    assert.equal(info.name, 'omnipitch')
    for (const c of ['clientPublish', 'parameters', 'parametersSubscribe', 'services', 'connectionGraph', 'time']) assert.ok(info.capabilities.includes(c), c)
    assert.ok(info.supportedEncodings.includes('ros1'))
  },
  async channels() {
    const c = await has(channels, '/odo')
    assert.equal(c.encoding, 'ros1')
    assert.equal(c.schemaEncoding, 'ros1msg')
    assert.equal(c.schemaName, 'nubot_common/OdoInfo')
    assert.match(c.schema, /float32 Vx[^]*={80}\nMSG: std_msgs\/Header/)
  },
  async time() {
    const t = await next('time', e => e.timestamp > 100_000_000_000n)
    assert.ok(t.timestamp < 1_000_000_000_000n)
  },
  async message() {
    const m = await first('/odo')
    assert.equal(vx(m), 120.5)
    assert.ok(m.timestamp > 100_000_000_000n && m.timestamp < 1_000_000_000_000n, 'sim time')
  },
  async 'latched, a second time'() { assert.equal(vx(await first('/odo')), 120.5) },
  async image() {
    const m = await first('/image')
    assert.equal(m.data.getUint8(m.data.byteLength - 1), (320 * 240 * 3 - 1) * 7 % 256)
  },
  async publish() {
    const got = first('/echo', m => vx(m) === -3)
    const id = client.advertise({ topic: '/cmd', encoding: 'ros1', schemaName: 'nubot_common/OdoInfo' })
    client.sendMessage(id, odo(-3))
    await got
    client.unadvertise(id)
  },
  async 'publish JSON'() {
    const got = first('/echo', m => vx(m) === 8.5)
    const id = client.advertise({ topic: '/cmd', encoding: 'json', schemaName: 'nubot_common/OdoInfo' })
    client.sendMessage(id, new TextEncoder().encode('{"Vx": 8.5}'))
    await got
    const told = next('status')
    client.sendMessage(id, new TextEncoder().encode('{"speed": 8.5}'))
    assert.match((await told).message, /topic \/cmd: message nubot_common\/OdoInfo: speed: no such field/)
    client.unadvertise(id)
  },
  async 'publish a message cut short'() {
    const id = client.advertise({ topic: '/cmd', encoding: 'ros1', schemaName: 'nubot_common/OdoInfo' })
    const told = next('status')
    client.sendMessage(id, odo(1).subarray(0, 20))
    const s = await told
    assert.equal(s.level, 2)
    assert.match(s.message, /ends too early/)
  },
  async 'publish a type that only the client knows'() {
    const id = client.advertise({ topic: '/web/new', encoding: 'ros1', schemaName: 'web_msgs/New', schemaEncoding: 'ros1msg', schema: 'int16 x' })
    const got = first('/web/new')
    const timer = setInterval(() => client.sendMessage(id, new Uint8Array([5, 0])), 50)
    const m = await got
    clearInterval(timer)
    assert.equal(m.data.getInt16(0, true), 5)
    assert.equal(channels.get('/web/new').schemaName, 'web_msgs/New')
    client.unadvertise(id)
    await soon((async () => { while (!removed.includes('/web/new')) await new Promise(ok => setTimeout(ok, 5)) })(), 'the topic to go')
  },
  async 'call a service'() {
    const s = await has(services, '/Shoot')
    assert.equal(s.type, 'nubot_common/Shoot')
    assert.match(s.request.schema, /float32 strength/)
    const data = new DataView(new ArrayBuffer(12))
    data.setFloat32(0, 3, true)
    const answer = next('serviceCallResponse', r => r.callId === 77)
    client.sendServiceCallRequest({ serviceId: s.id, callId: 77, encoding: 'ros1', data })
    const r = await answer
    assert.equal(r.encoding, 'ros1')
    assert.equal(new DataView(r.data.buffer, r.data.byteOffset).getBigInt64(0, true), 3n)
    const json = next('serviceCallResponse', r => r.callId === 78)
    client.sendServiceCallRequest({ serviceId: s.id, callId: 78, encoding: 'json', data: new TextEncoder().encode('{"strength":4}') })
    assert.deepEqual(JSON.parse(new TextDecoder().decode((await json).data)), { ShootIsDone: 4 })
    const failure = next('serviceCallFailure', r => r.callId === 79)
    client.sendServiceCallRequest({ serviceId: s.id, callId: 79, encoding: 'json', data: new TextEncoder().encode('{"strength":-4}') })
    assert.match((await failure).message, /strength = -4: must not be negative/)
    const none = next('serviceCallFailure', r => r.callId === 80)
    client.sendServiceCallRequest({ serviceId: 123456, callId: 80, encoding: 'ros1', data })
    assert.match((await none).message, /service 123456: is not advertised/)
  },
  async parameters() {
    const get = async (names, id) => { const v = next('parameterValues', e => e.id === id); client.getParameters(names, id); return (await v).parameters }
    assert.deepEqual(await get(['/speed', '/none'], 'a'), [{ name: '/speed', value: 2.5, type: 'float64' }])
    const update = next('parameterValues', e => e.parameters[0]?.name === '/web/x' && e.parameters[0].value === 2)
    client.subscribeParameterUpdates(['/web/x'])
    const set = next('parameterValues', e => e.id === 'b')
    client.setParameters([{ name: '/web/x', value: 2, type: 'float64' }, { name: '/web/l', value: [1, 'y'] }], 'b')
    assert.deepEqual((await set).parameters, [{ name: '/web/x', value: 2, type: 'float64' }, { name: '/web/l', value: [1, 'y'] }])
    await update
    assert.ok((await get([], 'c')).some(p => p.name === '/web/l'))
    const other = next('parameterValues', e => e.parameters[0]?.value === 9.5)
    console.log('watching /web/x')
    await other
    client.setParameters([{ name: '/web/l' }], 'd')
    await next('parameterValues', e => e.id === 'd')
    assert.deepEqual(await get(['/web/l'], 'e'), [])
  },
  async 'connection graph'() {
    const graph = next('connectionGraphUpdate')
    client.subscribeConnectionGraph()
    const g = await graph
    assert.deepEqual(g.publishedTopics.find(t => t.name === '/odo').publisherIds, ['/sim'])
    assert.deepEqual(g.subscribedTopics.find(t => t.name === '/cmd').subscriberIds, ['/sim'])
    assert.deepEqual(g.advertisedServices.find(t => t.name === '/Shoot').providerIds, ['/sim'])
    const change = next('connectionGraphUpdate', u => u.publishedTopics.some(t => t.name === '/late'))
    const gone = next('connectionGraphUpdate', u => u.removedTopics.includes('/late'))
    console.log('watching the graph')
    await change
    const c = await has(channels, '/late')
    assert.equal(c.schemaName, 'std_msgs/Int32')
    console.log('seen /late')
    await gone
  },
  async 'a topic that comes back with another type'() {
    await soon((async () => { while (channels.get('/late')?.schemaName !== 'std_msgs/String') await new Promise(ok => setTimeout(ok, 5)) })(), 'the new type')
    const m = await first('/late')
    assert.equal(new TextDecoder().decode(new DataView(m.data.buffer, m.data.byteOffset + 4)), 'later')
  },
  async 'nonsense'() {
    const ws = client
    for (const f of [() => ws.subscribe(999999), () => ws.unsubscribe(12345), () => ws.unadvertise(4242), () => ws.sendMessage(4243, odo(1)), () => ws.fetchAsset('package://x', 1)]) {
      const told = next('status')
      f()
      assert.equal((await told).level, 2)
    }
  },
  async 'other subprotocols and pages of strangers'() {
    const status = (protocols, origin) => new Promise(ok => {
      const ws = new WebSocket(url, protocols, { origin })
      ws.on('unexpected-response', (_, response) => ok(response.statusCode))
      ws.on('open', () => { ws.close(); ok(101) })
      ws.on('error', () => {})
    })
    assert.equal(await status(['chat']), 400)
    assert.equal(await status([]), 400)
    assert.equal(await status([protocol], 'https://evil.example'), 403)
    assert.equal(await status([protocol], 'https://app.foxglove.dev'), 101)
    assert.equal(await status([protocol], 'https://good.example'), 101)
  },
})
