// The bytes of images, red first, without gaps except at the ends of rows: four of them in a pixel.
uniform sampler2DArray images;
out vec4 bytes;

vec3 encoded(vec3 light) { return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)); }

void main() {
	ivec3 size = textureSize(images, 0), at = source(ivec2(gl_FragCoord.xy), size);
	int first = at.x * 4, from = first / 3, skip = first - 3 * from;
	vec3 a = encoded(texelFetch(images, ivec3(from, at.yz), 0).rgb);
	vec3 b = encoded(texelFetch(images, ivec3(min(from + 1, size.x - 1), at.yz), 0).rgb);
	bytes = skip == 0 ? vec4(a, b.r) : skip == 1 ? vec4(a.gb, b.rg) : vec4(a.b, b);
}
