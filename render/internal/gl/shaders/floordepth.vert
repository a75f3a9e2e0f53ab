// The floor as a slightly enlarged rectangle; fragments test its exact edges.
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
	gl_Position = project((vec3(corner * (carpetHalf.zw + 0.1), 0.0) - eyeW.xyz) * mat3(rotWC));
	aim();
}
