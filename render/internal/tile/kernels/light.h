// Shadows and light, once per instant for all cameras: maps over the floor along the lamp's rays, as
// render/internal/raster's LightMap describes them and render/internal/gl draws them.
//
// draw_shadows and soften may run for several rows of the map in parallel; soften must run after all of draw_shadows.
#ifndef LIGHT_H
#define LIGHT_H

#include "lanes.h"
#include "tile.h"

// plane gives a height, or a position along one of the map's sides, as a linear function of a position in a body's
// frame.
typedef struct {
	float x, y, z, at;
} plane;

// plane_of returns the plane of a weighted sum of a point's coordinates in the world.
INLINE plane plane_of(const caster *b, double wx, double wy, double wz, double offset) {
	const float *r = b->rotWB, *p = b->posWB;
	return (plane){(float)(wx * r[0] + wy * r[3] + wz * r[6]), (float)(wx * r[1] + wy * r[4] + wz * r[7]),
		(float)(wx * r[2] + wy * r[5] + wz * r[8]), (float)(wx * p[0] + wy * p[1] + wz * p[2] + offset)};
}

INLINE vf across_plane(const plane *p, vf x, vf y, vf z) { return fma_(set(p->x), x,
	fma_(set(p->y), y, fma_(set(p->z), z, set(p->at)))); }

// snap rounds texels to 1/256, like OpenGL, so that shared edges of triangles are classified exactly.
INLINE vf snap(vf texels) { return (texels + 49152.0f) - 49152.0f; }

// lies_within reports whether a point lies within a triangle and within the range of heights. b and c are the second
// and third barycentric coordinates times the area.
INLINE vm lies_within(vf b, vf c, vf area, vf height) {
	return and(and(ge(min_(b, c), (vf){0}), le(b + c, area)), and(ge(height, (vf){0}), le(height, set(65535.0f))));
}

// raise raises the selected texels at indices to heights.
INLINE void raise(uint16_t *texels, vm which, const int32_t *at, vf heights) {
	unsigned left = bits(which);
	if (!left) return;
	int32_t to[LANES];
	istore(to, truncated(heights + 0.5f));
	for (; left; left &= left - 1) {
		int k = __builtin_ctz(left);
		uint16_t *texel = texels + at[k];
		*texel = *texel < to[k] ? (uint16_t)to[k] : *texel;
	}
}

// shadows is a group of triangles on the map, in texels and units of height: how the barycentric coordinates, times the
// area, and the height change with x and y.
typedef struct {
	float ax[LANES], ay[LANES], area[LANES];
	float bx[LANES], by[LANES], cx[LANES], cy[LANES]; // barycentric coordinates of the second and third corner
	float height[LANES], hx[LANES], hy[LANES];        // at the first corner, and its gradients
	int32_t x0[LANES], x1[LANES], y0[LANES], y1[LANES]; // texels whose middles may lie within
} shadows;

// draw_one draws one triangle by groups of texels, wide × high, with lanes at (lx, ly) in them.
INLINE void draw_one(const lightmap *m, const shadows *s, int i, vf lx, vf ly, int wide, int high) {
	int32_t at[LANES];
	istore(at, truncated(ly) * m->stride + truncated(lx));
	for (int y = s->y0[i]; y <= s->y1[i]; y += high) {
		vf dy = ly + ((float)y + 0.5f - s->ay[i]);
		for (int x = s->x0[i]; x <= s->x1[i]; x += wide) {
			vf dx = lx + ((float)x + 0.5f - s->ax[i]);
			vf b = fma_(dx, set(s->bx[i]), dy * s->by[i]), c = fma_(dx, set(s->cx[i]), dy * s->cy[i]);
			vf h = fma_(dx, set(s->hx[i]), fma_(dy, set(s->hy[i]), set(s->height[i])));
			vm in = and(lies_within(b, c, set(s->area[i]), h), and(le(lx, set((float)(s->x1[i] - x))),
				le(ly, set((float)(s->y1[i] - y)))));
			raise(m->heights + (size_t)y * m->stride + x, in, at, h);
		}
	}
}

// draw_shadow raises the heights of the map's rows from row0 to row1, exclusive, to the body's triangles that face the
// lamp. A texel is covered if its middle is. Parts below the floor or above the range of heights are ignored.
INLINE void draw_shadow(const lightmap *m, const caster *body, int row0, int row1) {
	double width = (double)m->scale[0] * m->width, height = (double)m->scale[1] * m->height;
	plane px = plane_of(body, width, 0, -width * m->slope[0], (double)m->offset[0] * m->width);
	plane py = plane_of(body, 0, height, -height * m->slope[1], (double)m->offset[1] * m->height);
	plane pz = plane_of(body, 0, 0, 65535.0 / m->top, 0);
	shadows s;
	for (int t = 0; t < body->triangles; t += LANES) {
		vf x[3], y[3], z[3];
		for (int k = 0; k < 3; k++) {
			size_t at = (size_t)body->first_triangle + t;
			vf bx = load(m->corner[3 * k] + at), by = load(m->corner[3 * k + 1] + at),
				bz = load(m->corner[3 * k + 2] + at);
			x[k] = snap(across_plane(&px, bx, by, bz));
			y[k] = snap(across_plane(&py, bx, by, bz));
			z[k] = across_plane(&pz, bx, by, bz);
		}
		// From the first corner to the others.
		vf ux = x[1] - x[0], uy = y[1] - y[0], vx = x[2] - x[0], vy = y[2] - y[0], uz = z[1] - z[0], vz = z[2] - z[0];
		vf area = fma_(ux, vy, -(uy * vx));
		vf x0 = -floor_(0.5f - min_(min_(x[0], x[1]), x[2])), x1 = floor_(max_(max_(x[0], x[1]), x[2]) - 0.5f);
		vf y0 = -floor_(0.5f - min_(min_(y[0], y[1]), y[2])), y1 = floor_(max_(max_(y[0], y[1]), y[2]) - 0.5f);
		x0 = max_(x0, (vf){0}), x1 = min_(x1, set((float)(m->width - 1)));
		y0 = max_(y0, set((float)row0)), y1 = min_(y1, set((float)(row1 - 1)));
		vm may = and(and(gt(area, (vf){0}), lt(LANE, set((float)(body->triangles - t)))), and(le(x0, x1), le(y0, y1)));
		if (!any(may)) continue;
		vf per_area = 1.0f / area, hx = fma_(vy, uz, -(uy * vz)) * per_area, hy = fma_(ux, vz, -(vx * uz)) * per_area;
		// Most triangles that may cover a texel can cover only one.
		vm one = and(may, and(ge(x0, x1), ge(y0, y1)));
		vf dx = x0 + 0.5f - x[0], dy = y0 + 0.5f - y[0];
		vf b = fma_(dx, vy, -(dy * vx)), c = fma_(dy, ux, -(dx * uy)), h = fma_(dx, hx, fma_(dy, hy, z[0]));
		int32_t at[LANES];
		istore(at, truncated(y0) * m->stride + truncated(x0));
		raise(m->heights, and(one, lies_within(b, c, area, h)), at, h);
		unsigned rest = bits(may) & ~bits(one);
		if (!rest) continue;
		store(s.ax, x[0]), store(s.ay, y[0]), store(s.area, area);
		store(s.bx, vy), store(s.by, -vx), store(s.cx, -uy), store(s.cy, ux);
		store(s.height, z[0]), store(s.hx, hx), store(s.hy, hy);
		istore(s.x0, truncated(x0)), istore(s.x1, truncated(x1)), istore(s.y0, truncated(y0)),
			istore(s.y1, truncated(y1));
		for (; rest; rest &= rest - 1) {
			int i = __builtin_ctz(rest);
			if (s.x1[i] - s.x0[i] < GROUP_W) draw_one(m, &s, i, LANE_X, LANE_Y, GROUP_W, GROUP_H);
			else draw_one(m, &s, i, LANE, (vf){0}, LANES, 1);
		}
	}
}

// Softening. A bit says whether a texel is above floor_step. The fractions of light are weighted sums of the bits of
// the texels around.
typedef uint16_t vh __attribute__((vector_size(32)));

enum {
	STRIP = 16,      // texels softened together
	AT_ONCE = 4,     // rows softened together
	STRIP_ROWS = 48, // a multiple of AT_ONCE
	BORDER = 8,      // texels around a strip
	ABOVE_W = STRIP + 2 * BORDER,
};

// above says for each texel around a strip whether it is above the floor: all bits, or none.
typedef uint16_t above[STRIP_ROWS + 2 * BORDER][ABOVE_W];

INLINE int smaller(int x, int y) { return x < y ? x : y; }
INLINE int larger(int x, int y) { return x > y ? x : y; }
INLINE int within(int x, int end) { return larger(0, smaller(x, end - 1)); }

INLINE void find_above(const lightmap *m, int x0, int y0, int rows, above out) {
	for (int j = 0; j < rows + 2 * BORDER; j++) {
		const uint16_t *row = m->heights + (size_t)within(y0 + j - BORDER, m->height) * m->stride;
		if (x0 >= BORDER && x0 + STRIP + BORDER <= m->width) {
			for (int i = 0; i < ABOVE_W; i++) out[j][i] = row[x0 + i - BORDER] > m->floor_step ? 0xffff : 0;
		} else {
			for (int i = 0; i < ABOVE_W; i++) out[j][i] = row[within(x0 + i - BORDER, m->width)] > m->floor_step
				? 0xffff : 0;
		}
	}
}

INLINE vh hload(const uint16_t *p) {
	vh v;
	memcpy(&v, p, sizeof v);
	return v;
}

// soften_rows softens AT_ONCE rows of a strip and stores the given number of them.
INLINE void soften_rows(const lightmap *m, const uint16_t *centre, int x, int y, int rows) {
	vh lamp[AT_ONCE] = {0}, sky[AT_ONCE] = {0};
	const tap *t = m->tap;
	for (; t < m->tap + m->near_taps; t++) {
		for (int j = 0; j < AT_ONCE; j++) {
			vh on = hload(centre + (t->dy + j) * ABOVE_W + t->dx);
			lamp[j] += on & t->lamp;
			sky[j] += on & t->sky;
		}
	}
	for (; t < m->tap + m->taps; t++) {
		for (int j = 0; j < AT_ONCE; j++) sky[j] += hload(centre + (t->dy + j) * ABOVE_W + t->dx) & t->sky;
	}
	for (int j = 0; j < AT_ONCE && j < rows; j++) {
		vh share = ((65408 - lamp[j]) >> 8) | ((65408 - sky[j]) & 0xff00); // rounded; the lamp's is in the lower byte
		memcpy(m->light + (size_t)(y + j) * m->stride + x, &share, sizeof share);
	}
}

// soften computes the fractions of light of a rectangle of texels, from (x0, y0) to (x1, y1), exclusive. It may compute
// more texels to the right.
INLINE void soften(const lightmap *m, int x0, int y0, int x1, int y1) {
	above around;
	for (int x = x0; x < x1; x += STRIP) {
		int left = smaller(x, m->stride - STRIP);
		for (int y = y0; y < y1; y += STRIP_ROWS) {
			int rows = smaller(y1 - y, STRIP_ROWS);
			find_above(m, left, y, rows, around);
			for (int j = 0; j < rows; j += AT_ONCE) soften_rows(m, &around[j + BORDER][BORDER], left, y + j, rows - j);
		}
	}
}

// draw_shadows draws the shadows of bodies on some of the map's rows, after restoring the places of earlier shadows.
static void draw_shadows(const lightmap *m, const texels *restored, int32_t places, const caster *bodies, int32_t n,
	int32_t row0, int32_t row1) {
	for (const texels *p = restored; p < restored + places; p++) {
		for (int y = larger(p->y0, row0); y < smaller(p->y1, row1); y++) {
			size_t at = (size_t)y * m->stride + p->x0, wide = (size_t)(p->x1 - p->x0);
			memcpy(m->heights + at, m->static_heights + at, wide * sizeof *m->heights);
			memcpy(m->light + at, m->static_light + at, wide * sizeof *m->light);
		}
	}
	for (const caster *b = bodies; b < bodies + n; b++) {
		if (b->row0 < row1 && b->row1 > row0) draw_shadow(m, b, row0, row1);
	}
}

// soften_places softens the light within places on some of the map's rows.
static void soften_places(const lightmap *m, const texels *softened, int32_t places, int32_t row0, int32_t row1) {
	for (const texels *p = softened; p < softened + places; p++) soften(m, p->x0, larger(p->y0, row0), p->x1,
		smaller(p->y1, row1));
}

// corners4 is the position of a point between the middles of four texels: the offset of the first, in texels, and the
// weights of the right and lower ones.
typedef struct {
	vi at;
	vf right, lower;
} corners4;

// between computes corners4 for map coordinates, 0 to 1.
INLINE corners4 between(const lightmap *m, vf x, vf y) {
	vf u = clamp(fma_(x, set((float)m->width), set(-0.5f)), (vf){0}, set((float)(m->width - 1)));
	vf v = clamp(fma_(y, set((float)m->height), set(-0.5f)), (vf){0}, set((float)(m->height - 1)));
	vi iu = imin_(truncated(u), iset(m->width - 2)), iv = imin_(truncated(v), iset(m->height - 2));
	return (corners4){iv * m->stride + iu, u - to_float(iu), v - to_float(iv)};
}

// floor_light returns the fractions of the lamp's light and of the ambient light that reach points (x, y) of the floor.
INLINE void floor_light(const lightmap *m, vf x, vf y, vf *lamp, vf *sky) {
	corners4 c = between(m, fma_(x, set(m->scale[0]), set(m->offset[0])), fma_(y, set(m->scale[1]), set(m->offset[1])));
	vi up = gather_at(m->light, c.at * 2), down = gather_at(m->light, (c.at + m->stride) * 2);
	vf upper = mix(to_float(up & 255), to_float((up >> 16) & 255), c.right), lower = mix(to_float(down & 255),
		to_float((down >> 16) & 255), c.right);
	*lamp = mix(upper, lower, c.lower) * (1 / 255.0f);
	upper = mix(to_float((up >> 8) & 255), to_float((up >> 24) & 255), c.right);
	lower = mix(to_float((down >> 8) & 255), to_float((down >> 24) & 255), c.right);
	*sky = mix(upper, lower, c.lower) * (1 / 255.0f);
}

// lit returns the fraction of the lamp's light that reaches points of bodies: (x, y) in the map's coordinates, heights
// in metres.
INLINE vf lit(const lightmap *m, vf x, vf y, vf height) {
	corners4 c = between(m, x, y);
	// integers, so that all kernels compare alike
	vi h = truncated(clamp(height * set(65535 / m->top), (vf){0}, set(65535.0f)));
	vi up = gather_at(m->heights, c.at * 2), down = gather_at(m->heights, (c.at + m->stride) * 2);
	vf one = set(1.0f), left = one - c.right;
	vf upper = where(not(ilt(h, up & 0xffff)), left) + where(not(ilt(h, (up >> 16) & 0xffff)), c.right);
	vf lower = where(not(ilt(h, down & 0xffff)), left) + where(not(ilt(h, (down >> 16) & 0xffff)), c.right);
	return mix(upper, lower, c.lower);
}

#endif
