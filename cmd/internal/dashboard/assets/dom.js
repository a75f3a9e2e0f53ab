const svgSpace = 'http://www.w3.org/2000/svg'

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

/** html makes an HTML element with attributes and children. */
export const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children)

/** svg makes an SVG element. */
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(svgSpace, tag), attributes, children)

/** byId returns an element of the page. */
export const byId = id => document.getElementById(id)

/** setText changes a text only if it differs, because screen readers announce changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
