// The floor and the walls of the hall, four vertices each, as slightly enlarged rectangles; fragments test their exact
// edges.
void main() {
	aim();
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1) * 2.0 - 1.0, half_ = carpetHalf.zw + 0.1;
	int wall = gl_VertexID >> 2; // 0 is the floor
	vec3 p = vec3(corner * half_, 0.0);
	if (wall > 0) {
		float side = (wall & 1) == 0 ? -1.0 : 1.0, z = corner.y > 0.0 ? hallFloor.w + 0.1 : -0.1;
		p = wall < 3 ? vec3(side * carpetHalf.z, corner.x * half_.y, z) : vec3(corner.x * half_.x, side * carpetHalf.w, z);
	}
	gl_Position = project((p - eyeW.xyz) * mat3(rotWC));
}
