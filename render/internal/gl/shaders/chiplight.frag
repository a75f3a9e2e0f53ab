// The light on a lens from an ideal image, behind the dirt, and with the light above white.
uniform sampler2DArray picture;  // sRGB
uniform sampler2D decoded;       // light of each 8-bit value
uniform sampler2DArray dirt;     // fraction of the light that passes
uniform sampler2DArray brighter; // factors of white pixels, for each cell

out vec4 lightHere;

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 shown = texel(picture, at).rgb, factor = vec3(1.0);
	float passes = chip.lensFaults.x != 0 ? texel(dirt, at).r : 1.0;
	if (chip.lensFaults.y != 0) factor = texel(brighter, at / CELL).rgb;
	for (int c = 0; c < 3; c++) {
		int value = encoded(shown[c]); // the light of the table is more precise than what samplers decode
		float l = texelFetch(decoded, ivec2(value, 0), 0).r * passes;
		lightHere[c] = value == 255 ? l * factor[c] : l;
	}
	lightHere.a = 1.0;
}
