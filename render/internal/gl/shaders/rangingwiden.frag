// The longest reach of the outlines in a row that reach a pixel; -1 if none does.
uniform sampler2DArray outlines;

out vec4 pixel;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	float longest = -1.0;
	for (int x = max(at.x - LONGEST, 0); x <= min(at.x + LONGEST, device.size.x - 1); x++) {
		float reach = texel(outlines, ivec2(x, at.y)).r;
		if (reach >= abs(float(x - at.x))) longest = max(longest, reach);
	}
	pixel = vec4(longest, 0.0, 0.0, 1.0);
}
