#version 410 core

#ifdef LAYERS
#extension GL_AMD_vertex_shader_layer : enable
#extension GL_ARB_shader_viewport_layer_array : enable
#define CAMERA struct Camera
#else
#define CAMERA layout(std140) uniform View
#endif

// One camera. W: world, C: its optical frame. Pixel positions are (0.5, 0.5) at the top-left pixel's centre.
CAMERA {
	mat4 rotWC;    // rotates C to W
	vec4 eyeW;     // viewpoint; w: amount of vignetting
	vec4 clip;     // x: scale and offset, y: scale and offset, from the image plane to -1…1
	vec4 lens;     // of the real camera: 1/fx, 1/fy, centre, pixels
	// hyperbolic: xi, 1/scale, radii at which its edge starts and ends in the unified model's image plane
	vec4 mirror;
	               // by table: 1 or -1, the sign of z on the axis; scale of stereographic directions; their limit
	vec4 range;    // near and far in the depth buffer, metres; 2/width, 2/height
};

#ifdef LAYERS
// The cameras of a group of views. Each view is a layer of the framebuffer.
layout(std140) uniform View { Camera cameras[VIEWS]; };
#ifdef VERTEX
layout(location = 7) in ivec2 instance; // what an instance of a draw call is: the index of a view, that of a body
flat out int viewIndex;
void toLayer() { gl_Layer = viewIndex = instance.x; }
#else
flat in int viewIndex;
#endif
#define rotWC cameras[viewIndex].rotWC
#define eyeW cameras[viewIndex].eyeW
#define clip cameras[viewIndex].clip
#define lens cameras[viewIndex].lens
#define mirror cameras[viewIndex].mirror
#define range cameras[viewIndex].range
#else
void toLayer() {}
#endif

layout(std140) uniform Scene {
	vec4 toLamp, lamp, sky, bounce, background, tube;
	vec4 carpet, line;        // reflectance
	vec4 floorImage;          // from (x, y) on the floor to the place in its image: scale and offset
	vec4 imageTint;           // by which the image is multiplied; carpet is the mean
	vec4 carpetHalf;          // half sizes of the carpet, and of the bare floor around it
	vec4 hallFloor, hallWall; // w: height of walls that depth images show, 0 without; height of the walls
	vec4 floorLight;          // scale and offset from (x, y) on the floor to the floor's light map
	vec4 crowd;               // of the walls' picture: repeats and texels per metre; amount of wear of the carpet
	vec4 spotAt[8], spotLight[8];
	// slope of the lamp's rays (dx, dy per height), height of the map's range, size of a texel in the map
	vec4 shadow;
};

#ifdef NATURAL
// A hall as package render/light lights it. Places in textures are given as scale and offset of metres.
layout(std140) uniform Natural {
	vec4 gridAt;   // from (x, y) on the floor to the map of irradiances, by lamps
	// offset to the next of four maps, and from wall to wall; height of the ceiling; scale of heights on walls
	vec4 gridStep;
	vec4 wallAt;   // along walls: scale of y at ±x, of x at ±y, offset; offset of heights
	vec4 probeAt;  // from (x, y) to the lattice of probes
	vec4 levels;   // heights of the levels of probes
	vec4 near;     // fraction of the light from below that is missing at the floor; 1/height at which none is missing
	vec4 panelRows[2], windowRows[2]; // as light.Row: first, pitch, half width, index of the last
	vec4 panels, windows; // radiance; w of windows: half their height
	vec4 wall, ceiling;   // reflectance; w of wall: the middle height of the windows
	vec4 sheen;           // as light.Sheen: Rise, Rest
	vec4 sheenNear;       // as light.SheenNear
	vec4 sheenTint;
	// rolls of the carpet per metre, their width, half the width of a seam, fraction of the light that is lost there
	vec4 seams;
	vec4 traces;          // scale from (x, y) to the map of traces; its texels per metre
};
#endif

vec3 ambient(vec3 n) { return mix(bounce.rgb, sky.rgb, 0.5 + 0.5 * n.z); }

#ifdef SPOTS
// nearby is the light of the nearby lamps on a surface.
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
