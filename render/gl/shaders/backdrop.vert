// What a pinhole camera sees where nothing else is: first one triangle over the whole image, the hall's ceiling, then
// before it the hall's four walls. They grow lighter towards the top.
out vec3 radiance;

void main() {
	if (gl_VertexID < 3) {
		radiance = background.rgb;
		gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 1.0, 1.0);
		return;
	}
	int wall = (gl_VertexID - 3) / 6, corner = (gl_VertexID - 3) % 6;
	float along = corner == 0 || corner == 3 || corner == 5 ? -1.0 : 1.0;
	float up = corner == 0 || corner == 1 || corner == 3 ? 0.0 : 1.0;
	float side = wall % 2 == 0 ? -1.0 : 1.0;
	vec2 at = wall < 2 ? vec2(side, along) : vec2(along, side);
	radiance = hallWall.rgb * (0.75 + 0.5 * up);
	gl_Position = project((vec3(at * carpetHalf.zw, up * hallWall.w) - eyeW.xyz) * mat3(rotWC));
}
