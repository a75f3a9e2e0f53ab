// The triangle stage: converts a view's triangles to edges and planes, drops those that cover no sample, and sorts the
// rest by tile.
#ifndef SETUP_H
#define SETUP_H

#include "vertex.h"

// Positions of a pixel's samples: OpenGL's usual four.
static const float sample_x[SAMPLES] = {0.375f, 0.875f, 0.125f, 0.625f}, sample_y[SAMPLES] = {0.125f, 0.375f, 0.625f,
	0.875f};
#define FIRST_SAMPLE 0.125f
#define LAST_SAMPLE 0.875f

// FEW_PIXELS is the largest width and height of a small triangle, pixels.
#define FEW_PIXELS 2.0f

// BARELY is the least value of an exclusive edge for a point inside.
#define BARELY 1e-37f

// edges holds the edges of LANES triangles.
typedef struct {
	vf a[3], b[3], c[3];
} edges;

// edge_between sets edge i, from one corner to the next. Its third number is computed from the same corner in both
// triangles that share the edge. One's value is then exactly the negative of the other's, and each sample belongs to
// exactly one of them.
INLINE void edge_between(edges *e, int i, vf x0, vf y0, vf x1, vf y1) {
	vm first = or(lt(y0, y1), and(le(y0, y1), lt(x0, x1)));
	vf x = select(first, x0, x1), y = select(first, y0, y1);
	e->a[i] = y0 - y1;
	e->b[i] = x1 - x0;
	e->c[i] = -(e->a[i] * x + e->b[i] * y);
}

// covers_none returns which triangles cover none of their samples and middles, for triangles that touch at most 2 × 2
// pixels, the first of which is at (px, py). It may miss a few, since tiles round differently.
INLINE vm covers_none(const edges *e, vf px, vf py) {
	vf at[3];
	for (int i = 0; i < 3; i++) at[i] = fma_(e->a[i], px, fma_(e->b[i], py, e->c[i])) +
		(abs_(e->a[i]) + abs_(e->b[i])) * (1.0f / 128);
	vm some = mask_of(0);
	for (int pixel = 0; pixel < 4; pixel++) {
		for (int k = 0; k <= SAMPLES; k++) {
			float x = (float)(pixel & 1) + (k < SAMPLES ? sample_x[k] : 0.5f), y = (float)(pixel >> 1) + (k < SAMPLES
				? sample_y[k] : 0.5f);
			vf in[3];
			for (int i = 0; i < 3; i++) in[i] = fma_(e->a[i], set(x), fma_(e->b[i], set(y), at[i]));
			some = or(some, ge(min_(in[0], min_(in[1], in[2])), set(0)));
		}
	}
	return not(some);
}

static int add_pair(work *k, int32_t tile, int32_t index) {
	if (!grow(&k->pairs, &k->pairs_room, k->pairs_count + 1, sizeof(pair))) {
		k->failed = 1;
		return 0;
	}
	k->pairs[k->pairs_count++] = (pair){tile, index};
	return 1;
}

// bin adds a triangle to the tiles that it may touch.
static void bin(work *k, const view *v, const triangle *t) {
	int cols = (v->width + TILE_SIZE - 1) / TILE_SIZE;
	int c0 = t->x0 / TILE_SIZE, c1 = t->x1 / TILE_SIZE, r0 = t->y0 / TILE_SIZE, r1 = t->y1 / TILE_SIZE;
	int several = c1 > c0 && r1 > r0;
	for (int row = r0; row <= r1; row++) {
		for (int col = c0; col <= c1; col++) {
			int outside = 0;
			// test the tile's corner farthest inside, plus half a pixel for rounding
			for (int i = 0; i < 3 && several; i++) {
				float x = (float)(col * TILE_SIZE) + (t->a[i] > 0 ? TILE_SIZE + 0.5f : -0.5f);
				float y = (float)(row * TILE_SIZE) + (t->b[i] > 0 ? TILE_SIZE + 0.5f : -0.5f);
				outside |= t->a[i] * x + t->b[i] * y + t->c[i] < 0;
			}
			if (!outside && !add_pair(k, row * cols + col, k->triangles_count)) return;
		}
	}
	k->triangles_count++;
}

// add_clipped adds a triangle with corners behind the near plane. Its edges are in homogeneous coordinates, which need
// no clipping (Olano and Greer, "Triangle scan conversion using 2D homogeneous coordinates", 1997).
static void add_clipped(work *k, const view *v, const int32_t corner[3], triangle t) {
	float p[3][3];
	for (int i = 0; i < 3; i++) {
		const float *at = k->places + PLACE * corner[i];
		float w = at[PLACE_KEY] > 0 ? 1 / at[PLACE_INVERSE] : at[PLACE_INVERSE], by = at[PLACE_KEY] > 0 ? w : 1;
		p[i][0] = at[PLACE_X] * by, p[i][1] = at[PLACE_Y] * by, p[i][2] = w;
	}
	for (int i = 0; i < 3; i++) {
		const float *q = p[(i + 1) % 3], *r = p[(i + 2) % 3];
		t.a[i] = q[1] * r[2] - q[2] * r[1];
		t.b[i] = q[2] * r[0] - q[0] * r[2];
		t.c[i] = q[0] * r[1] - q[1] * r[0];
		t.weight[i] = 1;
	}
	float det = p[0][0] * t.a[0] + p[0][1] * t.b[0] + p[0][2] * t.c[0];
	if (!(det > 0)) return;
	t.key[0] = (t.a[0] + t.a[1] + t.a[2]) / det;
	t.key[1] = (t.b[0] + t.b[1] + t.b[2]) / det;
	t.key[2] = (t.c[0] + t.c[1] + t.c[2]) / det;
	t.x0 = t.y0 = 0, t.x1 = (int16_t)(v->width - 1), t.y1 = (int16_t)(v->height - 1);
	t.inclusive = 7, t.clipped = 1;
	k->triangles[k->triangles_count] = t;
	bin(k, v, &k->triangles[k->triangles_count]);
}

// set_up adds the triangles of a draw call whose vertices are placed; their numbers start at lit in work.lit.
static void set_up(const scene *s, const view *v, int32_t index, work *k, int32_t lit) {
	const draw *d = &v->draws[index];
	const int32_t pattern = s->materials[d->material].pattern, fields = fields_of(pattern, s->shadowless);
	const int32_t *corner[3];
	for (int i = 0; i < 3; i++) corner[i] = s->corner[i] + d->first_triangle;
	if (!v->turned) { // so that inside is positive
		const int32_t *other = corner[1];
		corner[1] = corner[2], corner[2] = other;
	}
	for (int32_t from = 0; from < d->triangles && !k->failed; from += LANES) {
		int32_t left = d->triangles - from;
		vm there = mask_of(left >= LANES ? ~0u : (1u << left) - 1);
		vi at[3];
		vf x[3], y[3], key[3], inverse[3];
		for (int i = 0; i < 3; i++) {
			at[i] = iselect(there, iload(corner[i] + from), iset(0));
			int32_t vertex[LANES];
			istore(vertex, at[i]);
			vf fours[PLACE];
			for (int j = 0; j < PLACE; j++) fours[j] = load_quads(k->places, vertex + j);
			transpose(fours);
			x[i] = fours[PLACE_X], y[i] = fours[PLACE_Y], key[i] = fours[PLACE_KEY], inverse[i] = fours[PLACE_INVERSE];
		}
		if (v->projection == TABLE) { // a triangle beyond the table's end is drawn up to the end
			vm some = or(or(gt(key[0], set(0)), gt(key[1], set(0))), gt(key[2], set(0)));
			for (int i = 0; i < 3; i++) key[i] = where(some, abs_(key[i]));
		}
		vm front0 = gt(key[0], set(0)), front1 = gt(key[1], set(0)), front2 = gt(key[2], set(0));
		vm whole = and(and(front0, front1), front2), part = and(or(or(front0, front1), front2), not(whole));
		vf area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
		vf lo_x = min_(x[0], min_(x[1], x[2])), hi_x = max_(x[0], max_(x[1], x[2]));
		vf lo_y = min_(y[0], min_(y[1], y[2])), hi_y = max_(y[0], max_(y[1], y[2]));
		vf x0 = max_(-floor_(LAST_SAMPLE - lo_x), set(0)), x1 = min_(floor_(hi_x - FIRST_SAMPLE),
			set((float)(v->width - 1)));
		vf y0 = max_(-floor_(LAST_SAMPLE - lo_y), set(0)), y1 = min_(floor_(hi_y - FIRST_SAMPLE),
			set((float)(v->height - 1)));
		vm kept = and(and(and(there, whole), gt(area, set(0))), and(le(x0, x1), le(y0, y1)));
		if (v->projection == PINHOLE && any(and(part, there))) {
			for (unsigned m = bits(and(part, there)); m; m &= m - 1) {
				int lane = __builtin_ctz(m);
				triangle t = {.draw = index, .pattern = (uint8_t)pattern};
				int32_t c[3];
				for (int i = 0; i < 3; i++) c[i] = at[i][lane], t.lit[i] = lit + c[i] * fields;
				add_clipped(k, v, c, t);
			}
		}
		if (!any(kept)) continue;
		edges e;
		for (int i = 0; i < 3; i++) {
			int p = (i + 1) % 3, q = (i + 2) % 3;
			edge_between(&e, i, x[p], y[p], x[q], y[q]);
		}
		vm small = and(kept, and(le(x1, x0 + 1), le(y1, y0 + 1)));
		if (any(small)) kept = and(kept, not(and(small, covers_none(&e, x0, y0))));
		if (!any(kept)) continue;
		vf by = 1 / area;
		vf key_x = (e.a[1] * (key[1] - key[0]) + e.a[2] * (key[2] - key[0])) * by;
		vf key_y = (e.b[1] * (key[1] - key[0]) + e.b[2] * (key[2] - key[0])) * by;
		vf key_0 = key[0] - fma_(key_x, x[0], key_y * y[0]);
		vi inclusive = iset(0);
		for (int i = 0; i < 3; i++) {
			vm in = or(gt(e.a[i], set(0)), and(and(le(e.a[i], set(0)), ge(e.a[i], set(0))), gt(e.b[i], set(0))));
			inclusive |= iselect(in, iset(1 << i), iset(0));
		}
		unsigned bright = 0, dark = 0;
		if (!s->shadowless) {
			vf lamp[3];
			for (int i = 0; i < 3; i++) lamp[i] = gather(k->lamp, at[i]);
			vm few = and(le(x1 - x0, set(FEW_PIXELS)), le(y1 - y0, set(FEW_PIXELS)));
			bright = bits(and(few, ge(min_(lamp[0], min_(lamp[1], lamp[2])), set(1))));
			vf most = max_(lamp[0], max_(lamp[1], lamp[2]));
			dark = bits(or(lt(most, set(0)), and(few, le(most, set(0)))));
		}
		for (unsigned m = bits(kept); m && !k->failed; m &= m - 1) {
			int lane = __builtin_ctz(m);
			triangle *t = &k->triangles[k->triangles_count];
			for (int i = 0; i < 3; i++) {
				t->a[i] = e.a[i][lane], t->b[i] = e.b[i][lane], t->c[i] = e.c[i][lane];
				t->weight[i] = inverse[i][lane];
				t->lit[i] = lit + at[i][lane] * fields;
			}
			t->key[0] = key_x[lane], t->key[1] = key_y[lane], t->key[2] = key_0[lane];
			t->x0 = (int16_t)x0[lane], t->x1 = (int16_t)x1[lane], t->y0 = (int16_t)y0[lane], t->y1 = (int16_t)y1[lane];
			t->draw = index, t->pattern = (uint8_t)pattern, t->inclusive = (uint8_t)inclusive[lane], t->clipped = 0;
			t->shade = bright >> lane & 1 ? NOT_SHADED : dark >> lane & 1 ? WHOLLY_SHADED : PARTLY_SHADED;
			bin(k, v, t);
		}
	}
}

// sort_pairs lists each tile's triangles in drawing order.
static void sort_pairs(const view *v, work *k) {
	int32_t tiles = ((v->width + TILE_SIZE - 1) / TILE_SIZE) * ((v->height + TILE_SIZE - 1) / TILE_SIZE);
	if (!grow(&k->first, &k->tiles_room, tiles + 2, sizeof *k->first) || !grow(&k->members, &k->members_room,
		k->pairs_count, sizeof *k->members)) {
		k->failed = 1;
		return;
	}
	memset(k->first, 0, ((size_t)tiles + 2) * sizeof *k->first);
	for (int32_t i = 0; i < k->pairs_count; i++) k->first[k->pairs[i].tile + 2]++;
	for (int32_t i = 2; i < tiles + 2; i++) k->first[i] += k->first[i - 1];
	for (int32_t i = 0; i < k->pairs_count; i++) k->members[k->first[k->pairs[i].tile + 1]++] = k->pairs[i].triangle;
}

// prepare runs the vertex and triangle stages for some of a view's draw calls. It returns 0 if memory ran out.
static int prepare(const scene *s, const view *v, int32_t from, int32_t to, work *k) {
	k->triangles_count = k->pairs_count = k->failed = 0;
	int32_t most = 0, numbers = 0, triangles = 0;
	for (int32_t i = from; i < to; i++) {
		const draw *d = &v->draws[i];
		if (d->vertices > most) most = d->vertices;
		numbers += d->vertices * fields_of(s->materials[d->material].pattern, s->shadowless);
		triangles += d->triangles;
	}
	int32_t room = k->vertices_room;
	if (!grow(&k->places, &k->vertices_room, most, PLACE * sizeof(float)) || !grow(&k->lamp, &room, most,
		sizeof(float))) return 0;
	if (!grow(&k->lit, &k->lit_room, numbers, sizeof(float)) || !grow(&k->triangles, &k->triangles_room, triangles,
		sizeof(triangle))) return 0;
	if (!grow(&k->starts, &k->starts_room, to - from, sizeof *k->starts)) return 0;
	k->first_draw = from;
	int32_t lit = 0;
	for (int32_t i = from; i < to && !k->failed; i++) {
		const draw *d = &v->draws[i];
		k->starts[i - from] = lit;
		place_vertices(s, v, d, k, k->lit + lit);
		set_up(s, v, i, k, lit);
		lit += d->vertices * fields_of(s->materials[d->material].pattern, s->shadowless);
	}
	if (!k->failed) sort_pairs(v, k);
	return !k->failed;
}

#endif
