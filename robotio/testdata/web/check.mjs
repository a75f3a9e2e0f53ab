// What the scripts have in common: named checks that end, one after the other.
import assert from 'node:assert/strict'

export { assert }

/** Waits for a promise, but not for ever. */
export function soon(promise, what) {
  let timer
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('waited 40 s for ' + what)), 40000) })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Runs the checks in order and ends the program, with 1 where one failed. */
export async function run(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await soon(check(), name)
      console.log('ok ' + name)
    } catch (e) {
      console.log('FAILED ' + name + ': ' + (e?.stack ?? JSON.stringify(e)))
      process.exit(1)
    }
  }
  process.exit(0)
}
