import { byId } from './dom.js'

/** Tabs shows one of several panels. It follows ARIA's tab pattern: arrows, Home and End move between tabs. */
export class Tabs {
  constructor(list) {
    this.tabs = [...list.querySelectorAll('[role=tab]')]
    this.shown = [] // functions to call when panels are shown or hidden
    this.tabs.forEach(tab => tab.addEventListener('click', () => this.choose(tab)))
    list.addEventListener('keydown', e => this.key(e))
    this.choose(this.tabs.find(tab => `#tab=${this.name(tab)}` === location.hash) ?? this.tabs[0])
  }

  /** onShow calls f now, and whenever a panel or the whole page is shown or hidden. */
  onShow(name, f) {
    const tell = () => f(this.chosen === name && !document.hidden)
    this.shown.push(tell)
    document.addEventListener('visibilitychange', tell)
    tell()
  }

  name(tab) { return tab.getAttribute('aria-controls') }

  choose(tab) {
    this.chosen = this.name(tab)
    for (const one of this.tabs) {
      one.setAttribute('aria-selected', String(one === tab))
      one.tabIndex = one === tab ? 0 : -1
      byId(this.name(one)).hidden = one !== tab
    }
    history.replaceState(null, '', `#tab=${this.chosen}`) // A reloaded page shows the same tab. No element has this name, so browsers do not move the focus.
    this.shown.forEach(tell => tell())
  }

  key(e) {
    const i = this.tabs.indexOf(e.target), last = this.tabs.length - 1
    const to = { ArrowRight: i < last ? i + 1 : 0, ArrowLeft: i > 0 ? i - 1 : last, Home: 0, End: last }[e.key]
    if (i < 0 || to === undefined) return
    e.preventDefault()
    this.tabs[to].focus()
    this.choose(this.tabs[to])
  }
}
