// What the Go side hands to the kernels. Lengths are metres, W is the world, C a camera's optical frame, B a body's frame. Positions in
// images are pixels, with (0, 0) in the corner of the first pixel. Light is linear. All memory that structs point to belongs to the Go side and
// was allocated by C, with room for 16 elements more than there are.
#ifndef TILE_H
#define TILE_H

#include <stdint.h>

enum { TILE_SIZE = 16, TILE_PIXELS = TILE_SIZE * TILE_SIZE, SAMPLES = 4 };
enum { GLARE_CELL = 16 }; // pixels a side of what scattered light is computed for
enum { LONGEST_SIDE = 1 << 14 }; // of images, pixels: triangles' bounds are numbers of 16 bits
enum { MAX_SPOTS = 8, MAX_MARKS = 256, MAX_LEVELS = 16, SHADE_CELLS = 128, MAX_TAPS = 64 };
enum { TEXTURE_TAPS = 4 }; // as render.TextureTaps
enum wrap { REPEAT, CLAMP_TO_EDGE, MIRRORED_REPEAT }; // as render.Wrap
enum { GRAIN_ORDER = 8 }; // the carpet's grain has 2^GRAIN_ORDER texels a side
enum { TRACE_ORDER = 9 }; // the map of traces likewise

enum pattern { PLAIN, SOCCER_BALL, NET, TEXTURED }; // as render.Pattern

// picture is a texture in colour: level l begins at texel first[l] and has width >> l by height >> l texels, at least 1. A texel is three times 10
// bits, red lowest: the square roots of linear light.
typedef struct {
	const uint32_t *texels;
	int32_t first[MAX_LEVELS];
	int32_t width, height, levels; // 0 levels: there is none
} picture;

typedef struct {
	float color[3], color2[3], gloss, shininess;
	int32_t pattern;
	float f0[3], roughness; // of natural light; the square root of GGX's
	int32_t metal;
	float sharper[2]; // as light.Sharper
	const picture *texture; // of TEXTURED
	int32_t wrap[2];
} material;

// tap is how much of the lamp's light and of the light from all around a shaded texel takes from one (dx, dy) texels away, in 1/65280.
typedef struct {
	int16_t dx, dy;
	uint16_t lamp, sky;
} tap;

// lightmap is the shadows of one instant, as maps over the floor along the lamp's rays; see light.h.
typedef struct {
	int32_t width, height, stride; // texels; stride is of a row
	float scale[2], offset[2];     // from (x, y) on the floor to the map, 0 to 1
	float slope[2];                // of the lamp's rays: (dx, dy) per height
	float top;                     // of the range of heights
	uint16_t *heights;             // up to what height bodies stop the rays, in 1/65535 of top
	uint16_t *light;               // shares of the lamp's light, in the lower byte, and of the light from all around that reach the floor, in 1/255
	uint16_t *static_heights;      // of static bodies alone
	uint16_t *static_light;
	const uint64_t *shaded;        // SHADE_CELLS rows of as many bits: whether a cell of the map may have less than full light
	const float *corner[9];        // of triangles that cast shadows: x, y and z of the first, the second and the third corner, in B
	tap tap[MAX_TAPS];             // of the filter that softens shadows on the floor
	int32_t taps, near_taps;       // the first near_taps alone take of the lamp's light
	int32_t floor_step;            // heights up to it do not shade the floor
} lightmap;

// caster is a body that casts shadows.
typedef struct {
	float rotWB[9], posWB[3];          // row by row
	int32_t first_triangle, triangles; // of the lightmap's
	int32_t row0, row1;                // of the map, from row0 up to, not including, row1, that it may reach
} caster;

// texels is a rectangle of the map, from (x0, y0) up to, not including, (x1, y1).
typedef struct {
	int32_t x0, y0, x1, y1;
} texels;

// probe is the natural light that comes to a body from all around: nine coefficients of each colour, at two heights; see light.Probe.
typedef struct {
	float low, per_height; // metres; 1/(difference of the heights)
	float of[2][3][9];
} probe;

// strips is a light.Row: strips that follow each other evenly.
typedef struct {
	float first, pitch, per_pitch, half, last; // middle of the first, metres; number of the last
} strips;

enum { FLOOR_BLOCK = 16, MOST_FLOOR_BLOCKS = 64 }; // texels of the floor's light that are mixed at once; and how many such a row has at most

// Natural light that is kept in textures: a texel has square roots of shares of a largest light, red in the lowest 11 bits, then green in 11, blue in 10.
enum { CODE_MOST = 2047, CODE_MOST_BLUE = 1023 };

// hall is how natural light is spread over floor, walls and ceiling; see natural.h.
typedef struct {
	// The floor's is a map of texels.
	int32_t width, height, stride; // texels; stride is of a row, a multiple of FLOOR_BLOCK
	float scale[2], offset[2];     // from (x, y) on the floor to texels, 0 in the middle of the first
	const float *full[2][3];       // of lamps and of windows, by colour, where no body takes any
	const uint16_t *shares;        // of lamps' light that bodies leave, in the lower byte, and of windows', 1/255
	uint32_t *floor;               // what arrives
	float floor_most;              // the largest light that texels stand for

	// Nodes of the four walls one beside the other, at −x, +x, −y and +y, and behind them those of the ceiling; spread from edge to edge.
	const uint32_t *faces;
	float faces_most;
	int32_t wall_cols, wall_rows, walls_stride, ceiling_cols, ceiling_rows, ceiling_first; // cols: of one wall
	strips windows[2], band, panels[2]; // of windows along walls across x and along walls across y, upwards in both; panels along x and y
	float emits[2][3];                  // panels, windows
	float wall[3], ceiling[3];          // reflectances
	float underneath, per_clearance;    // as light.Underneath, and 1/light.Clearance
} hall;

typedef struct {
	// Bodies: their baked vertices, in the body's frame, and the corners of triangles, counted from the first vertex of the part.
	const float *position[3], *normal[3], *mesh[3]; // mesh: in the mesh's frame; of a net, in its plane; of a texture, in it
	const int32_t *corner[3];
	const material *materials;
	float net_pitch, net_thread; // as render.NetPitch, render.NetThread

	// Light and hall.
	float to_lamp[3], lamp[3], sky[3], bounce[3], background[3], tube[3];
	float carpet[3], line[3];
	float hall_floor[3], hall_wall[3], wall_height;
	float carpet_half[2], hall_half[2];
	float wear;
	int32_t spots, shadowless;
	float spot_at[MAX_SPOTS][3], spot_light[MAX_SPOTS][3];
	lightmap light; // of plain light
	int32_t natural;
	hall hall;      // of natural light
	float sheen[3], sheen_near[2], sheen_tint[3]; // (sheen[0] c² + sheen[1]) / ((c² + near[0]) (c² + near[1])) + sheen[2]; as light.Sheen, 0 without
	float seam_pitch, seams_per_metre, seam_dark; // as render.Seams
	// Traces of use on the markings: as render.Traces, its levels of n × n texels of four bytes at n²; 0 without.
	const uint32_t *traces;
	float traces_per_metre;

	// Textures. The grain's level of n × n texels begins at n². A texel is four bytes, the grain there and at its right, lower, and lower right
	// neighbours; it repeats.
	const uint32_t *grain;
	picture crowd;                     // on the hall's walls; its sides are powers of two
	float crowd_repeats, crowd_texels; // per metre

	// Markings, as render/internal/raster describes them.
	float mark[8][MAX_MARKS];
	int32_t marks;
} scene;

enum projection { PINHOLE, MIRROR, TABLE };

// draw is a part of a body at a level of detail.
typedef struct {
	float rotWB[9], posWB[3]; // row by row
	int32_t first_vertex, vertices, first_triangle, triangles;
	int32_t material, body;
	const probe *probe; // of natural light
	float open[4];      // what share of it the rest of the body lets through; see light.Open
} draw;

// chip is a render.Chip with the key of an image, as numbers of package render/chip. Without a chip all are 0.
typedef struct {
	int32_t on, bayer, chromatic, glare;
	int32_t light; // whether planes hold its light: of an image with chromatic aberration, glare or columns
	float white; // least light that 8 bits show as white
	float exposure, shot, read, gain[3];
	float scale[2]; // of red and blue: from how far from the middle the lens takes the light for a pixel, as a share of its own distance
	uint32_t key[2];
	int32_t fixed; // whether there is fixed-pattern noise
	int32_t hot;   // of 2^31 random numbers so many make a pixel hot
	float response, dark, row, column, hot_step, hot_charge;
	uint32_t fixed_key[4][2];
	float keep;     // share of the light that the lens does not scatter
	int32_t columns; // whether charge spills along columns, or light smears
	float spill, full, smear;
	float lamps[3]; // share of the lamps in the light, where these flicker
	int32_t flicker;
} chip;

// planes holds the light of an image whose pixels depend on each other, or in the first what each pixel of a mosaic reads: rows of a stride that is a
// multiple of TILE_SIZE, of whole tiles.
typedef struct {
	float *plane[3];
	int32_t stride;
	float *rows;  // where lamps flicker: by which share they give more light to each row, of whole tiles
	float *glare; // scattered light at the middles of cells, three times, with a border of a cell
} planes;

// ranging is a render.Ranging that is not exact, as numbers of package render/chip.
typedef struct {
	float near, far;
	float axial[3], slant[2], lateral[2];
	int32_t frays;
	int32_t none, mixed;
	float shadow, step;
	float focal[2], centre[2], per_focal[2];
	uint32_t key[2];
} ranging;

// distances is where those of an image begin, and how far its rows are apart. Around those that are to be measured there is a border, of a pixel that
// repeats the outermost ones, and of what vectors may read or write beyond.
typedef struct {
	float *z;
	int32_t stride;
} distances;

typedef struct {
	int32_t width, height;
	int32_t projection, turned; // turned: triangles that face the camera are anticlockwise in the image, rows counted from the top
	float rotWC[9], eye[3];     // row by row
	float fx, fy, cx, cy, xi;   // of the projection (x/w, y/w) of a pinhole or the unified model; cx, cy with the half pixel
	float lens[4];              // of the real camera: 1/fx, 1/fy and the centre, with the half pixel
	float scale;                // of a mirror's unified model
	float edge, rim;            // where a mirror's image and its bright ring end, in the unified model's image plane
	float vignetting;           // share
	// By table: directions of pixels (0 where the optics image nothing), rows of ray_stride, of whole tiles; pixels of directions, by stereographic
	// coordinates.
	const float *ray[3];
	const float *seen; // two a texel, seen_size × seen_size
	int32_t ray_stride, seen_size;
	float axis, seen_scale, seen_edge;
	const draw *draws; // nearest first
	int32_t draws_count;
	// Where points in C were at an earlier instant, in C of then: a rotation, row by row, and a translation. First those of what never moves,
	// then those of each body. 0 for views without an earlier instant, and for those by table.
	const float *before;
	chip chip;
	planes planes;
	float depth_limits[2]; // what is nearer is at 0, what is farther at infinity
	int32_t ranges;        // whether distances are to be measured, which go into truths before
	ranging ranging;
	distances truths;
} view;

// truth is where what a render.Truth has goes.
typedef struct {
	uint16_t *labels;
	float *range, *normals, *flow;
} truth;

// The pixels of a tile lie group by group (lanes.h): the groups of its first rows from left to right, then those below. That order differs between
// kernels; it never leaves them.

// bodies is what the bodies' pass leaves of a tile: the mean of each pixel's samples, where a is the share that bodies cover and r, g, b are
// their light times that share.
typedef struct {
	float r[TILE_PIXELS], g[TILE_PIXELS], b[TILE_PIXELS], a[TILE_PIXELS];
} bodies;

// light is what reaches the chip from each pixel of a tile.
typedef struct {
	float r[TILE_PIXELS], g[TILE_PIXELS], b[TILE_PIXELS];
} light;

#endif
