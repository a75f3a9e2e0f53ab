// The readings of a sensor behind its lens: of one colour per pixel with MOSAIC, else of three, in 8 bits.
uniform sampler2D light;
uniform sampler2D scattered;  // light, for each cell
uniform sampler2D deviations; // relative deviation of the lamps' light during each row's exposure

out vec4 pixel;

// bits are the 32 random bits of an index, as chip.Key's.
uint bits(uvec2 of, uint index) {
	uint h = index ^ of.x;
	h = (h ^ (h >> 17)) * 0xed5ad4bbu;
	h += of.y;
	h = (h ^ (h >> 11)) * 0xac4c1b51u;
	h = (h ^ (h >> 15)) * 0x31848babu;
	return h ^ (h >> 14);
}

// normal is the normal random number of an index.
float normal(uvec2 of, uint index) {
	uint b = bits(of, index), pairs = (b & 0x00ff00ffu) + ((b >> 8) & 0x00ff00ffu);
	precise float s = float((pairs + (pairs >> 16)) & 0x3ffu) - 510.0;
	precise float n = s * (0.006421040612805972 + 5.773954283329995e-09 * (s * s));
	return n;
}

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
	p.x = place(at.x, scale[color], size.x, right);
	p.y = place(at.y, scale[color], size.y, down);
	float a0 = texelFetch(light, p, 0)[color], b0 = texelFetch(light, p + ivec2(1, 0), 0)[color];
	float a1 = texelFetch(light, p + ivec2(0, 1), 0)[color], b1 = texelFetch(light, p + ivec2(1, 1), 0)[color];
	precise float a = a0 + (a1 - a0) * down, b = b0 + (b1 - b0) * down;
	precise float l = a + (b - a) * right;
	return l;
}

float scatteredAt(ivec2 at, int color) {
	ivec2 from = at + CELL / 2, last = size.zw - 1;
	ivec2 p = clamp(from / CELL - 1, ivec2(0), last), q = clamp(from / CELL, ivec2(0), last);
	vec2 weight = (vec2(from % CELL) + 0.5) / float(CELL);
	float a0 = texelFetch(scattered, p, 0)[color], b0 = texelFetch(scattered, ivec2(q.x, p.y), 0)[color];
	float a1 = texelFetch(scattered, ivec2(p.x, q.y), 0)[color], b1 = texelFetch(scattered, q, 0)[color];
	precise float a = a0 + (a1 - a0) * weight.y, b = b0 + (b1 - b0) * weight.y;
	precise float l = a + (b - a) * weight.x;
	return l;
}

float lightAt(ivec2 at, int color) {
	precise float l = lensFaults.z != 0 && color != 1 ? magnified(at, color) : texelFetch(light, at, 0)[color];
	if (lensFaults.w != 0) l = l * charge.w + scatteredAt(at, color);
	return l;
}

// reading is the reading, 0 to 1, of a pixel in a colour.
float reading(ivec2 at, int color) {
	uint index = uint(3 * (at.y * size.x + at.x) + color);
	precise float e = lightAt(at, color) * charge.x;
	precise float dark = 0.0;
	if (chipFaults.x != 0) e += e * (lamps[color] * texelFetch(deviations, ivec2(at.y, 0), 0).r);
	if (chipFaults.y != 0) {
		e += e * (fixedPattern.x * normal(fixedKeys[0].xy, index));
		int chance = int(bits(fixedKeys[1].zw, index) >> 1);
		if (chance < chipFaults.z) {
			precise float u = float(chance + 1) * hot.x;
			e += hot.y / (u * u);
		}
		dark = fixedPattern.y * normal(fixedKeys[0].zw, index);
		dark += fixedPattern.z * normal(fixedKeys[1].xy, uint(2 * at.y));
		dark += fixedPattern.w * normal(fixedKeys[1].xy, uint(2 * at.x + 1));
	}
	precise float sigma = sqrt(e * charge.y + charge.z);
	precise float r = (e + dark) + sigma * normal(key.xy, index);
	return clamp(gain[color] * min(1.0, r), 0.0, 1.0);
}

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
#ifdef MOSAIC
	pixel = vec4(reading(at, (at.x & 1) + (at.y & 1)), 0.0, 0.0, 1.0); // RGGB
#else
	pixel = asPixel(ivec3(encoded(reading(at, 0)), encoded(reading(at, 1)), encoded(reading(at, 2))));
#endif
}
