#define device devices[image]

const int LONGEST = 8; // pixels: the longest reach of an outline

float least(float x, float limit) { return x < limit ? x : limit; }
float most(float x, float limit) { return x > limit ? x : limit; }

float truthAt(sampler2DArray truth, ivec2 at) { return texel(truth, clamp(at, ivec2(0), device.size.xy - 1)).r; }

// jump reports whether there is an outline between the distances of neighbours.
bool jump(float a, float b) {
	if (a == b) return false; // also if both are infinite
	precise float limit = 0.03 + 0.05 * least(a, b);
	return abs(a - b) > limit;
}

vec4 neighbours(sampler2DArray truth, ivec2 at) {
	return vec4(truthAt(truth, at - ivec2(1, 0)), truthAt(truth, at + ivec2(1, 0)), truthAt(truth, at - ivec2(0, 1)),
		truthAt(truth, at + ivec2(0, 1)));
}

bool outlined(sampler2DArray truth, ivec2 at) {
	float z = truthAt(truth, at);
	vec4 beside = neighbours(truth, at);
	return jump(z, beside.x) || jump(z, beside.y) || jump(z, beside.z) || jump(z, beside.w);
}

// lateral is the standard deviation of an outline's position at a distance, pixels.
float lateral(float z) { return device.spread.z + device.spread.w / least(z, device.limits.y); }
