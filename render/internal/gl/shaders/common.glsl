#version 410 core

// One camera. W: world, C: its optical frame. Pixel positions here have (0.5, 0.5) in the top-left pixel's centre.
layout(std140) uniform View {
	mat4 rotWC;    // turns C into W
	vec4 eyeW;     // viewpoint; w: share of the vignetting
	vec4 clip;     // x: scale and offset, y: scale and offset, from the image plane to -1…1
	vec4 lens;     // of the real camera: 1/fx, 1/fy, centre, pixels
	vec4 mirror;   // hyperbolic: xi, 1/scale, where its edge begins and ends in the unified model's image plane
	               // by table: 1 or -1 as the axis looks along z, scale of stereographic directions, where they end
	vec4 range;    // near and far in the depth buffer, metres; 2/width, 2/height
};

layout(std140) uniform Scene {
	vec4 toLamp, lamp, sky, bounce, background, tube;
	vec4 carpet, line;        // reflectance
	vec4 carpetHalf;          // half sizes of the carpet, and of the bare floor around it
	vec4 hallFloor, hallWall; // w: height of the walls
	vec4 floorLight;          // where a point (x, y) of the floor lies in the floor's light map: scale, offset
	vec4 crowd;               // of the walls' picture: repeats and texels per metre; how worn the carpet is
	vec4 spotAt[8], spotLight[8];
	vec4 shadow;              // slope of the lamp's rays (dx, dy per height), height of the map's range, a texel's size in the map
};

#ifdef NATURAL
// A hall as package render/light lights it. Places in textures are scale and offset of metres.
layout(std140) uniform Natural {
	vec4 gridAt;   // of (x, y) on the floor in the map of irradiances, by lamps
	vec4 gridStep; // from there to the next of four, and from wall to wall; height of the ceiling; scale of heights on walls
	vec4 wallAt;   // along walls: scale of y at ±x, of x at ±y, offset; offset of heights
	vec4 probeAt;  // of (x, y) in the lattice of probes
	vec4 levels;   // of probes, heights
	vec4 near;     // share of the light from below that is missing at the floor; 1/height where all of it is there
	vec4 panelRows[2], windowRows[2]; // as light.Row: first, pitch, half width, index of the last
	vec4 panels, windows; // radiance; of windows half their height
	vec4 wall, ceiling;   // reflectance; of walls the middle of their windows
	vec4 sheen;           // as light.Sheen: Rise, Rest
	vec4 sheenNear;       // as light.SheenNear
	vec4 sheenTint;
	vec4 seams;           // rolls of the carpet per metre, their width, half the width of a seam, share of the light that is lost there
	vec4 traces;          // scale of (x, y) in the map of traces; its texels per metre
};
#endif

vec3 ambient(vec3 n) { return mix(bounce.rgb, sky.rgb, 0.5 + 0.5 * n.z); }

#ifdef SPOTS
// nearby is the light of the lamps nearby on a surface.
vec3 nearby(vec3 p, vec3 n) {
	vec3 sum = vec3(0.0);
	for (int i = 0; i < SPOTS; i++) {
		vec3 to = spotAt[i].xyz - p;
		float d2 = dot(to, to);
		sum += spotLight[i].rgb * (max(dot(n, to), 0.0) / (d2 * sqrt(d2)));
	}
	return sum;
}
#endif
