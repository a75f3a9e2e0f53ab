#ifdef VERTEX
#ifdef LAYERS
uniform samplerBuffer poses; // the columns of all bodies' matrices
mat4 poseOf(int body) {
	return mat4(texelFetch(poses, 4 * body), texelFetch(poses, 4 * body + 1), texelFetch(poses, 4 * body + 2),
		texelFetch(poses, 4 * body + 3));
}
#define poseWB poseOf(instance.y)
#else
uniform mat4 poseWB;
#endif
#endif

// project returns the clip position of a point in the optical frame.
#ifdef MIRROR
vec4 project(vec3 p) {
	// Unified model; the division by w gives (x, y)/(ξ|p| − z).
	float n = length(p);
	float w = mirror.x * n - p.z;
	float z = (range.y + range.x - 2.0 * range.y * range.x / n) / (range.y - range.x);
	return vec4(clip.x * p.x + clip.y * w, clip.z * p.y + clip.w * w, z * w, w);
}
#elif defined(TABLE)
uniform sampler2D seen; // pixel positions by stereographic direction

vec2 stereographic(vec3 p) {
	float n = length(p);
	return p.xy / max(n + mirror.x * p.z, 1e-4 * n);
}

// inTable is negative beyond the end of the table.
float inTable(vec3 p) { return mirror.z - length(stereographic(p)); }

vec4 project(vec3 p) {
	float n = length(p);
	float w = n + mirror.x * p.z;
	vec2 s = stereographic(p);
	vec2 at = textureLod(seen, s * mirror.y + 0.5, 0.0).xy + 0.5;
	float z = (range.y + range.x - 2.0 * range.y * range.x / n) / (range.y - range.x);
	return vec4((at * range.zw - 1.0) * w, z * w, w);
}
#else
vec4 project(vec3 p) {
	float z = (range.y + range.x) / (range.y - range.x) * p.z - 2.0 * range.y * range.x / (range.y - range.x);
	return vec4(clip.x * p.x + clip.y * p.z, clip.z * p.y + clip.w * p.z, z, p.z);
}
#endif
