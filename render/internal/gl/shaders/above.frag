// The mean light above white over a cell of an image; see render.Image.Above.
const int CELL = 16;

#ifdef SHEET
uniform sampler2DArray above;
#else
uniform sampler2D above;
#endif

out vec4 pixel;

void main() {
	ivec2 cell = ivec2(gl_FragCoord.xy), size = textureSize(above, 0).xy;
#ifdef SHEET
	ivec3 from = source(cell, ivec3((size + CELL - 1) / CELL, 1));
	cell = from.xy;
#endif
	ivec2 first = cell * CELL, end = min(first + CELL, size);
	vec3 sum = vec3(0.0);
	for (int y = first.y; y < end.y; y++)
		for (int x = first.x; x < end.x; x++) {
#ifdef SHEET
			sum += texelFetch(above, ivec3(x, y, from.z), 0).rgb;
#else
			sum += texelFetch(above, ivec2(x, y), 0).rgb;
#endif
		}
	pixel = vec4(sum / float((end.x - first.x) * (end.y - first.y)), 1.0);
}
