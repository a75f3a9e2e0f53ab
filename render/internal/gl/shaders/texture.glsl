
const int TAPS = 4; // as render.TextureTaps

// textureMean is a texture's mean over the footprint (a, b) of a pixel, as in package rays.
vec3 textureMean(sampler2D map, vec2 at, vec2 a, vec2 b) {
	vec2 size = vec2(textureSize(map, 0)), p = a * size, q = b * size;
	float square = max(max(dot(p, p), dot(q, q)), 1e-20);
	float narrow = abs(p.x * q.y - p.y * q.x) / sqrt(square);
	float spread = sqrt(max(square - narrow * narrow, 0.0));
	float level = log2(max(max(narrow, spread / float(TAPS)), 1.0));
	vec2 between = (dot(q, q) > dot(p, p) ? b : a) * (spread / sqrt(square) / float(TAPS));
	vec3 sum = vec3(0.0);
	for (int i = 0; i < TAPS; i++) {
		sum += textureLod(map, at + between * (float(i) - 0.5 * float(TAPS - 1)), level).rgb;
	}
	return sum / float(TAPS);
}
