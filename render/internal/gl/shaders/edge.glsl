// edged returns the light of a pixel in which the optics' image may end.
vec3 edged(vec3 radiance) {
#ifdef MIRROR
	// Beyond the mirror are its edge, a thin ring, and the dark inside of the tube that holds it.
	float r = length(gl_FragCoord.xy * lensAt.xy + lensAt.zw), soft = lensAt.x;
	vec3 edge = 0.10 * sky.rgb + 0.02 * lamp.rgb;
	radiance = mix(radiance, edge, clamp((r - mirror.z) / soft + 0.5, 0.0, 1.0));
	radiance = mix(radiance, tube.rgb, clamp((r - mirror.w) / soft + 0.5, 0.0, 1.0));
#endif
#ifdef TABLE
	if (blind) radiance = tube.rgb;
#endif
	return radiance;
}
