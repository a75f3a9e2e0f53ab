const float NOISE_SIZE = 256.0, NOISE_SCALE = 0.61; // texels, repeats per metre

uniform sampler2D noise;
uniform sampler2D floorLightMap;
uniform usampler2D grid; // up to four markings near each cell; each level has cells of twice the size

layout(std140) uniform Marks {
	vec4 gridScale;   // cells per metre at level 0, x and y of the first cell's corner, levels
	vec4 mark[2 * MARKS]; // centre and direction; halfBand length or radius, halfBand width, 1 for arcs, lowest cosine
};

out vec4 pixel;

// band is the share of a box of width w around s that lies within ±halfBand.
float band(float s, float halfBand, float w) {
	return (clamp(s + 0.5 * w, -halfBand, halfBand) - clamp(s - 0.5 * w, -halfBand, halfBand)) / w;
}

float width(vec2 px, vec2 py, vec2 n) {
	vec2 w = vec2(dot(px, n), dot(py, n));
	return sqrt(dot(w, w) + 1e-10);
}

// markCover is the share of a pixel's footprint (px, py) at p that one marking covers.
float markCover(uint id, vec2 p, vec2 px, vec2 py) {
	vec4 a = mark[2u * id], b = mark[2u * id + 1u];
	vec2 q = p - a.xy;
	float r = length(q);
	vec2 n = b.z > 0.5 ? q / max(r, 1e-4) : vec2(-a.w, a.z);
	float across = b.z > 0.5 ? r - b.x : dot(q, n);
	float cover = band(across, b.y, width(px, py, n));
	float along = dot(q, a.zw);
	return cover * (b.z > 0.5 ? step(b.w * r, along) : band(along, b.x, width(px, py, a.zw)));
}

// floorRadiance is what a pixel sees of the floor around p, over the footprint (px, py).
vec3 floorRadiance(vec2 p, vec2 px, vec2 py) {
	float size = sqrt(max(dot(px, px), dot(py, py)));
	float carpetCover = band(p.x, carpetHalf.x, abs(px.x) + abs(py.x) + 1e-5) * band(p.y, carpetHalf.y, abs(px.y) + abs(py.y) + 1e-5);
	float octave = log2(size * gridScale.x); // 0 where a pixel is as large as the grid's finest cell
	int level = int(clamp(ceil(octave), 0.0, gridScale.w));
	uvec4 near = texelFetch(grid, ivec2(floor((p - gridScale.yz) * gridScale.x)) >> level, level);
	float cover = 0.0;
	// Loops, because the rasteriser skips a loop that no pixel of a group enters, but executes both sides of an if.
	for (int once = 0; once < 1 && near.x > 0u; once++) {
		cover += markCover(near.x - 1u, p, px, py);
		for (uint others = near.y | near.z << 8 | near.w << 16; others > 0u; others >>= 8) {
			cover += markCover((others & 255u) - 1u, p, px, py);
		}
	}
	cover = min(cover, 1.0);
	float grain = textureLod(noise, p * NOISE_SCALE, octave + log2(NOISE_SIZE * NOISE_SCALE / gridScale.x)).r - 0.5;
	vec2 light = textureLod(floorLightMap, p * floorLight.xy + floorLight.zw, 0.0).rg;
	vec3 albedo = mix(carpet.rgb, line.rgb, cover) * (1.0 + mix(0.35, 0.12, cover) * grain);
	vec3 bare = hallFloor.rgb * (1.0 + 0.08 * grain);
	return mix(bare, albedo, carpetCover) * (sky.rgb * light.g + lamp.rgb * (toLamp.z * light.r));
}

#ifdef MIRROR
void main() {
	vec3 d = rayW(gl_FragCoord.xy);
	// The walls' distance first: below them, the floor.
	vec2 toWall = (sign(d.xy) * carpetHalf.zw - eyeW.xy) / d.xy;
	float wall = min(toWall.x, toWall.y);
	float t = min(-eyeW.z / min(d.z, -1e-6), 1e4);
	vec2 p = eyeW.xy + d.xy * t;
	vec2 px = dFdx(p), py = dFdy(p);
	// The hall's walls end in its ceiling; they grow lighter towards it.
	float height = (eyeW.z + d.z * wall) / max(hallWall.w, 1e-3);
	vec3 radiance = hallWall.w > 0.0 && height < 1.0 ? hallWall.rgb * (0.75 + 0.5 * height) : background.rgb;
	bool floorHere = t < wall && d.z < 0.0;
	for (int once = 0; once < 1 && floorHere; once++) { // see floorRadiance
		radiance = floorRadiance(p, px, py);
	}
	pixel = vec4(radiance * vignette(gl_FragCoord.xy), 1.0);
}
#else
in vec2 floorW;

void main() {
	pixel = vec4(floorRadiance(floorW, dFdx(floorW), dFdy(floorW)) * vignette(gl_FragCoord.xy), 1.0);
}
#endif
