// toCube rotates a direction from the world to the frame of the cube, whose y is the axis of the optics.
vec3 toCube(vec3 d) {
	vec3 c = d * mat3(rotWC);
#ifdef TABLE
	return vec3(c.x, mirror.x * c.zy);
#else
	return vec3(c.x, -c.zy);
#endif
}

// A triangle that covers the whole image, with rays in the cube's frame.
void main() {
	vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
	gl_Position = vec4(p, 0.0, 1.0);
	aim();
	rayColumn = toCube(rayColumn);
	rayRow = toCube(rayRow);
	rayFirst = toCube(rayFirst);
	rayRest = toCube(rayRest);
}
