// The data that Go passes to the kernels. Lengths are metres, W is the world, C a camera's optical frame, B a body's
// frame. Positions in images are pixels, with (0, 0) at the corner of the first pixel. Light is linear. The memory that
// structs point to belongs to Go code, was allocated by C, and has room for 16 elements more than its length.
#ifndef TILE_H
#define TILE_H

#include <stdint.h>

enum { TILE_SIZE = 16, TILE_PIXELS = TILE_SIZE * TILE_SIZE, SAMPLES = 4 };
enum { GLARE_CELL = 16 }; // side of a cell for which scattered light is computed, pixels
enum { LONGEST_SIDE = 1 << 14 }; // of images, pixels: bounds of triangles are 16-bit numbers
enum { MAX_SPOTS = 8, MAX_MARKS = 256, MAX_LEVELS = 16, SHADE_CELLS = 128, MAX_TAPS = 64 };
enum { TEXTURE_TAPS = 4 }; // as render.TextureTaps
enum wrap { REPEAT, CLAMP_TO_EDGE, MIRRORED_REPEAT }; // as render.Wrap
enum { GRAIN_ORDER = 8 }; // the carpet's grain has 2^GRAIN_ORDER texels per side
enum { TRACE_ORDER = 9 }; // the map of traces has 2^TRACE_ORDER texels per side

enum pattern { PLAIN, SOCCER_BALL, NET, TEXTURED, VERTEX_COLORS }; // as render.Pattern

// picture is a colour texture: level l starts at texel first[l] and has width >> l by height >> l texels, at least 1. A
// texel is three times 10 bits, red lowest: the square roots of linear light.
typedef struct {
	const uint32_t *texels;
	int32_t first[MAX_LEVELS];
	int32_t width, height, levels; // 0 levels: no picture
} picture;

typedef struct {
	float color[3], color2[3], gloss, shininess;
	int32_t pattern;
	float f0[3], roughness; // for natural light; roughness is the square root of GGX's
	int32_t metal;
	float sharper[2]; // as light.Sharper
	float reflectance;      // as render.Material.Reflectance
	const picture *texture; // of TEXTURED materials
	int32_t wrap[2];
} material;

// tap is the light that a shaded texel removes from a texel (dx, dy) away, of the lamp's and of the ambient light, in
// 1/65280.
typedef struct {
	int16_t dx, dy;
	uint16_t lamp, sky;
} tap;

// lightmap holds the shadows of one instant as maps over the floor along the lamp's rays; see light.h.
typedef struct {
	int32_t width, height, stride; // texels; stride is a row's
	float scale[2], offset[2];     // from (x, y) on the floor to the map, 0 to 1
	float slope[2];                // of the lamp's rays: (dx, dy) per height
	float top;                     // of the range of heights
	uint16_t *heights;             // heights up to which bodies block the rays, in 1/65535 of top
	// fractions of the lamp's light (lower byte) and of the ambient light that reach the floor, in 1/255
	uint16_t *light;
	uint16_t *static_heights;      // of static bodies only
	uint16_t *static_light;
	// SHADE_CELLS rows of as many bits: whether a cell of the map may have less than full light
	const uint64_t *shaded;
	// corners of triangles that cast shadows: x, y and z of the first, the second and the third corner, in B
	const float *corner[9];
	tap tap[MAX_TAPS];             // the filter that softens shadows on the floor
	int32_t taps, near_taps;       // only the first near_taps reduce the lamp's light
	int32_t floor_step;            // heights up to this do not shade the floor
} lightmap;

// caster is a body that casts shadows.
typedef struct {
	float rotWB[9], posWB[3];          // row by row
	int32_t first_triangle, triangles; // in the lightmap's corner
	int32_t row0, row1;                // rows row0 to row1, exclusive, of the map that its shadow may reach
} caster;

// texels is a rectangle of the map, from (x0, y0) to (x1, y1), exclusive.
typedef struct {
	int32_t x0, y0, x1, y1;
} texels;

// probe is the natural light that arrives at a body from all directions: nine coefficients per colour, at two heights;
// see light.Probe.
typedef struct {
	float low, per_height; // lower height, metres; 1/(difference of the heights)
	float of[2][3][9];
} probe;

// The light around vertices is stored in blocks of LIT_TOGETHER vertices. For each of the PROBE_SIZE coefficients, in
// the order of probe.of[0], a block has as many numbers.
enum { LIT_TOGETHER = 16, PROBE_SIZE = 27 };

// strips is a light.Row: evenly spaced strips.
typedef struct {
	float first, pitch, per_pitch, half, last; // first: middle of the first, metres; last: index of the last
} strips;

// texels of the floor's light that are mixed together; and the largest number of such blocks per row
enum { FLOOR_BLOCK = 16, MOST_FLOOR_BLOCKS = 64 };

// Natural light in textures: a texel holds square roots of fractions of the largest light: red in the lowest 11 bits,
// then green in 11, blue in 10.
enum { CODE_MOST = 2047, CODE_MOST_BLUE = 1023 };

// hall holds the natural light on floor, walls and ceiling; see natural.h.
typedef struct {
	// The floor's is a map of texels.
	int32_t width, height, stride; // texels; stride is a row's, a multiple of FLOOR_BLOCK
	float scale[2], offset[2];     // from (x, y) on the floor to texels; 0 is the middle of the first
	const float *full[2][3];       // of lamps and of windows, by colour, without bodies
	// fractions of the light of lamps (lower byte) and of windows that bodies do not block, in 1/255
	const uint16_t *shares;
	uint32_t *floor;               // light that arrives
	float floor_most;              // largest light that texels represent

	// Nodes of the four walls side by side, at −x, +x, −y and +y, followed by those of the ceiling; they are spread
	// from edge to edge.
	const uint32_t *faces;
	float faces_most;
	int32_t wall_cols, wall_rows, walls_stride, ceiling_cols, ceiling_rows, ceiling_first; // wall_cols: of one wall
	// windows along walls across x and along walls across y, upwards in both; panels along x and y
	strips windows[2], band, panels[2];
	float emits[2][3];                  // of panels, of windows
	float wall[3], ceiling[3];          // reflectances
	float underneath, per_clearance;    // light.Underneath, and 1/light.Clearance
} hall;

typedef struct {
	// Bodies: their baked vertices in the body's frame, and the corners of triangles as indices from the first vertex
	// of the part.
	// mesh: in the mesh's frame; for a net, in its plane; for a texture, its coordinates
	const float *position[3], *normal[3], *mesh[3];
	const int32_t *corner[3];
	const material *materials;
	float net_pitch, net_thread; // as render.NetPitch, render.NetThread

	// Light and hall.
	float to_lamp[3], lamp[3], sky[3], bounce[3], background[3], tube[3];
	float carpet[3], line[3];
	material image;                         // on the floor; carpet is its mean; without a texture if there is none
	float image_scale[2], image_offset[2];  // from (x, y) on the floor to the place in it
	float hall_floor[3], hall_wall[3], wall_height;
	float carpet_reflectance, floor_reflectance, wall_reflectance; // as render.Infrared
	float carpet_half[2], hall_half[2];
	int32_t solid; // depth images show the hall's walls
	float wear;
	int32_t spots, shadowless;
	float spot_at[MAX_SPOTS][3], spot_light[MAX_SPOTS][3];
	lightmap light; // for plain light
	int32_t natural;
	hall hall;      // for natural light
	// (sheen[0] c² + sheen[1]) / ((c² + near[0]) (c² + near[1])) + sheen[2], as light.Sheen; 0 without sheen
	float sheen[3], sheen_near[2], sheen_tint[3];
	float seam_pitch, seams_per_metre, seam_dark; // as render.Seams
	// Traces of use on the markings, as render.Traces: levels of n × n texels of four bytes at n²; 0 without.
	const uint32_t *traces;
	float traces_per_metre;

	// Textures. The grain's level of n × n texels starts at n². A texel is four bytes: the grain at the texel and at
	// its right, lower, and lower right neighbours; it repeats.
	const uint32_t *grain;
	picture crowd;                     // on the hall's walls; its sides are powers of two
	float crowd_repeats, crowd_texels; // per metre

	// Markings, as render/internal/raster describes them.
	float mark[8][MAX_MARKS];
	int32_t marks;
} scene;

enum projection { PINHOLE, MIRROR, TABLE };

// draw is a draw call: a part of a body at a level of detail.
typedef struct {
	float rotWB[9], posWB[3]; // row by row
	int32_t first_vertex, vertices, first_triangle, triangles;
	int32_t material, body;
	// for natural light: around a moving body or, if own is not 0, around each vertex, in blocks
	const probe *probe;
	const float *own;
	float open[4];      // fraction of ambient light that the rest of the body lets through; see light.Open
} draw;

// chip is a render.Chip with the key of an image, as the numbers of package render/chip. Without a chip all are 0.
typedef struct {
	int32_t on, bayer, chromatic, glare;
	int32_t light; // whether planes hold light: for images with chromatic aberration, glare or columns
	float white; // least light that 8 bits show as white
	float exposure, shot, read, gain[3];
	// for red and blue: distance from the middle at which the lens takes a pixel's light, relative to the pixel's own
	float scale[2];
	uint32_t key[2];
	int32_t fixed; // whether there is fixed-pattern noise
	int32_t hot;   // a pixel is hot if its 31-bit random number is below
	float response, dark, row, column, hot_step, hot_charge;
	uint32_t fixed_key[4][2];
	float keep;     // fraction of the light that the lens does not scatter
	int32_t columns; // whether charge spills along columns, or light smears
	float spill, full, smear;
	float lamps[3]; // fraction of the light that comes from lamps, if they flicker
	int32_t flicker;
} chip;

// planes holds the light of an image whose pixels depend on each other, or in the first plane the readings of a mosaic.
// Rows have a stride that is a multiple of TILE_SIZE; their number is too.
typedef struct {
	float *plane[3];
	int32_t stride;
	float *rows;  // with flicker: relative deviation of the lamps' light for each row, padded to whole tiles
	float *glare; // scattered light at the middles of cells, for three colours, with a border of one cell
} planes;

// ranging is a render.Ranging that is not exact, as the numbers of package render/chip.
typedef struct {
	float near, far;
	float axial[3], slant[2], lateral[2];
	int32_t frays;
	int32_t none, mixed;
	float shadow, step;
	float light, signal_noise; // light is 0 if it is always enough
	int32_t margin;
	float focal[2], centre[2], per_focal[2];
	uint32_t key[2];
} ranging;

// distances is where an image's distances start, and the stride of its rows. Around distances to be measured there is a
// border: one pixel that repeats the outermost ones, and room for vector loads and stores.
typedef struct {
	float *z;
	int32_t stride;
} distances;

typedef struct {
	int32_t width, height;
	// turned: triangles that face the camera are anticlockwise in the image, with rows counted from the top
	int32_t projection, turned;
	float rotWC[9], eye[3];     // row by row
	// of the projection (x/w, y/w) of a pinhole or the unified model; cx and cy include the half pixel
	float fx, fy, cx, cy, xi;
	float lens[4];              // of the real camera: 1/fx, 1/fy and the centre, including the half pixel
	float scale;                // of a mirror's unified model
	// radii at which a mirror's image and its bright ring end, in the unified model's image plane
	float edge, rim;
	float vignetting;           // amount
	// For views with tables: directions of pixels (0 if the optics do not image them), rows of ray_stride, padded to
	// whole tiles; and pixels of directions, by stereographic coordinates.
	const float *ray[3];
	const float *seen; // two per texel, seen_size × seen_size
	int32_t ray_stride, seen_size;
	float axis, seen_scale, seen_edge;
	const draw *draws; // nearest first
	int32_t draws_count;
	// Motion of points in C since an earlier instant, to C then: a rotation, row by row, and a translation; first for
	// static points, then for each body. 0 for views without an earlier instant, and for views with tables.
	const float *before;
	chip chip;
	planes planes;
	float depth_limits[2]; // distances below the first become 0, above the second infinity
	int32_t ranges;        // whether distances are to be measured; true distances then go to truths first
	ranging ranging;
	distances truths;
} view;

// truth holds the addresses for a render.Truth.
typedef struct {
	uint16_t *labels;
	float *range, *normals, *flow;
} truth;

// The pixels of a tile are stored group by group (lanes.h): the groups of its first rows from left to right, then those
// below. The order differs between kernels, and is internal to them.

// bodies is the result of the bodies' pass for a tile: the mean of each pixel's samples. a is the fraction that bodies
// cover; r, g, b are their light times that fraction.
typedef struct {
	float r[TILE_PIXELS], g[TILE_PIXELS], b[TILE_PIXELS], a[TILE_PIXELS];
} bodies;

// light is the light that reaches the sensor at each pixel of a tile.
typedef struct {
	float r[TILE_PIXELS], g[TILE_PIXELS], b[TILE_PIXELS];
} light;

#endif
