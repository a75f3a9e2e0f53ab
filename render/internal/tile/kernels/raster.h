// The bodies' pass of one tile: which triangle each sample shows, and its light. The formulas are those of OpenGL's
// shader mesh.frag.
#ifndef RASTER_H
#define RASTER_H

#include "light.h"
#include "setup.h"
#include "sight.h"
#include "texture.h"

// samples holds the samples of a tile's pixels; light is multiplied by a, the fraction that bodies cover.
typedef struct {
	float key[SAMPLES][TILE_PIXELS], r[SAMPLES][TILE_PIXELS], g[SAMPLES][TILE_PIXELS], b[SAMPLES][TILE_PIXELS],
		a[SAMPLES][TILE_PIXELS];
} samples;

// here is a triangle in a tile, relative to the corner of the tile's first pixel.
typedef struct {
	float a[3], b[3], c[3];
	float offset[3][SAMPLES]; // change of an edge from a pixel's corner to a sample
	float least[3];           // smallest value of an edge inside
	float key_x, key_y, key_0, key_offset[SAMPLES], key_most;
} here;

INLINE void move_here(const triangle *t, float tx, float ty, here *h) {
	for (int i = 0; i < 3; i++) {
		h->a[i] = t->a[i], h->b[i] = t->b[i];
		h->c[i] = t->a[i] * tx + t->b[i] * ty + t->c[i];
		h->least[i] = t->inclusive >> i & 1 ? 0 : BARELY;
		for (int k = 0; k < SAMPLES; k++) h->offset[i][k] = t->a[i] * sample_x[k] + t->b[i] * sample_y[k];
	}
	h->key_x = t->key[0], h->key_y = t->key[1];
	h->key_0 = t->key[0] * tx + t->key[1] * ty + t->key[2];
	for (int k = 0; k < SAMPLES; k++) h->key_offset[k] = t->key[0] * sample_x[k] + t->key[1] * sample_y[k];
	h->key_most = t->clipped ? 1 / NEAR : 3e38f;
}

// ball_white is the fraction of a ball's first colour in a direction from its middle. The ball is a truncated
// icosahedron. The cosines to the twelve pentagons' centres determine the nearest one. A pentagon ends where the sum of
// the second and third largest exceeds 1.32235 times the largest, because its corners divide the icosahedron's edges at
// a third.
INLINE vf ball_white(vec d) {
	const float p = 0.5257311f, q = 0.8506508f;
	d = scaled(d, 1 / sqrt_(dot(d, d)));
	vf s0 = abs_(fma_(set(p), d.x, q * d.y)), s1 = abs_(fma_(set(p), d.y, q * d.z)),
		s2 = abs_(fma_(set(p), d.z, q * d.x));
	vf t0 = abs_(fma_(set(p), d.x, -q * d.y)), t1 = abs_(fma_(set(p), d.y, -q * d.z)),
		t2 = abs_(fma_(set(p), d.z, -q * d.x));
	// The largest three of the six; each of l is below its partner in h.
	vf h0 = max_(s0, t0), h1 = max_(s1, t1), h2 = max_(s2, t2), l0 = min_(s0, t0), l1 = min_(s1, t1), l2 = min_(s2, t2);
	vf high = max_(h0, max_(h1, h2)), low = min_(h0, min_(h1, h2)), middle = h0 + h1 + h2 - high - low;
	vf l_high = max_(l0, max_(l1, l2)), l_low = min_(l0, min_(l1, l2)), l_middle = l0 + l1 + l2 - l_high - l_low;
	vf second = max_(middle, l_high), third = max_(min_(middle, l_high), max_(low, l_middle));
	vf edge = second + third - 1.32235f * high;
	vf width = max_(abs_(across(edge)) + abs_(down(edge)), set(1e-4f));
	return clamp(edge / width + 0.5f, set(0), set(1));
}

// threads is the fraction of a pixel that a net's threads in both directions cover; x and y are in the net's plane.
INLINE vf threads(const scene *s, vf x, vf y) {
	const float pitch = s->net_pitch, thread = s->net_thread;
	vf q[2] = {x, y}, open = set(1);
	for (int i = 0; i < 2; i++) {
		vf w = max_(abs_(across(q[i])) + abs_(down(q[i])), set(1e-5f));
		// Integral of the threads' profile over the pixel's width.
		vf lo = (q[i] - 0.5f * w) / pitch, hi = (q[i] + 0.5f * w) / pitch;
		vf whole_lo = floor_(lo), whole_hi = floor_(hi);
		vf f = whole_hi * thread + min_((hi - whole_hi) * pitch, set(thread)) - whole_lo * thread -
			min_((lo - whole_lo) * pitch, set(thread));
		open = open * (1 - clamp(f / w, set(0), set(1)));
	}
	return 1 - open;
}

// radiance returns the light of a triangle at the middles of pixels; cover is the fraction that is not holes. e holds
// the values of its edges there.
INLINE vec radiance(const scene *s, const material *m, const float *numbers, const triangle *t, const vf e[3],
	int pattern, vf *cover) {
	vf w0 = e[0] * t->weight[0], w1 = e[1] * t->weight[1], w2 = e[2] * t->weight[2];
	vf by = 1 / (w0 + w1 + w2);
	w0 *= by, w1 *= by, w2 *= by;
	const float *p = numbers + t->lit[0], *q = numbers + t->lit[1], *r = numbers + t->lit[2];
#define AT(i) fma_(w0, set(p[i]), fma_(w1, set(q[i]), w2 * r[i]))
#define THREE(i) {AT(i), AT((i) + 1), AT((i) + 2)}
	const int direct = direct_field(pattern), shade = direct + 3;
	vec sum = THREE(STILL);
	vf share = set(t->shade == NOT_SHADED ? 1 : 0);
	if (!s->shadowless && t->shade == PARTLY_SHADED) share = lit(&s->light, AT(shade), AT(shade + 1),
		AT(shade + 2));
	if (!s->shadowless && t->shade != WHOLLY_SHADED) {
		vec lamp = THREE(direct);
		sum = (vec){fma_(lamp.x, share, sum.x), fma_(lamp.y, share, sum.y), fma_(lamp.z, share, sum.z)};
	}
	*cover = set(1);
	if (has_colors(pattern)) {
		vec around = THREE(AMBIENT), color, mesh = THREE(MESH);
		if (!s->shadowless) {
			vec lamp = THREE(direct + 6);
			around = add(around, scaled(lamp, share));
		}
		if (pattern == TEXTURED) {
			vf light[3];
			texture_at(m, mesh.x, mesh.y, light);
			color = times((vec){light[0], light[1], light[2]}, vec_of(m->color2));
		} else if (pattern == VERTEX_COLORS) {
			color = mesh;
		} else {
			color = mixed(vec_of(m->color2), vec_of(m->color), ball_white(mesh));
		}
		sum = add(sum, times(color, around));
	}
	if (pattern == NET) *cover = threads(s, AT(MESH), AT(MESH + 1));
#undef THREE
#undef AT
	return (vec){min_(sum.x, set(1)), min_(sum.y, set(1)), min_(sum.z, set(1))};
}

INLINE void blend(float *p, vm where, vf v, vf cover) {
	vf old = load(p);
	store(p, select(where, fma_(v - old, cover, old), old)); // v·cover + old·(1 − cover)
}

// groups_of returns a bit for each group of a tile that a triangle may touch: groups within its bounds for which each
// edge has a corner inside.
INLINE uint32_t groups_of(const triangle *t, const here *h, int x0, int y0) {
	int gx0 = t->x0 > x0 ? (t->x0 - x0) / GROUP_W : 0, gx1 = t->x1 < x0 + TILE_SIZE ? (t->x1 - x0) / GROUP_W
		: GROUPS_ACROSS - 1;
	int gy0 = t->y0 > y0 ? (t->y0 - y0) / GROUP_H : 0, gy1 = t->y1 < y0 + TILE_SIZE ? (t->y1 - y0) / GROUP_H
		: GROUPS / GROUPS_ACROSS - 1;
	uint32_t row = (2u << gx1) - (1u << gx0), all = 0;
	for (int gy = gy0; gy <= gy1; gy++) all |= row << gy * GROUPS_ACROSS;
	if (!(all & (all - 1))) return all;
	uint32_t inside = 0;
	for (int g = 0; g < GROUPS; g += LANES) {
		vf x = LANE_X * GROUP_W, y = (LANE_Y + (float)(g / GROUPS_ACROSS)) * GROUP_H;
		vm in = mask_of(~0u);
		for (int i = 0; i < 3; i++) {
			float most = h->c[i] + (h->a[i] > 0 ? h->a[i] * GROUP_W : 0) + (h->b[i] > 0 ? h->b[i] * GROUP_H : 0);
			in = and(in, ge(fma_(set(h->a[i]), x, fma_(set(h->b[i]), y, set(most))), set(0)));
		}
		inside |= bits(in) << g;
	}
	return all & inside;
}

// draw_triangle adds a triangle to the samples of a tile.
INLINE void draw_triangle(const scene *s, const material *m, const float *numbers, const triangle *t, int x0, int y0,
	int pattern, samples *into) {
	here h;
	move_here(t, (float)x0, (float)y0, &h);
	for (uint32_t groups = groups_of(t, &h, x0, y0); groups; groups &= groups - 1) {
		int g = __builtin_ctz(groups), at = g * LANES;
		vf x = LANE_X + (float)(g % GROUPS_ACROSS * GROUP_W), y = LANE_Y + (float)(g / GROUPS_ACROSS * GROUP_H);
		vf e[3];
		for (int i = 0; i < 3; i++) e[i] = fma_(set(h.a[i]), x, fma_(set(h.b[i]), y, set(h.c[i])));
		vm in[SAMPLES], some = mask_of(0);
		for (int k = 0; k < SAMPLES; k++) {
			in[k] = and(and(ge(e[0] + h.offset[0][k], set(h.least[0])), ge(e[1] + h.offset[1][k], set(h.least[1]))),
				ge(e[2] + h.offset[2][k], set(h.least[2])));
			some = or(some, in[k]);
		}
		if (!any(some)) continue;
		vf key = fma_(set(h.key_x), x, fma_(set(h.key_y), y, set(h.key_0)));
		some = mask_of(0);
		for (int k = 0; k < SAMPLES; k++) {
			vf here_key = key + h.key_offset[k], old = load(into->key[k] + at);
			in[k] = and(in[k], and(ge(here_key, old), le(here_key, set(h.key_most))));
			some = or(some, in[k]);
			if (pattern != NET) store(into->key[k] + at, select(in[k], here_key, old));
		}
		if (!any(some)) continue;
		vf middle[3], cover;
		for (int i = 0; i < 3; i++) middle[i] = e[i] + 0.5f * (h.a[i] + h.b[i]);
		vec light = radiance(s, m, numbers, t, middle, pattern, &cover);
		for (int k = 0; k < SAMPLES; k++) {
			if (pattern == NET) {
				blend(into->r[k] + at, in[k], light.x, cover);
				blend(into->g[k] + at, in[k], light.y, cover);
				blend(into->b[k] + at, in[k], light.z, cover);
				blend(into->a[k] + at, in[k], set(1), cover);
				continue;
			}
			store(into->r[k] + at, select(in[k], light.x, load(into->r[k] + at)));
			store(into->g[k] + at, select(in[k], light.y, load(into->g[k] + at)));
			store(into->b[k] + at, select(in[k], light.z, load(into->b[k] + at)));
		}
	}
}

// draw_triangles adds a tile's triangles from all works of the image: only nets, or all except nets. It reports whether
// there are nets.
static int draw_triangles(const scene *s, const view *v, work *const *works, int n, int tile, int x0, int y0, int nets,
	samples *into) {
	int some = 0;
	for (int i = 0; i < n; i++) {
		const work *k = works[i];
		for (int32_t j = k->first[tile]; j < k->first[tile + 1]; j++) {
			const triangle *t = &k->triangles[k->members[j]];
			const material *m = &s->materials[v->draws[t->draw].material];
			some |= t->pattern == NET;
			if ((t->pattern == NET) != nets) continue;
			switch (t->pattern) { // each case gets a specialised copy of the code
			case PLAIN: draw_triangle(s, m, k->lit, t, x0, y0, PLAIN, into); break;
			case SOCCER_BALL: draw_triangle(s, m, k->lit, t, x0, y0, SOCCER_BALL, into); break;
			case NET: draw_triangle(s, m, k->lit, t, x0, y0, NET, into); break;
			case TEXTURED: draw_triangle(s, m, k->lit, t, x0, y0, TEXTURED, into); break;
			case VERTEX_COLORS: draw_triangle(s, m, k->lit, t, x0, y0, VERTEX_COLORS, into); break;
			}
		}
	}
	return some;
}

// draw_bodies draws the triangles that may touch a tile and averages the samples. It returns 0 if there are none.
static int draw_bodies(const scene *s, const view *v, work *const *works, int n, int tile, int x0, int y0,
	bodies *out) {
	samples all;
	int some = 0;
	for (int i = 0; i < n; i++) some |= works[i]->first[tile + 1] > works[i]->first[tile];
	if (!some) return 0;
	memset(&all, 0, sizeof all);
	int nets = draw_triangles(s, v, works, n, tile, x0, y0, 0, &all);
	for (int k = 0; k < SAMPLES; k++)
		for (int at = 0; at < TILE_PIXELS; at += LANES) store(all.a[k] + at, where(gt(load(all.key[k] + at), set(0)),
			set(1)));
	if (nets) draw_triangles(s, v, works, n, tile, x0, y0, 1, &all); // nets are transparent: draw them last
	for (int at = 0; at < TILE_PIXELS; at += LANES) {
		vf r = set(0), g = r, b = r, a = r;
		for (int k = 0; k < SAMPLES; k++) {
			r += load(all.r[k] + at), g += load(all.g[k] + at), b += load(all.b[k] + at), a += load(all.a[k] + at);
		}
		store(out->r + at, r * 0.25f), store(out->g + at, g * 0.25f), store(out->b + at, b * 0.25f),
			store(out->a + at, a * 0.25f);
	}
	return 1;
}

#endif
