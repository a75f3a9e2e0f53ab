import * as three from 'three'
import { netMaterial, soccerBallMaterial } from './material3d.js'

const arrays = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array }, widths = { SCALAR: 1, VEC2: 2, VEC3: 3 }
const wraps = { 10497: three.RepeatWrapping, 33071: three.ClampToEdgeWrapping, 33648: three.MirroredRepeatWrapping }

/** readShapes makes a group for each body of api/scene.glb, in map axes: { bodies, materials }. Moving bodies have userData.moving. */
export async function readShapes(data) {
  const view = new DataView(data), length = view.getUint32(12, true)
  const doc = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 20, length))), start = 20 + length + 8
  const bytes = v => new Uint8Array(data, start + v.byteOffset, v.byteLength)
  const attribute = i => {
    const a = doc.accessors[i], kind = arrays[a.componentType], width = widths[a.type]
    return new three.BufferAttribute(new kind(data, start + doc.bufferViews[a.bufferView].byteOffset, a.count * width), width)
  }
  const textures = await Promise.all((doc.textures ?? []).map(async t => {
    const image = doc.images[t.source], sampler = doc.samplers[t.sampler]
    const texture = new three.Texture(await createImageBitmap(new Blob([bytes(doc.bufferViews[image.bufferView])], { type: image.mimeType })))
    texture.flipY = false
    texture.colorSpace = three.SRGBColorSpace
    texture.wrapS = wraps[sampler.wrapS]
    texture.wrapT = wraps[sampler.wrapT]
    texture.anisotropy = 4
    texture.needsUpdate = true
    return texture
  }))
  const materials = (doc.materials ?? []).map(m => material(m, textures))
  const geometries = (doc.meshes ?? []).map(m => m.primitives.map(p => {
    const geometry = new three.BufferGeometry()
    geometry.setAttribute('position', attribute(p.attributes.POSITION))
    geometry.setAttribute('normal', attribute(p.attributes.NORMAL))
    if (p.attributes.TEXCOORD_0 !== undefined) geometry.setAttribute('uv', attribute(p.attributes.TEXCOORD_0))
    if (p.attributes.COLOR_0 !== undefined) {
      geometry.setAttribute('color', attribute(p.attributes.COLOR_0))
      materials[p.material].vertexColors = true
    }
    geometry.setIndex(attribute(p.indices))
    return { geometry, material: p.material }
  }))
  const bodies = doc.nodes[0].children.map(i => {
    const node = doc.nodes[i], group = new three.Group()
    group.name = node.name
    group.userData = node.extras ?? {}
    group.position.fromArray(node.translation)
    group.quaternion.fromArray(node.rotation)
    for (const { geometry, material } of geometries[node.mesh] ?? []) {
      const mesh = new three.Mesh(geometry, materials[material])
      mesh.castShadow = mesh.receiveShadow = !materials[material].transparent
      group.add(mesh)
    }
    return group
  })
  return { bodies, materials }
}

/** material is matt: its colour is its reflectance. */
function material(m, textures) {
  const extras = m.extras ?? {}, color = colorOf(extras.color ?? m.pbrMetallicRoughness.baseColorFactor)
  switch (extras.pattern) {
    case 'soccer_ball': return soccerBallMaterial(color, colorOf(extras.color2))
    case 'net': return netMaterial(color, extras.pitch_m, extras.thread_m)
  }
  return new three.MeshLambertMaterial({ color, map: textures[m.pbrMetallicRoughness.baseColorTexture?.index] ?? null })
}

/** colorOf is a colour of linear red, green and blue. */
export const colorOf = ([r, g, b]) => new three.Color().setRGB(r, g, b, three.LinearSRGBColorSpace)
