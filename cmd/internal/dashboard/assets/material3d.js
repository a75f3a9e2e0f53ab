import * as three from 'three'

// A matt material. A piece of GLSL changes its colour by the position on the mesh.
function patterned(color, key, head, body, more = {}) {
  const material = new three.MeshLambertMaterial({ color, ...more })
  material.customProgramCacheKey = () => key
  material.onBeforeCompile = shader => {
    shader.uniforms.color2 = { value: material.userData.color2 ?? new three.Color() }
    shader.vertexShader = shader.vertexShader.replace('#include <common>', '#include <common>\nvarying vec3 placeM;').replace('#include <begin_vertex>', '#include <begin_vertex>\n' +
      (key === 'net' ? 'placeM = vec3(uv, 0.0);' : 'placeM = position;'))
    shader.fragmentShader = shader.fragmentShader.replace('#include <common>', `#include <common>\nvarying vec3 placeM;\nuniform vec3 color2;\n${head}`).replace('#include <color_fragment>', body)
  }
  return material
}

// As in render/internal/gl/shaders/mesh.frag: on a truncated icosahedron, cosines give the nearest of the twelve pentagon
// centres. A pentagon ends where the sum of the second and third cosine exceeds 1.32235 times the first.
const pentagons = `
float pentagonEdge(vec3 p) {
  const float a = 0.5257311, b = 0.8506508;
  vec3 d = normalize(p);
  vec3 s = abs(vec3(a * d.x + b * d.y, a * d.y + b * d.z, a * d.z + b * d.x));
  vec3 t = abs(vec3(a * d.x - b * d.y, a * d.y - b * d.z, a * d.z - b * d.x));
  vec3 lo = min(s, t), hi = max(s, t);
  float h1 = max(hi.x, max(hi.y, hi.z)), h3 = min(hi.x, min(hi.y, hi.z)), h2 = hi.x + hi.y + hi.z - h1 - h3;
  float l1 = max(lo.x, max(lo.y, lo.z)), l3 = min(lo.x, min(lo.y, lo.z)), l2 = lo.x + lo.y + lo.z - l1 - l3;
  return max(h2, l1) + max(min(h2, l1), max(h3, l2)) - 1.32235 * h1;
}`

/** soccerBallMaterial has black pentagons on a ball. */
export function soccerBallMaterial(color, color2) {
  const material = patterned(color, 'soccer_ball', pentagons, `
    float edge = pentagonEdge(placeM);
    diffuseColor.rgb = mix(color2, diffuseColor.rgb, clamp(edge / max(fwidth(edge), 1e-4) + 0.5, 0.0, 1.0));`)
  material.userData.color2 = color2
  return material
}

/** netMaterial has threads in both directions, and holes. The alpha of a pixel is the fraction that threads cover, as in render/internal/gl/shaders/mesh.frag. */
export function netMaterial(color, pitch, thread) {
  const f = x => x.toFixed(6)
  return patterned(color, 'net', '', `
    vec2 q = placeM.xy, w = max(fwidth(q), 1e-5);
    vec2 lo = (q - 0.5 * w) / ${f(pitch)}, hi = (q + 0.5 * w) / ${f(pitch)};
    vec2 c = clamp((floor(hi) * ${f(thread)} + min(fract(hi) * ${f(pitch)}, vec2(${f(thread)})) - floor(lo) * ${f(thread)} - min(fract(lo) * ${f(pitch)}, vec2(${f(thread)}))) / w, 0.0, 1.0);
    diffuseColor.a *= 1.0 - (1.0 - c.x) * (1.0 - c.y);`, { transparent: true, depthWrite: false, side: three.DoubleSide })
}
