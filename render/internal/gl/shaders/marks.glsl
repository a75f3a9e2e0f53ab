// Markings on the carpet.
uniform usampler2D grid; // up to four markings near each cell; each level has cells of twice the size

layout(std140) uniform Marks {
	vec4 gridScale;   // cells per metre at level 0, x and y of the first cell's corner, last level
	vec4 mark[2 * MARKS]; // centre and direction; half length or radius, half width, 1 for arcs, lowest cosine
};

// band is the fraction of a box of width w around s that lies within ±reach.
float band(float s, float reach, float w) {
	return (clamp(s + 0.5 * w, -reach, reach) - clamp(s - 0.5 * w, -reach, reach)) / w;
}

float width(vec2 px, vec2 py, vec2 n) {
	vec2 w = vec2(dot(px, n), dot(py, n));
	return sqrt(dot(w, w) + 1e-10);
}

// markCover is the fraction of a pixel's footprint (px, py) at p that one marking covers when it is displaced by shift.
float markCover(uint id, vec2 p, vec2 px, vec2 py, float shift) {
	vec4 a = mark[2u * id], b = mark[2u * id + 1u];
	vec2 q = p - a.xy;
	float r = length(q);
	vec2 n = b.z > 0.5 ? q / max(r, 1e-4) : vec2(-a.w, a.z);
	float across = b.z > 0.5 ? r - b.x : dot(q, n);
	float cover = band(across + shift, b.y, width(px, py, n));
	float along = dot(q, a.zw);
	return cover * (b.z > 0.5 ? step(b.w * r, along) : band(along, b.x, width(px, py, a.zw)));
}

// octaveOf is the binary logarithm of a footprint's size on the floor, metres.
float octaveOf(vec2 px, vec2 py) { return 0.5 * log2(max(max(dot(px, px), dot(py, py)), 1e-12)); }

// marksCover is the fraction of a pixel's footprint at p that markings cover.
float marksCover(vec2 p, vec2 px, vec2 py, float octave, float shift) {
	int level = int(clamp(ceil(octave + log2(gridScale.x)), 0.0, gridScale.w));
	uvec4 near = texelFetch(grid, ivec2(floor((p - gridScale.yz) * gridScale.x)) >> level, level);
	float cover = 0.0;
	for (int once = 0; once < 1 && near.x > 0u; once++) {
		cover += markCover(near.x - 1u, p, px, py, shift);
		for (uint others = near.y | near.z << 8 | near.w << 16; others > 0u; others >>= 8) {
			cover += markCover((others & 255u) - 1u, p, px, py, shift);
		}
	}
	return min(cover, 1.0);
}

// onFloor finds the point p of the floor in a pixel's direction, and the pixel's footprint (px, py) there.
void onFloor(vec3 d, out vec2 p, out vec2 px, out vec2 py) {
	p = eye.xy + d.xy * min(-eye.z / min(d.z, -1e-6), 1e4);
	px = dFdx(p);
	py = dFdy(p);
#ifdef TABLE
	// A blind neighbour does not widen the footprint.
	float sees = blind ? 0.0 : 1.0;
	px *= 1.0 - abs(dFdx(sees));
	py *= 1.0 - abs(dFdy(sees));
#endif
}
