// The memory of one image's vertex and triangle stages. It grows to the need of the largest image, and is reused.
#ifndef WORK_H
#define WORK_H

#include <stdlib.h>
#include <string.h>

#include "tile.h"

// Interpolated values of a vertex, three each: light that no shadow removes; for patterns, the position in the mesh;
// for balls and textures, the light that their colours reflect. With shadows, the light of the lamp follows, the
// position in the map of heights with the height there, and for balls and textures the lamp's light that their colours
// reflect.
enum { STILL, MESH = 3, AMBIENT = 6, MAX_FIELDS = 18 };

// has_colors reports whether a pattern has several colours, so that reflection is computed per pixel.
static inline int has_colors(int32_t pattern) {
	return pattern == SOCCER_BALL || pattern == TEXTURED || pattern == VERTEX_COLORS;
}

// direct_field is the index of a vertex's first value that only scenes with shadows have, fields_of the number of all.
static inline int direct_field(int32_t pattern) { return has_colors(pattern) ? 9 : pattern == NET ? 6 : 3; }
static inline int fields_of(int32_t pattern, int shadowless) {
	return direct_field(pattern) + (shadowless ? 0 : has_colors(pattern) ? 9 : 6);
}

enum { PLACE_X, PLACE_Y, PLACE_KEY, PLACE_INVERSE, PLACE };

// A small triangle whose corners are all lit, or all shaded, is so in between; one whose corners all face away from the
// lamp is shaded.
enum shade { PARTLY_SHADED, NOT_SHADED, WHOLLY_SHADED };

// triangle is a triangle that may cover a sample of the image.
typedef struct {
	float a[3], b[3], c[3];    // edges: a x + b y + c is not negative inside; edge i is opposite corner i
	float weight[3];           // times its edge this is a barycentric coordinate, up to a common factor
	float key[3];              // the plane key[0] x + key[1] y + key[2], which is larger for nearer points
	int32_t lit[3];            // offsets of the corners' numbers in work.lit
	int16_t x0, y0, x1, y1;    // pixels that it may touch, inclusive
	int32_t draw;
	uint8_t pattern, inclusive; // bit i: points on edge i are inside
	uint8_t clipped;           // by the near plane: nearer points are not drawn
	uint8_t shade;             // enum shade
} triangle;

typedef struct {
	int32_t tile, triangle;
} pair;

typedef struct {
	// allocated numbers of elements
	int32_t vertices_room, lit_room, triangles_room, pairs_room, tiles_room, members_room, starts_room;

	// four numbers per vertex: x and y, pixels; the key, 0 for vertices that are not in front of the camera; 1/w
	float *places;
	float *lamp;      // fraction of the lamp's light; -1 if the surface faces away from it
	float *lit;       // interpolated values, field after field, vertex after vertex
	int32_t *starts;  // of each draw call in lit, from first_draw on
	int32_t first_draw;
	triangle *triangles;
	int32_t triangles_count;
	pair *pairs; // in the triangles' order
	int32_t pairs_count;
	int32_t *first;   // of each tile in members, and the end
	int32_t *members; // triangles of each tile, in drawing order
	int32_t failed;   // whether memory ran out
} work;

// SPARE is the number of elements beyond the counted ones that vectors of LANES elements, and the fours in which
// place_vertices writes, may touch.
enum { SPARE = 16 };

// grow makes room for n elements of a size, and SPARE more. It keeps the content. It returns 0 if memory ran out.
static inline int grow(void *array, int32_t *room, int32_t n, size_t size) {
	if (n <= *room) return 1;
	int32_t wanted = n + n / 4;
	void *memory;
	memcpy(&memory, array, sizeof memory);
	memory = realloc(memory, ((size_t)wanted + SPARE) * size);
	if (!memory) return 0;
	memcpy(array, &memory, sizeof memory);
	*room = wanted;
	return 1;
}

static inline void free_work(work *k) {
	void *all[] = {k->places, k->lamp, k->lit, k->starts, k->triangles, k->pairs, k->first, k->members};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
	*k = (work){0};
}

// The memory of a pass over a stereo pair: see stereo.h.
typedef struct {
	uint8_t *paths; // costs of three paths in two rows, each with an entry before and after it, and of the fourth path
	uint8_t *least; // the least of each entry of paths
	uint8_t *cost;  // costs of a pixel, and the sum of four paths
	int16_t *row;   // sums of eight paths, pixel after pixel
	int16_t *chosen;
} pass;

typedef struct {
	int32_t width, height, disparities; // disparities is a multiple of 32
	int32_t unique, texture;            // limits of what is measured
	float scale, near, far;             // distance = scale / disparity, metres
	int16_t *luma;                      // of an image
	uint8_t *left, *right, *row;        // census of the images, in planes, and of a row
	uint8_t *sums;                      // of four paths
	int32_t *regions;                   // the first pixel of each pixel's region, and the sizes of regions
	pass passes[2];
} matching;

// MATCH_PAD is the number of bytes before and after the costs of a path's entry. MATCH_SPARE is the number of elements
// beyond a row that vectors may touch.
// NEVER is a cost that no path takes. CENSUS is the number of pairs of opposite pixels in a census. LEVEL is the sum of
// their differences, as the kernels compute it, if each is one of 255 levels.
enum { MATCH_PAD = 16, MATCH_SPARE = 32, NEVER = 245, CENSUS = 24, LEVEL = 4 * CENSUS };

static inline void free_matching(matching *m) {
	void *all[] = {m->luma, m->left, m->right, m->row, m->sums, m->regions};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
	for (int i = 0; i < 2; i++) {
		free(m->passes[i].paths), free(m->passes[i].least), free(m->passes[i].cost);
		free(m->passes[i].row), free(m->passes[i].chosen);
	}
	*m = (matching){0};
}

// allocate_matching allocates the memory for images of a size. It returns 0 if memory ran out.
static inline int allocate_matching(matching *m, int32_t width, int32_t height, int32_t disparities) {
	free_matching(m);
	size_t w = (size_t)width, h = (size_t)height, n = (size_t)disparities, entry = n + 2 * MATCH_PAD;
	size_t entries = 6 * (w + 2) + 2;
	m->width = width, m->height = height, m->disparities = disparities;
	m->luma = calloc(w * h + MATCH_SPARE, sizeof *m->luma);
	m->left = calloc(4 * h, w + MATCH_SPARE), m->right = calloc(3 * h, w + n), m->row = calloc(4, w + MATCH_SPARE);
	m->sums = malloc(w * h * n), m->regions = calloc(2 * w * h, sizeof *m->regions);
	int ok = m->luma && m->left && m->right && m->row && m->sums && m->regions;
	for (int i = 0; i < 2; i++) {
		pass *p = &m->passes[i];
		p->paths = calloc(entries, entry), p->least = calloc(entries, 1), p->cost = calloc(2, n);
		p->row = calloc(w * n, sizeof *p->row), p->chosen = calloc(3 * w + 2 * n, sizeof *p->chosen);
		ok = ok && p->paths && p->least && p->cost && p->row && p->chosen;
		for (size_t k = 0; p->paths && k < entries; k++)
			p->paths[k * entry + MATCH_PAD - 1] = p->paths[k * entry + MATCH_PAD + n] = NEVER;
	}
	if (!ok) free_matching(m);
	return ok;
}

#endif
