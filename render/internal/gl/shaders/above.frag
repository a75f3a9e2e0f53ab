// The mean light above white over a cell of an image; see render.Image.Above.
const int CELL = 16;

uniform sampler2D above;

out vec4 pixel;

void main() {
	ivec2 first = ivec2(gl_FragCoord.xy) * CELL, end = min(first + CELL, textureSize(above, 0));
	vec3 sum = vec3(0.0);
	for (int y = first.y; y < end.y; y++)
		for (int x = first.x; x < end.x; x++) sum += texelFetch(above, ivec2(x, y), 0).rgb;
	pixel = vec4(sum / float((end.x - first.x) * (end.y - first.y)), 1.0);
}
