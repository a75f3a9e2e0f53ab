in vec3 still;
#ifdef NATURAL
in vec3 below;
in float height;
#endif
in vec3 direct;
in vec3 shadeAt;
#ifdef PATTERN
in vec3 posP;
#endif
#if defined(BALL) || defined(TEXTURED)
#define COLORS // more than one per surface
in vec3 ambientLight, lampLight;
#endif
#ifdef BALL
flat in vec3 ground;
#endif
#ifdef COLORS
flat in vec3 other; // colour: of pentagons, or of the texture
#endif

uniform sampler2DShadow shadowMap;

out vec4 pixel;

#ifdef BALL
// The ball is a truncated icosahedron. The cosines to the twelve pentagons' centres determine the nearest one. A
// pentagon ends where the sum of the second and third largest exceeds 1.32235 times the largest, because its corners
// divide the icosahedron's edges at a third.
vec3 ballColor() {
	const float a = 0.5257311, b = 0.8506508;
	vec3 d = normalize(posP);
	vec3 s = abs(vec3(a * d.x + b * d.y, a * d.y + b * d.z, a * d.z + b * d.x));
	vec3 t = abs(vec3(a * d.x - b * d.y, a * d.y - b * d.z, a * d.z - b * d.x));
	// The largest three of the six; each of lo is below its partner in hi.
	vec3 lo = min(s, t), hi = max(s, t);
	float h1 = max(hi.x, max(hi.y, hi.z)), h3 = min(hi.x, min(hi.y, hi.z)), h2 = hi.x + hi.y + hi.z - h1 - h3;
	float l1 = max(lo.x, max(lo.y, lo.z)), l3 = min(lo.x, min(lo.y, lo.z)), l2 = lo.x + lo.y + lo.z - l1 - l3;
	float second = max(h2, l1), third = max(min(h2, l1), max(h3, l2));
	float edge = second + third - 1.32235 * h1;
	float w = max(fwidth(edge), 1e-4);
	return mix(other, ground, clamp(edge / w + 0.5, 0.0, 1.0));
}
#endif

#ifdef TEXTURED
uniform sampler2D surfaceMap;
#endif

#ifdef NET
// netCover is the fraction of the pixel that threads in both directions cover.
float netCover() {
	vec2 q = posP.xy;
	vec2 w = max(fwidth(q), 1e-5);
	const float pitch = NET_PITCH, thread = NET_THREAD; // as in package render
	// Integral of the thread's profile over the pixel's width.
	vec2 lo = (q - 0.5 * w) / pitch, hi = (q + 0.5 * w) / pitch;
	vec2 f = floor(hi) * thread + min(fract(hi) * pitch, vec2(thread)) - floor(lo) * thread - min(fract(lo) * pitch,
		vec2(thread));
	vec2 c = clamp(f / w, 0.0, 1.0);
	return 1.0 - (1.0 - c.x) * (1.0 - c.y);
}
#endif

void main() {
	vec3 radiance = still;
#ifdef NATURAL
	radiance -= below * (1.0 - clamp(height, 0.0, 1.0));
#endif
#ifdef COLORS
	vec3 light = ambientLight;
#endif
#ifndef SHADOWLESS
	float lit = texture(shadowMap, shadeAt);
	radiance += direct * lit;
#ifdef COLORS
	light += lampLight * lit;
#endif
#endif
#ifdef BALL
	radiance += ballColor() * light;
#endif
#ifdef TEXTURED
	radiance += textureMean(surfaceMap, posP.xy, dFdx(posP.xy), dFdy(posP.xy)) * other * light;
#endif
	float alpha = 1.0;
#ifdef NET
	alpha = netCover();
#endif
	pixel = vec4(min(radiance, 1.0) * alpha, alpha);
}
