// The readings of a sensor behind its lens: of one colour per pixel with MOSAIC, else of three, in 8 bits. With ALONE,
// the lens moves no light from one pixel to another.
uniform sampler2DArray light;
uniform sampler2DArray scattered; // light, for each cell
uniform sampler2D deviations;     // of the lamps' light during each row's exposure, relative; each row is an image

out vec4 pixel;

// place is the first of the two pixels of a line of n pixels between which a magnified pixel lies. weight is that of
// the second.
int place(int from, float by, int n, out float weight) {
	float middle = float(n - 1) / 2.0;
	precise float p = middle + by * (float(from) - middle);
	p = max(0.0, min(float(n - 1), p));
	int at = min(int(p), n - 2);
	weight = p - float(at);
	return at;
}

float magnified(ivec2 at, int color) {
	float right, down;
	ivec2 p;
	p.x = place(at.x, chip.scale[color], chip.size.x, right);
	p.y = place(at.y, chip.scale[color], chip.size.y, down);
	float a0 = texel(light, p)[color], b0 = texel(light, p + ivec2(1, 0))[color];
	float a1 = texel(light, p + ivec2(0, 1))[color], b1 = texel(light, p + ivec2(1, 1))[color];
	precise float a = a0 + (a1 - a0) * down, b = b0 + (b1 - b0) * down;
	precise float l = a + (b - a) * right;
	return l;
}

float scatteredAt(ivec2 at, int color) {
	ivec2 from = at + CELL / 2, last = chip.size.zw - 1;
	ivec2 p = clamp(from / CELL - 1, ivec2(0), last), q = clamp(from / CELL, ivec2(0), last);
	vec2 weight = (vec2(from % CELL) + 0.5) / float(CELL);
	float a0 = texel(scattered, p)[color], b0 = texel(scattered, ivec2(q.x, p.y))[color];
	float a1 = texel(scattered, ivec2(p.x, q.y))[color], b1 = texel(scattered, q)[color];
	precise float a = a0 + (a1 - a0) * weight.y, b = b0 + (b1 - b0) * weight.y;
	precise float l = a + (b - a) * weight.x;
	return l;
}

#ifdef ALONE
float lightAt(ivec2 at, int color) { return onLens(at, texel(picture, at).rgb, color); }
#else
float lightAt(ivec2 at, int color) {
	precise float l = chip.lensFaults.z != 0 && color != 1 ? magnified(at, color) : texel(light, at)[color];
	if (chip.lensFaults.w != 0) l = l * chip.charge.w + scatteredAt(at, color);
	return l;
}
#endif

// reading is the reading, 0 to 1, of a pixel in a colour.
float reading(ivec2 at, int color) {
	uint index = uint(3 * (at.y * chip.size.x + at.x) + color);
	precise float e = lightAt(at, color) * chip.charge.x;
	precise float dark = 0.0;
	if (chip.chipFaults.x != 0) e += e * (chip.lamps[color] * texelFetch(deviations, ivec2(at.y, layer), 0).r);
	if (chip.chipFaults.y != 0) {
		e += e * (chip.fixedPattern.x * normal(chip.fixedKeys[0].xy, index));
		int chance = int(bits(chip.fixedKeys[1].zw, index) >> 1);
		if (chance < chip.chipFaults.z) {
			precise float u = float(chance + 1) * chip.hot.x;
			e += chip.hot.y / (u * u);
		}
		dark = chip.fixedPattern.y * normal(chip.fixedKeys[0].zw, index);
		dark += chip.fixedPattern.z * normal(chip.fixedKeys[1].xy, uint(2 * at.y));
		dark += chip.fixedPattern.w * normal(chip.fixedKeys[1].xy, uint(2 * at.x + 1));
	}
	precise float sigma = sqrt(e * chip.charge.y + chip.charge.z);
	precise float r = (e + dark) + sigma * normal(chip.key.xy, index);
	return clamp(chip.gain[color] * min(1.0, r), 0.0, 1.0);
}

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
#ifdef MOSAIC
	pixel = vec4(reading(at, (at.x & 1) + (at.y & 1)), 0.0, 0.0, 1.0); // RGGB
#else
	pixel = asPixel(ivec3(encoded(reading(at, 0)), encoded(reading(at, 1)), encoded(reading(at, 2))));
#endif
}
