import { html, setText } from './dom.js'

let forms = 0 // number of forms so far, for ids

/** words turns a key into words: way_points_m becomes way points. */
const words = text => text.replaceAll('_', ' ').trim()

const units = { deg: '°', 'deg/s': '°/s' }

/** labelOf returns a key's label, with its unit. */
function labelOf({ key, unit, type }) {
  if (!unit || type === 'integer') return words(key)
  const end = `_${unit.toLowerCase().replaceAll('/', '_').replaceAll('²', '2')}`
  return `${words(key.toLowerCase().endsWith(end) ? key.slice(0, -end.length) : key)} (${units[unit] ?? unit})`
}

/** ruleOf returns the rule for a key's value, without the part that its input shows. */
const ruleOf = ({ rule = '' }) => rule.replace(/^required(, )?/, '').replace(/^in \[-2\^63, 2\^63-1\]/, '').replace(/(^|, )one of .*$/, '')

/** Form is a form for the keys of an action, made from /api/actions. */
export class Form {
  constructor(action, world) {
    this.action = action
    this.world = world
    this.id = `form${++forms}`
    this.inputs = new Map()
    this.element = html('div', { class: 'form' }, ...action.keys.map(key => this.row(key)))
    for (const key of ['robot', 'sensor']) this.inputs.get(key)?.addEventListener('change', () => this.follow(key))
    this.follow('robot')
  }

  row(key) {
    const id = `${this.id}-${key.key}`, hint = [key.about, ruleOf(key)].filter(Boolean).join('; ')
    const input = this.input(key, { id, 'aria-describedby': `${id}-hint ${id}-wrong`, 'aria-required': key.required ? 'true' : undefined })
    this.inputs.set(key.key, input)
    const label = html('label', { for: id }, labelOf(key) + (key.required ? ' *' : ''))
    const list = key.keys ? [html('dl', { class: 'keys' }, ...key.keys.flatMap(k => [html('dt', {}, k.key), html('dd', {}, [k.about, k.rule].filter(Boolean).join('; '))]))] : []
    return html('div', { class: input.type === 'textarea' ? 'row wide' : 'row' }, label, input, html('p', { class: 'hint', id: `${id}-hint` }, hint), html('p', { class: 'wrong', id: `${id}-wrong` }), ...list)
  }

  input(key, attributes) {
    const choices = key.choices ?? key.names
    if (choices || key.key === 'sensor' || key.key === 'level') {
      const select = html('select', attributes)
      if (choices) this.fill(select, choices, key)
      return select
    }
    if (key.key === 'color') return html('input', { ...attributes, type: 'color', value: '#ffb000' })
    switch (key.type) {
      case 'boolean': return html('input', { ...attributes, type: 'checkbox' })
      case 'number': return html('input', { ...attributes, type: 'number', step: 'any', placeholder: key.default })
      case 'integer': return html('input', { ...attributes, type: 'number', step: 1, placeholder: key.default })
      case 'string': return html('input', { ...attributes, type: 'text', placeholder: key.default?.replaceAll('"', ''), autocomplete: 'off' })
    }
    const table = `{${(key.keys ?? []).slice(0, 2).map(k => `"${k.key}": …`).join(', ')}}`
    return html('textarea', { ...attributes, rows: 3, spellcheck: 'false', placeholder: `JSON: ${key.type.startsWith('array') ? `[${table}]` : table}` })
  }

  fill(select, choices, key) {
    const was = select.value
    select.replaceChildren(...(key.required ? [] : [html('option', { value: '' }, 'left out')]), ...choices.map(text => html('option', { value: text }, key.choices ? words(text) : text)))
    if (choices.includes(was)) select.value = was
  }

  /** follow lists the sensors of the chosen robot, and the levels of the chosen sensor. */
  follow(changed) {
    const robot = this.world.robots.find(r => r.name === this.inputs.get('robot')?.value)
    const of = key => this.action.keys.find(k => k.key === key)
    if (changed === 'robot' && this.inputs.has('sensor')) this.fill(this.inputs.get('sensor'), (robot?.sensors ?? []).map(s => s.name), of('sensor'))
    if (this.inputs.has('level')) this.fill(this.inputs.get('level'), robot?.sensors.find(s => s.name === this.inputs.get('sensor').value)?.levels ?? [], of('level'))
  }

  /** value returns the action's table. It throws if a text is not JSON. */
  value() {
    const table = {}
    for (const key of this.action.keys) {
      const input = this.inputs.get(key.key)
      if (input.type === 'checkbox') {
        if (input.checked || key.required) table[key.key] = input.checked
      } else if (input.type === 'number') {
        if (input.validity.badInput) throw this.error(key.key, `${key.key}: must be a number`)
        if (input.value !== '') table[key.key] = input.valueAsNumber
      } else if (input.type === 'textarea') {
        if (input.value.trim() === '') continue
        try {
          table[key.key] = JSON.parse(input.value)
        } catch (error) {
          throw this.error(key.key, `${key.key} is no JSON: ${error.message}`)
        }
      } else if (input.value !== '') {
        table[key.key] = input.value
      }
    }
    return { [this.action.key]: table }
  }

  error(key, text) { return Object.assign(new Error(text), { key }) }

  /** wrong shows an error next to its key, and returns whether there is one; without a key it clears all errors. */
  wrong(error) {
    this.inputs.forEach((input, key) => {
      const is = error?.key === key
      if (is) input.setAttribute('aria-invalid', 'true')
      else input.removeAttribute('aria-invalid')
      setText(this.element.querySelector(`#${this.id}-${key}-wrong`), is ? error.message : '')
      if (is) input.focus()
    })
    return this.inputs.has(error?.key)
  }
}
