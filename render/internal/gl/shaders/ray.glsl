flat in vec3 rayColumn, rayRow, rayFirst, rayRest, eye, fullLight;
flat in vec4 lensAt, bending;
flat in vec2 hallHalf;

// rayW returns the viewing direction of a pixel in the world; for a pinhole with length 1 along the axis.
#ifdef TABLE
uniform sampler2D rays;
bool blind = false; // whether the optics do not image the last pixel
vec3 rayW(vec2 pixel) {
	vec4 d = texelFetch(rays, ivec2(pixel), 0);
	blind = d.w == 0.0;
	return rayColumn * d.x + rayRow * d.y + rayFirst * d.z;
}
#else
vec3 rayW(vec2 pixel) {
	vec3 d = rayColumn * pixel.x + rayRow * pixel.y + rayFirst;
#ifdef MIRROR
	vec2 m = pixel * lensAt.xy + lensAt.zw;
	float rho2 = dot(m, m);
	return d * ((bending.x + sqrt(max(1.0 + bending.y * rho2, 0.0))) / (1.0 + rho2)) + rayRest;
#else
	return d;
#endif
}
#endif

// vignette is the fraction of light that reaches a pixel.
float vignette(vec2 pixel) {
	vec2 m = pixel * lensAt.xy + lensAt.zw;
	float c2 = 1.0 / (1.0 + dot(m, m) * bending.z);
	return mix(1.0, c2 * c2, bending.w);
}

// toWalls returns how many times a viewing direction leads to the walls at ±x and ±y.
vec2 toWalls(vec3 d) {
	return (vec2(d.x < 0.0 ? -hallHalf.x : hallHalf.x, d.y < 0.0 ? -hallHalf.y : hallHalf.y) - eye.xy) / d.xy;
}

// meetsFloor reports whether a direction meets the floor before the nearest wall, to which it leads wall times.
bool meetsFloor(vec3 d, float wall) { return d.z < 0.0 && -eye.z > d.z * wall; }
