// The unsharp mask of package render/chip.
uniform sampler2DArray values; // 8-bit

out vec4 pixel;

ivec3 at(ivec2 p) { return ivec3(texel(values, clamp(p, ivec2(0), chip.size.xy - 1)).rgb * 255.0 + 0.5); }

void main() {
	const int weights[5] = int[5](1, 4, 6, 4, 1);
	ivec2 p = ivec2(gl_FragCoord.xy);
	ivec3 blurred = ivec3(0), own = at(p);
	for (int y = 0; y < 5; y++)
		for (int x = 0; x < 5; x++) blurred += weights[x] * weights[y] * at(p + ivec2(x, y) - 2);
	pixel = asPixel(clamp(own + ((chip.chipFaults.w * (256 * own - blurred) + (1 << 15)) >> 16), 0, 255));
}
