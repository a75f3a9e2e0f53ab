in vec3 posW;
in vec3 normalW;
flat in vec4 color;
flat in vec4 color2;
#ifdef PATTERN
in vec3 posP;
#endif

uniform sampler2DShadow shadowMap;

out vec4 pixel;

// lit is the share of the lamp that reaches a point, by the heights that the lamp sees.
float lit(vec3 p, vec3 n) {
	p += 0.012 * n;
	vec2 at = (p.xy - p.z * shadow.xy) * floorLight.xy + floorLight.zw;
	float ref = 1.0 - (p.z + 0.012) / shadow.z;
	vec2 t = 0.75 * vec2(shadow.w, shadow.w * floorLight.y / floorLight.x);
	return 0.5 * (texture(shadowMap, vec3(at + t * vec2(0.7, 0.35), ref)) + texture(shadowMap, vec3(at - t * vec2(0.7, 0.35), ref)));
}

#ifdef BALL
// On a truncated icosahedron the nearest of the twelve pentagons' centres are told by their cosines; a pentagon ends
// where the sum of the second and third exceeds 1.32235 times the first (the corners lie at a third of the
// icosahedron's edges), and seams run where the third and fourth are equal.
vec3 ballColor() {
	const float a = 0.5257311, b = 0.8506508;
	vec3 d = normalize(posP);
	vec3 s = abs(vec3(a * d.x + b * d.y, a * d.y + b * d.z, a * d.z + b * d.x));
	vec3 t = abs(vec3(a * d.x - b * d.y, a * d.y - b * d.z, a * d.z - b * d.x));
	vec3 lo = min(s, t), hi = max(s, t);
	// Sort the six far enough to know the largest four.
	float c1 = max(hi.x, max(hi.y, hi.z));
	float h3 = min(hi.x, min(hi.y, hi.z));
	float h2 = hi.x + hi.y + hi.z - c1 - h3;
	float l1 = max(lo.x, max(lo.y, lo.z));
	float l3 = min(lo.x, min(lo.y, lo.z));
	float l2 = lo.x + lo.y + lo.z - l1 - l3;
	float c2 = max(h2, min(c1, l1));
	float top = max(c1, l1);
	c2 = max(min(c1, l1), h2);
	float c3 = max(min(h2, l1), max(h3, l2));
	c3 = min(c3, c2);
	float edge = c2 + c3 - 1.32235 * top;
	float w = max(fwidth(edge), 1e-4);
	return mix(color2.rgb, color.rgb, clamp(edge / w + 0.5, 0.0, 1.0));
}
#endif

#ifdef NET
// Threads 4 mm thick every 8 cm, both ways.
float netCover() {
	vec2 q = posP.xy;
	vec2 w = max(fwidth(q), 1e-5);
	const float pitch = 0.08, thread = 0.004;
	// Integral of the thread's profile over the pixel's width.
	vec2 lo = (q - 0.5 * w) / pitch, hi = (q + 0.5 * w) / pitch;
	vec2 f = floor(hi) * thread + min(fract(hi) * pitch, vec2(thread)) - floor(lo) * thread - min(fract(lo) * pitch, vec2(thread));
	vec2 c = clamp(f / w, 0.0, 1.0);
	return 1.0 - (1.0 - c.x) * (1.0 - c.y);
}
#endif

void main() {
	vec3 n = normalize(normalW);
	vec3 view = normalize(eyeW.xyz - posW);
#ifdef BALL
	vec3 albedo = ballColor();
#else
	vec3 albedo = color.rgb;
#endif
	float direct = max(dot(n, toLamp.xyz), 0.0);
	direct *= lit(posW, n);
	float gloss = color2.a;
	vec3 light = ambient(n) * (0.55 + 0.45 * clamp(posW.z * 4.0, 0.0, 1.0)) + lamp.rgb * direct;
	// Highlight of the lamp, and the surroundings in the mirror direction: carpet below, hall above.
	vec3 h = normalize(view + toLamp.xyz);
	float shininess = color.a * 255.0;
	float highlight = pow(max(dot(n, h), 0.0), shininess) * (shininess + 8.0) / 25.0 * direct;
	vec3 r = reflect(-view, n);
	float fresnel = gloss + (1.0 - gloss) * 0.25 * gloss * pow(1.0 - max(dot(n, view), 0.0), 5.0);
	vec3 around = mix(carpet.rgb * (lamp.rgb * toLamp.z + sky.rgb), mix(hallWall.rgb, background.rgb, clamp(r.z, 0.0, 1.0)), smoothstep(-0.05, 0.05, r.z));
	vec3 radiance = albedo * light * (1.0 - gloss) + fresnel * (around + lamp.rgb * highlight);
	float alpha = 1.0;
#ifdef NET
	alpha = netCover();
#endif
	pixel = vec4(radiance * vignette(gl_FragCoord.xy), alpha);
}
