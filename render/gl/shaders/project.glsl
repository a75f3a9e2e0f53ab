// project returns the clip position of a point in the optical frame.
#ifdef MIRROR
vec4 project(vec3 p) {
	// Unified model; the division by w makes (x, y)/(ξ|p| − z).
	float n = length(p);
	float w = mirror.x * n - p.z;
	float z = (range.y + range.x - 2.0 * range.y * range.x / n) / (range.y - range.x);
	return vec4(clip.x * p.x + clip.y * w, clip.z * p.y + clip.w * w, z * w, w);
}
#else
vec4 project(vec3 p) {
	float z = (range.y + range.x) / (range.y - range.x) * p.z - 2.0 * range.y * range.x / (range.y - range.x);
	return vec4(clip.x * p.x + clip.y * p.z, clip.z * p.y + clip.w * p.z, z, p.z);
}
#endif
