// The true distances, 0 where the projector's light does not reach.
uniform sampler2DArray distances;

out vec4 pixel;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	float z = texel(distances, at).r, shadow = device.limits.z;
	if (shadow > 0.0 && z > 0.0) {
		precise float column = float(at.x) - shadow / z;
		for (int u = at.x + 1; u < device.size.x; u++) {
			float beside = texel(distances, ivec2(u, at.y)).r;
			precise float other = float(u) - shadow / beside;
			if (beside > 0.0 && column >= other) {
				z = 0.0;
				break;
			}
		}
	}
	pixel = vec4(z, 0.0, 0.0, 1.0);
}
