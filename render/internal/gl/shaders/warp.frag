// The image of a camera, from a cube map of its surroundings: the mean of four directions within each pixel.
uniform samplerCube cube;

out vec4 pixel;

void main() {
	vec3 d = rayW(gl_FragCoord.xy), dx = dFdx(d), dy = dFdy(d);
#ifdef TABLE
	if (fwidth(float(blind)) > 0.0) dx = dy = vec3(0.0); // a neighbour has no direction
#endif
	vec3 radiance = textureLod(cube, d + 0.125 * dx + 0.375 * dy, 0.0).rgb;
	radiance += textureLod(cube, d - 0.125 * dx - 0.375 * dy, 0.0).rgb;
	radiance += textureLod(cube, d + 0.375 * dx - 0.125 * dy, 0.0).rgb;
	radiance += textureLod(cube, d - 0.375 * dx + 0.125 * dy, 0.0).rgb;
	pixel = vec4(edged(0.25 * radiance * vignette(gl_FragCoord.xy)), 1.0);
}
