// The memory of one image's vertex and triangle stages. It grows to the need of the largest image, and is reused.
#ifndef WORK_H
#define WORK_H

#include <stdlib.h>
#include <string.h>

#include "tile.h"

// Number of interpolated values per vertex: light that no shadow removes, light of the lamp, the position in the map of
// heights and the height there; then, for patterns, the position in the mesh; then, for balls and textures, the light
// that their colours reflect.
enum { PLAIN_FIELDS = 9, NET_FIELDS = 12, BALL_FIELDS = 18, MAX_FIELDS = BALL_FIELDS };

static inline int fields_of(int32_t pattern) {
	return pattern == PLAIN ? PLAIN_FIELDS : pattern == NET ? NET_FIELDS : BALL_FIELDS;
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

// grow makes room for n elements of a size, and 16 more. It keeps the content. It returns 0 if memory ran out.
static inline int grow(void *array, int32_t *room, int32_t n, size_t size) {
	if (n <= *room) return 1;
	int32_t wanted = n + n / 4;
	void *memory;
	memcpy(&memory, array, sizeof memory);
	memory = realloc(memory, ((size_t)wanted + 16) * size);
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

#endif
