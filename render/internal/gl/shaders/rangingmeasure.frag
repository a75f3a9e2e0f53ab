// What a device measures; see package render/chip for each function.
uniform sampler2DArray truth;
uniform sampler2DArray widened; // outlines

out vec4 pixel;

const float NEAREST = 0.05;      // metres
const float STEEPEST = 7.1852965; // secant of 82°
const uint AXIAL = 0u, COLUMN = 1u, ROW = 2u, OUTLINE = 3u, RANDOMS = 4u; // kinds of random numbers

uint indexOf(ivec2 at) { return uint(at.y * device.size.x + at.x) * RANDOMS; }

float normalOf(ivec2 at, uint kind) { return normal(device.random.xy, indexOf(at) + kind); }

float sigma(float z) {
	z = most(z, NEAREST);
	precise float s = device.axial.x + z * (device.axial.y + z * device.axial.z);
	return s;
}

float incidence(float secant) {
	float s = least(secant, STEEPEST);
	precise float p = -0.0026094774 * s + 0.05120253;
	p = p * s - 0.3781919;
	p = p * s + 3.7889962;
	p = p * s - 5.4023447;
	p = p * s + 1.9376735;
	return p;
}

// surface is the distance at a pixel and its standard deviation.
vec2 surface(ivec2 at) {
	float z = truthAt(truth, at), own = sigma(z);
	if (at.x == 0 || at.y == 0) return vec2(z, own);
	precise vec2 d = (vec2(at) - device.lens.zw) * device.perFocal.xy;
	precise vec2 n = device.lens.xy * (z - vec2(truthAt(truth, at - ivec2(1, 0)), truthAt(truth, at - ivec2(0, 1))));
	precise float nz = z + d.x * n.x + d.y * n.y;
	precise float square = (1.0 + d.x * d.x + d.y * d.y) * (n.x * n.x + n.y * n.y + nz * nz);
	float away = most(z, NEAREST), per = 1.0 / away;
	precise float slant = sqrt(away) * (device.spread.x * per + device.spread.y * away);
	precise float s = own + slant * incidence(sqrt(square) * per);
	return vec2(z, s);
}

bool frayed(ivec2 at) {
	for (int y = max(at.y - LONGEST, 0); y <= min(at.y + LONGEST, device.size.y - 1); y++)
		if (texel(widened, ivec2(at.x, y)).r >= abs(float(y - at.y))) return true;
	return false;
}

bool measures(float z) { return z > 0.0 && z <= device.limits.y; }

// mixed is the distance at a pixel, perhaps mixed with that beyond an outline, for the random number of another pixel.
float mixed(ivec2 at, ivec2 of) {
	float z = truthAt(truth, at);
	if (!outlined(truth, at) || !measures(z)) return z;
	uint random = bits(device.random.xy, indexOf(of) + OUTLINE), chance = random >> 16;
	if (chance < device.random.z) return 0.0;
	if (chance >= device.random.w) return z;
	float other = z;
	vec4 beside = neighbours(truth, at);
	for (int i = 0; i < 4; i++)
		if (measures(beside[i]) && abs(beside[i] - z) > abs(other - z)) other = beside[i];
	precise float m = z + (other - z) * (float(random & 0xffffu) / 65536.0);
	return m;
}

int displaced(int from, int n, float by) {
	precise float whole = floor(by + 0.5);
	return int(least(most(float(from) + whole, 0.0), float(n - 1)));
}

// frayedSurface is that of a displaced pixel.
vec2 frayedSurface(ivec2 at) {
	float z = truthAt(truth, at);
	ivec2 from = at;
	if (z > 0.0) {
		float s = lateral(z);
		precise vec2 by = s * vec2(normalOf(at, COLUMN), normalOf(at, ROW));
		from = ivec2(displaced(at.x, device.size.x, by.x), displaced(at.y, device.size.y, by.y));
	}
	z = mixed(from, at);
	return vec2(z, sigma(z));
}

float reading(vec2 s, ivec2 at) {
	if (!(s.x >= device.limits.x && s.x <= device.limits.y)) return 0.0;
	precise float z = s.x + s.y * normalOf(at, AXIAL);
	z = least(most(z, 0.0), 1e5);
	if (device.limits.w > 0.0) {
		float steps = least(most(1.0 / (device.limits.w * z), 1.0), 1e9);
		z = 1.0 / (device.limits.w * float(int(steps + 0.5)));
	}
	precise float millimetres = z * 1000.0 + 0.5;
	return float(int(millimetres)) * 1e-3;
}

void main() {
	ivec2 at = ivec2(gl_FragCoord.xy);
	float z = 0.0;
	if (at.x < device.size.x - device.size.z) {
#ifdef OUTLINES
		z = reading(frayed(at) ? frayedSurface(at) : surface(at), at);
#else
		z = reading(surface(at), at);
#endif
	}
	pixel = vec4(z, 0.0, 0.0, 1.0);
}
