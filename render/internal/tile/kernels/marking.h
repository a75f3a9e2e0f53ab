// Markings: which of them pixels may show, and which fraction of a pixel's footprint they cover.
#ifndef MARKING_H
#define MARKING_H

#include "sight.h"

// the rows of scene.mark; see raster.Marks
enum { MARK_X, MARK_Y, MARK_DX, MARK_DY, MARK_REACH, MARK_HALF, MARK_ROUND, MARK_LOW };

#define SHIFT_REACH 0.008f // metres, as render.ShiftReach

// markings lists the markings that pixels may show.
typedef struct {
	int count;
	uint8_t id[MAX_MARKS];
	uint8_t ends[MAX_MARKS]; // whether the pixels may show an end of it
	float wide;              // half of a footprint's largest width
} markings;

// find_markings tests the rectangle around pixels' floor points, and for round markings the circle around the
// rectangle.
static void find_markings(const scene *s, const bounds *t, markings *m) {
	m->wide = 0.5f * sqrtf(2 * t->step2 + 1e-10f) + (s->traces ? SHIFT_REACH : 0);
	m->count = 0;
	vf cx = set((t->lo[0] + t->hi[0]) / 2), cy = set((t->lo[1] + t->hi[1]) / 2);
	vf hx = set((t->hi[0] - t->lo[0]) / 2), hy = set((t->hi[1] - t->lo[1]) / 2);
	vf wide = set(m->wide), circle = sqrt_(fma_(hx, hx, hy * hy)) + wide;
	for (int from = 0; from < s->marks; from += LANES) {
		vf dx = load(s->mark[MARK_DX] + from), dy = load(s->mark[MARK_DY] + from), low = load(s->mark[MARK_LOW] + from);
		vf reach = load(s->mark[MARK_REACH] + from), half = load(s->mark[MARK_HALF] + from);
		vf qx = cx - load(s->mark[MARK_X] + from), qy = cy - load(s->mark[MARK_Y] + from);
		vf along = fma_(qx, dx, qy * dy), side = fma_(qy, dx, -qx * dy);
		vf rx = fma_(abs_(dx), hx, abs_(dy) * hy) + wide, ry = fma_(abs_(dy), hx, abs_(dx) * hy) + wide;
		vm near = and(le(abs_(side), half + ry), le(abs_(along), reach + rx)), inner = le(abs_(along) + rx, reach);

		vf r = sqrt_(fma_(qx, qx, qy * qy)), turn = fma_(-low, r, along), slack = (1 + abs_(low)) * circle;
		vm round = gt(load(s->mark[MARK_ROUND] + from), set(0.5f));
		vm near_arc = and(le(abs_(r - reach), half + circle), ge(turn, -slack)), inner_arc = ge(turn, slack);

		unsigned is_round = bits(round);
		unsigned found = (bits(near_arc) & is_round) | (bits(near) & ~is_round);
		unsigned whole = (bits(inner_arc) & is_round) | (bits(inner) & ~is_round);
		if (s->marks - from < LANES) found &= (1u << (s->marks - from)) - 1;
		for (; found; found &= found - 1) {
			int i = __builtin_ctz(found);
			m->id[m->count] = (uint8_t)(from + i);
			m->ends[m->count++] = !(whole >> i & 1);
		}
	}
}

// band is the fraction of a box of width w around s that lies within ±reach.
INLINE vf band(vf s, vf reach, vf w) {
	vf half = 0.5f * w;
	return (clamp(s + half, -reach, reach) - clamp(s - half, -reach, reach)) / w;
}

// width_along is the width of a footprint along a direction.
INLINE vf width_along(vf nx, vf ny, vf xx, vf xy, vf yx, vf yy) {
	vf a = fma_(xx, nx, xy * ny), b = fma_(yx, nx, yy * ny);
	return sqrt_(fma_(a, a, fma_(b, b, set(1e-10f))));
}

// covered is the fraction of the footprints at (x, y) that markings displaced by shift cover.
INLINE vf covered(const scene *s, const markings *m, vf x, vf y, vf shift) {
	vf sum = set(0), xx = across(x), xy = across(y), yx = down(x), yy = down(y);
	for (int k = 0; k < m->count; k++) {
		int i = m->id[k];
		vf dx = set(s->mark[MARK_DX][i]), dy = set(s->mark[MARK_DY][i]);
		vf reach = set(s->mark[MARK_REACH][i]), half = set(s->mark[MARK_HALF][i]);
		vf qx = x - s->mark[MARK_X][i], qy = y - s->mark[MARK_Y][i];
		vf along = fma_(qx, dx, qy * dy);
		if (s->mark[MARK_ROUND][i] > 0.5f) {
			vf r = sqrt_(fma_(qx, qx, qy * qy));
			vm near = lt(abs_(r - reach), half + m->wide);
			if (m->ends[k]) near = and(near, ge(along, s->mark[MARK_LOW][i] * r));
			if (!any(near)) continue;
			vf safe = max_(r, set(1e-4f));
			sum = sum + where(near, band(r - reach + shift, half, width_along(qx / safe, qy / safe, xx, xy, yx, yy)));
			continue;
		}
		vf side = fma_(qy, dx, -qx * dy);
		vm near = lt(abs_(side), half + m->wide);
		if (m->ends[k]) near = and(near, lt(abs_(along), reach + m->wide));
		if (!any(near)) continue;
		vf cover = band(side + shift, half, width_along(-dy, dx, xx, xy, yx, yy));
		if (m->ends[k]) cover = cover * band(along, reach, width_along(dx, dy, xx, xy, yx, yy));
		sum = sum + where(near, cover);
	}
	return min_(sum, set(1));
}

#endif
