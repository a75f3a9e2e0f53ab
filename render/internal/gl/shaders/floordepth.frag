out float pixel;

void main() {
	vec3 d = rayW(gl_FragCoord.xy);
	float t = -eye.z / d.z; // the ray has length 1 along the axis, so this is Z
	vec2 p = abs(eye.xy + d.xy * t);
	pixel = t > 0.0 && p.x < hallHalf.x && p.y < hallHalf.y ? t : 1.0 / 0.0;
	if (hallFloor.w > 0.0) {
		vec2 to = toWalls(d);
		float wall = min(to.x, to.y);
		if (wall > 0.0 && eye.z + d.z * wall < hallFloor.w) pixel = min(pixel, wall);
	}
}
