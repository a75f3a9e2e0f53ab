// rayW returns the direction that a pixel looks along, in the world; for a pinhole with length 1 along the axis.
#ifdef TABLE
uniform sampler2D rays;
bool blind = false; // the pixel that was asked for sees nothing
vec3 rayW(vec2 pixel) {
	vec4 d = texelFetch(rays, ivec2(pixel), 0);
	blind = d.w == 0.0;
	return mat3(rotWC) * d.xyz;
}
#else
vec3 rayW(vec2 pixel) {
	vec2 m = (pixel - lens.zw) * lens.xy;
#ifdef MIRROR
	m *= mirror.y;
	float rho2 = dot(m, m);
	float xi = mirror.x;
	float eta = (xi + sqrt(max(1.0 + (1.0 - xi * xi) * rho2, 0.0))) / (1.0 + rho2);
	return mat3(rotWC) * vec3(eta * m, xi - eta);
#else
	return mat3(rotWC) * vec3(m, 1.0);
#endif
}
#endif
