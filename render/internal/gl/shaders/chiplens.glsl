uniform sampler2DArray picture;  // sRGB
uniform sampler2D decoded;       // light of each 8-bit value
uniform sampler2DArray dirt;     // fraction of the light that passes
uniform sampler2DArray brighter; // factors of white pixels, for each cell

// onLens is the light on the lens at a pixel, in a colour, for what the ideal image shows there. It is behind the dirt.
float onLens(ivec2 at, vec3 shown, int color) {
	int value = encoded(shown[color]); // the light of the table is more precise than what samplers decode
	float l = texelFetch(decoded, ivec2(value, 0), 0).r;
	if (chip.lensFaults.x != 0) l *= texel(dirt, at).r;
	if (value == 255 && chip.lensFaults.y != 0) l *= texel(brighter, at / CELL)[color];
	return l;
}

