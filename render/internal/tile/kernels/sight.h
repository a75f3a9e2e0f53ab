// The viewing directions of a tile's pixels, and their floor points. The formulas are those of OpenGL's shaders
// aim.glsl, ray.glsl and floor.frag.
#ifndef SIGHT_H
#define SIGHT_H

#include <math.h>

#include "lanes.h"
#include "tile.h"

enum { GROUPS = TILE_PIXELS / LANES, GROUPS_ACROSS = TILE_SIZE / GROUP_W };

// aim holds what the rays of a view have in common.
typedef struct {
	// W: change of the ray per column and per row, its value at (0, 0), and an offset that is added last
	float column[3], row[3], first[3], rest[3];
	// scale and offset from pixels to the image plane; for a mirror, the unified model's
	float plane[4];
	float xi, rest_of_xi, square;               // of a mirror: ξ, 1 − ξ²; the square of the real camera's scale
} aim;

static aim aim_of(const view *v) {
	aim a = {.rest_of_xi = 1, .square = 1};
	float scale = v->projection == MIRROR ? 1 / v->scale : 1, axis = v->projection == MIRROR ? -1 : 1;
	a.plane[0] = v->lens[0] * scale, a.plane[1] = v->lens[1] * scale;
	a.plane[2] = -v->lens[2] * a.plane[0], a.plane[3] = -v->lens[3] * a.plane[1];
	if (v->projection == MIRROR) a.xi = v->xi, a.rest_of_xi = 1 - v->xi * v->xi, a.square = v->scale * v->scale;
	for (int i = 0; i < 3; i++) {
		const float *r = v->rotWC + 3 * i;
		if (v->projection == TABLE) {
			a.column[i] = r[0], a.row[i] = r[1], a.first[i] = r[2];
			continue;
		}
		a.column[i] = r[0] * a.plane[0], a.row[i] = r[1] * a.plane[1];
		a.first[i] = r[0] * a.plane[2] + r[1] * a.plane[3] + axis * r[2];
		a.rest[i] = a.xi * r[2];
	}
	return a;
}

// pixel_x and pixel_y are the positions of a group's pixels, given the first pixel of its tile.
INLINE vf pixel_x(int x0, int group) { return LANE_X + ((float)(x0 + group % GROUPS_ACROSS * GROUP_W) + 0.5f); }
INLINE vf pixel_y(int y0, int group) { return LANE_Y + ((float)(y0 + group / GROUPS_ACROSS * GROUP_H) + 0.5f); }

// radius2 is the squared distance from the axis in the image plane.
INLINE vf radius2(const aim *a, vf px, vf py) {
	vf mx = fma_(px, set(a->plane[0]), set(a->plane[2])), my = fma_(py, set(a->plane[1]), set(a->plane[3]));
	return fma_(mx, mx, my * my);
}

// bounds holds the bounds of some pixels of a tile.
typedef struct {
	float lo[2], hi[2]; // of their floor points
	float step2;        // largest step2
} bounds;

// sight holds the rays of a tile's pixels.
typedef struct {
	// W; for a pinhole with length 1 along the axis; 0 for blind pixels
	float dx[TILE_PIXELS], dy[TILE_PIXELS], dz[TILE_PIXELS];
	float x[TILE_PIXELS], y[TILE_PIXELS];                    // the point where the ray meets the floor
	// squared distance to the farther of the next pixels' floor points
	float step2[TILE_PIXELS];
	bounds all;
	int blind;                                               // whether any pixel is blind
} sight;

// wide_bounds holds bounds for each lane separately.
typedef struct {
	vf lo_x, lo_y, hi_x, hi_y, step2;
} wide_bounds;

INLINE wide_bounds no_bounds(void) { return (wide_bounds){set(INFINITY), set(INFINITY), set(-INFINITY), set(-INFINITY),
	set(0)}; }

INLINE void widen(wide_bounds *b, vf x, vf y, vf step2) {
	b->lo_x = min_(x, b->lo_x), b->lo_y = min_(y, b->lo_y), b->hi_x = max_(x, b->hi_x), b->hi_y = max_(y, b->hi_y);
	b->step2 = max_(step2, b->step2);
}

INLINE bounds narrowed(const wide_bounds *b) {
	return (bounds){{smallest(b->lo_x), smallest(b->lo_y)}, {largest(b->hi_x), largest(b->hi_y)}, largest(b->step2)};
}

// beside gives blind pixels a neighbour's floor point, so that they do not widen its footprint.
INLINE void beside(vm blind, vf *x, vf *y) {
	*x = select(blind, swap_x(*x), *x), *y = select(blind, swap_x(*y), *y);
	vm both = and(blind, gt(swap_x(where(blind, set(1))), set(0)));
	*x = select(both, swap_y(*x), *x), *y = select(both, swap_y(*y), *y);
}

INLINE void look_by(const view *v, const aim *a, int x0, int y0, int projection, sight *t) {
	wide_bounds b = no_bounds();
	unsigned blind = 0;
	for (int g = 0; g < GROUPS; g++) {
		vf px = pixel_x(x0, g), py = pixel_y(y0, g), k = set(1);
		vm dark = mask_of(0);
		if (projection == TABLE) {
			int at = (y0 + g / GROUPS_ACROSS * GROUP_H) * v->ray_stride + x0 + g % GROUPS_ACROSS * GROUP_W;
			px = load_rows(v->ray[0] + at, v->ray_stride), py = load_rows(v->ray[1] + at, v->ray_stride);
			k = load_rows(v->ray[2] + at, v->ray_stride);
			dark = le(max_(max_(abs_(px), abs_(py)), abs_(k)), set(0));
			blind |= bits(dark);
		}
		if (projection == MIRROR) {
			vf rho2 = radius2(a, px, py);
			k = (a->xi + sqrt_(max_(fma_(set(a->rest_of_xi), rho2, set(1)), set(0)))) / (1 + rho2);
		}
		vf d[3];
		for (int i = 0; i < 3; i++) {
			vf first = projection == TABLE ? a->first[i] * k : set(a->first[i]);
			d[i] = fma_(px, set(a->column[i]), fma_(py, set(a->row[i]), first));
			if (projection == MIRROR) d[i] = fma_(d[i], k, set(a->rest[i]));
		}
		vf way = min_(-v->eye[2] / min_(d[2], set(-1e-6f)), set(1e4f));
		vf x = fma_(d[0], way, set(v->eye[0])), y = fma_(d[1], way, set(v->eye[1]));
		if (projection == TABLE && any(dark)) beside(dark, &x, &y);
		vf xx = across(x), xy = across(y), yx = down(x), yy = down(y);
		vf step2 = max_(fma_(xx, xx, xy * xy), fma_(yx, yx, yy * yy));
		store(t->dx + g * LANES, d[0]);
		store(t->dy + g * LANES, d[1]);
		store(t->dz + g * LANES, d[2]);
		store(t->x + g * LANES, x);
		store(t->y + g * LANES, y);
		store(t->step2 + g * LANES, step2);
		widen(&b, x, y, step2);
	}
	t->all = narrowed(&b);
	t->blind = blind != 0;
}

static void look(const view *v, const aim *a, int x0, int y0, sight *t) {
	switch (v->projection) {
	case PINHOLE: look_by(v, a, x0, y0, PINHOLE, t); break;
	case MIRROR: look_by(v, a, x0, y0, MIRROR, t); break;
	default: look_by(v, a, x0, y0, TABLE, t);
	}
}

// A tile has parts of PART_ACROSS × PART_DOWN groups, 8 × 8 pixels each. part_group returns a part's first group.
enum { PARTS_ACROSS = 2, PARTS = 4, PART_ACROSS = GROUPS_ACROSS / PARTS_ACROSS,
	PART_DOWN = GROUPS / GROUPS_ACROSS / PARTS_ACROSS };

INLINE int part_group(int part) { return part / PARTS_ACROSS * PART_DOWN * GROUPS_ACROSS + part % PARTS_ACROSS *
	PART_ACROSS; }

INLINE bounds part_bounds(const sight *t, int part) {
	wide_bounds b = no_bounds();
	for (int row = 0; row < PART_DOWN; row++) {
		for (int col = 0; col < PART_ACROSS; col++) {
			int at = (part_group(part) + row * GROUPS_ACROSS + col) * LANES;
			widen(&b, load(t->x + at), load(t->y + at), load(t->step2 + at));
		}
	}
	return narrowed(&b);
}

#endif
