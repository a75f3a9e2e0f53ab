#ifdef MIRROR
// One triangle over the whole image, behind everything.
void main() {
	vec2 p = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
	gl_Position = vec4(p, 1.0, 1.0);
}
#else
out vec2 floorW;

// The carpet and the bare floor around it, two triangles.
void main() {
	vec2 corner = vec2(gl_VertexID == 0 || gl_VertexID == 3 || gl_VertexID == 5 ? -1.0 : 1.0, gl_VertexID == 0 || gl_VertexID == 1 || gl_VertexID == 3 ? -1.0 : 1.0);
	floorW = corner * carpetHalf.zw;
	gl_Position = project((vec3(floorW, 0.0) - eyeW.xyz) * mat3(rotWC));
}
#endif
