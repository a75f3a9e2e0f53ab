import * as three from 'three'

const pixels = 64 // height of a label's image
const font = `600 ${pixels * 0.6}px system-ui, sans-serif`

function sprite(width, draw, size) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = pixels
  draw(canvas.getContext('2d'), width)
  const map = new three.CanvasTexture(canvas)
  map.colorSpace = three.SRGBColorSpace
  const s = new three.Sprite(new three.SpriteMaterial({ map, sizeAttenuation: false, depthTest: false, transparent: true }))
  s.scale.set(size * width / pixels, size, 1)
  s.center.set(0.5, 0) // its lower edge is at its position
  s.renderOrder = 10
  return s
}

/** badge is a robot's number on a bright disc for cyan, on a dark square for magenta, as in the view from above. */
export function badge(robot, colors) {
  const magenta = robot.team === 'magenta'
  return sprite(pixels, c => {
    c.fillStyle = magenta ? colors.magenta : colors.cyan
    c.strokeStyle = '#000'
    c.lineWidth = 3
    c.beginPath()
    if (magenta) c.roundRect(4, 4, pixels - 8, pixels - 8, 6)
    else c.arc(pixels / 2, pixels / 2, pixels / 2 - 3, 0, 2 * Math.PI)
    c.fill()
    c.stroke()
    c.fillStyle = magenta ? '#fff' : '#06222a'
    c.font = font
    c.textAlign = 'center'
    c.textBaseline = 'middle'
    c.fillText(String(robot.number), pixels / 2, pixels * 0.54)
  }, 0.034)
}

/** text is white on a dark plate. */
export function text(words) {
  const c = document.createElement('canvas').getContext('2d')
  c.font = font
  return sprite(Math.ceil(c.measureText(words).width) + 24, (c, width) => {
    c.fillStyle = '#000a'
    c.beginPath()
    c.roundRect(0, 4, width, pixels - 8, 10)
    c.fill()
    c.fillStyle = '#fff'
    c.font = font
    c.textAlign = 'center'
    c.textBaseline = 'middle'
    c.fillText(words, width / 2, pixels * 0.54)
  }, 0.03)
}
