// Foxglove's readers on our recordings: recording.mjs FILE…
// For each file a line: how many messages, channels and attachments the streaming reader finds, whether the recording ended, and how many
// messages the indexed reader finds in one that did.
import { McapIndexedReader, McapStreamReader } from '@mcap/core'
import { loadDecompressHandlers } from '@mcap/support'
import { open } from 'node:fs/promises'
import { assert, run } from './check.mjs'

const decompressHandlers = await loadDecompressHandlers()

/** What the streaming reader finds; the file may be cut. */
async function stream(file) {
  const found = { messages: 0, channels: new Set(), attachments: 0, ended: false, types: new Set() }
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true })
  for await (const part of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 16 })) {
    reader.append(part)
    for (let r; (r = reader.nextRecord()); ) {
      if (r.type === 'Message') {
        found.messages++
        assert(found.channels.has(r.channelId), 'a channel stands before its messages')
      }
      if (r.type === 'Channel') {
        found.channels.add(r.id)
        assert.equal(r.messageEncoding, 'ros1')
      }
      if (r.type === 'Schema') assert.equal(r.encoding, 'ros1msg')
      if (r.type === 'Header') assert.equal(r.profile, 'ros1')
      if (r.type === 'Metadata') assert.equal(r.name, 'omnipitch')
      if (r.type === 'Attachment') found.attachments++
      if (r.type === 'Footer') found.ended = true
    }
  }
  return found
}

/** How many messages the indexed reader finds, in the order of their log times. */
async function index(file) {
  const { size } = await file.stat()
  const readable = {
    size: async () => BigInt(size),
    read: async (at, n) => {
      const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(Number(n)), position: Number(at) })
      assert.equal(bytesRead, Number(n))
      return buffer
    },
  }
  let last = -1n, messages = 0
  for await (const m of (await McapIndexedReader.Initialize({ readable, decompressHandlers })).readMessages()) {
    assert(m.logTime >= last, 'messages are in order')
    last = m.logTime
    messages++
  }
  return messages
}

const checks = {}
for (const path of process.argv.slice(2)) {
  checks[path] = async () => {
    const file = await open(path)
    const found = await stream(file)
    const indexed = found.ended ? await index(file) : 'none'
    console.log(`${path}: ${found.messages} messages, ${found.channels.size} channels, ${found.attachments} attachments, ended ${found.ended}, indexed ${indexed}`)
    await file.close()
  }
}
await run(checks)
