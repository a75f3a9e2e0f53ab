// The truth of images as 32-bit words, in the order of render.Truth's planes: each plane of an image follows the
// previous one, without gaps. Labels come last, two in a word.
uniform sampler2DArray surfaces, places; // as truth.frag draws them
uniform ivec2 sheet; // words of a row, rows of an image
uniform ivec3 ends;  // of ranges, normals and flows, in an image

out uint word;

uint label(int pixel, ivec2 size, int image) {
	if (pixel >= size.x * size.y) return 0u;
	return uint(texelFetch(places, ivec3(pixel % size.x, pixel / size.x, image), 0).z);
}

float component(sampler2DArray of, int pixel, int component, ivec2 size, int image) {
	return texelFetch(of, ivec3(pixel % size.x, pixel / size.x, image), 0)[component];
}

void main() {
	ivec2 size = textureSize(surfaces, 0).xy, at = ivec2(gl_FragCoord.xy);
	int image = at.y / sheet.y, i = (at.y - image * sheet.y) * sheet.x + at.x;
	if (i < ends.x) {
		word = floatBitsToUint(component(surfaces, i, 3, size, image));
	} else if (i < ends.y) {
		i -= ends.x;
		word = floatBitsToUint(component(surfaces, i / 3, i % 3, size, image));
	} else if (i < ends.z) {
		i -= ends.y;
		word = floatBitsToUint(component(places, i / 2, i % 2, size, image));
	} else {
		i = 2 * (i - ends.z);
		word = label(i, size, image) | label(i + 1, size, image) << 16;
	}
}
