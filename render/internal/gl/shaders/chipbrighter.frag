// The factors of a cell's white pixels, as chip.Brighten: they share the light above white that the cell records.
uniform sampler2DArray picture; // sRGB
uniform sampler2D aboveCells;   // mean light above white; the images are below each other

out vec4 factor;

void main() {
	ivec2 cell = ivec2(gl_FragCoord.xy), first = cell * CELL, end = min(first + CELL, chip.size.xy);
	vec3 above = texelFetch(aboveCells, cell + ivec2(0, layer * chip.size.w), 0).rgb;
	ivec3 white = ivec3(0);
	if (above.r > 0.0 || above.g > 0.0 || above.b > 0.0) {
		for (int y = first.y; y < end.y; y++) {
			for (int x = first.x; x < end.x; x++) {
				vec3 shown = texel(picture, ivec2(x, y)).rgb;
				for (int c = 0; c < 3; c++) white[c] += encoded(shown[c]) == 255 ? 1 : 0;
			}
		}
	}
	float pixels = float((end.x - first.x) * (end.y - first.y));
	for (int c = 0; c < 3; c++) {
		precise float f = 1.0 + above[c] * pixels / float(max(white[c], 1));
		factor[c] = above[c] > 0.0 && white[c] > 0 ? f : 1.0;
	}
	factor.a = 1.0;
}
