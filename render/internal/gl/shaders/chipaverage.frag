// The mean light of a cell. It sums each column from the top, and then the columns from the left.
uniform sampler2DArray light;

out vec4 mean;

void main() {
	ivec2 first = ivec2(gl_FragCoord.xy) * CELL, end = min(first + CELL, chip.size.xy);
	vec3 sum = vec3(0.0);
	for (int x = first.x; x < end.x; x++) {
		vec3 column = vec3(0.0);
		for (int y = first.y; y < end.y; y++) column += texel(light, ivec2(x, y)).rgb;
		sum += column;
	}
	mean = vec4(sum / float((end.x - first.x) * (end.y - first.y)), 1.0);
}
