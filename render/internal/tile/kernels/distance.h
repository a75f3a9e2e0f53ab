// Distances along z at the middles of a pinhole's pixels. Nets are ignored, as measuring devices ignore them.
#ifndef DISTANCE_H
#define DISTANCE_H

#include "ranging.h"
#include "raster.h"

// add_middles stores the keys of the triangles at pixels' middles, 0 where there is none. Unless reflectances is 0, it
// also stores their reflectance. Unless shown is 0, it also stores their work and index.
INLINE void add_middles(const triangle *t, int x0, int y0, float *keys, float *reflectances, float reflectance,
	int32_t (*shown)[TILE_PIXELS], int32_t work, int32_t index) {
	here h;
	move_here(t, (float)x0, (float)y0, &h);
	int gx0 = t->x0 > x0 ? (t->x0 - x0) / GROUP_W : 0, gx1 = t->x1 < x0 + TILE_SIZE ? (t->x1 - x0) / GROUP_W
		: TILE_SIZE / GROUP_W - 1;
	int gy0 = t->y0 > y0 ? (t->y0 - y0) / GROUP_H : 0, gy1 = t->y1 < y0 + TILE_SIZE ? (t->y1 - y0) / GROUP_H
		: TILE_SIZE / GROUP_H - 1;
	for (int gy = gy0; gy <= gy1; gy++) {
		vf y = LANE_Y + ((float)(gy * GROUP_H) + 0.5f);
		for (int gx = gx0; gx <= gx1; gx++) {
			vf x = LANE_X + ((float)(gx * GROUP_W) + 0.5f);
			int at = (gy * (TILE_SIZE / GROUP_W) + gx) * LANES;
			vm in = mask_of(~0u);
			for (int i = 0; i < 3; i++) in = and(in, ge(fma_(set(h.a[i]), x, fma_(set(h.b[i]), y, set(h.c[i]))),
				set(h.least[i])));
			if (!any(in)) continue;
			vf key = fma_(set(h.key_x), x, fma_(set(h.key_y), y, set(h.key_0))), old = load(keys + at);
			in = and(in, and(gt(key, old), le(key, set(h.key_most))));
			store(keys + at, select(in, key, old));
			if (reflectances) store(reflectances + at, select(in, set(reflectance), load(reflectances + at)));
			if (!shown) continue;
			istore(shown[0] + at, iselect(in, iset(work), iload(shown[0] + at)));
			istore(shown[1] + at, iselect(in, iset(index), iload(shown[1] + at)));
		}
	}
}

static void measure_rows(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
	float *depth, float *reflectance) {
	int cols = (v->width + TILE_SIZE - 1) / TILE_SIZE;
	const vf nothing = set(__builtin_inff());
	const float *r = v->rotWC;
	const distances to = v->ranges ? v->truths : (distances){depth, v->width};
	for (int y0 = row0 * TILE_SIZE; y0 < row1 * TILE_SIZE && y0 < v->height; y0 += TILE_SIZE) {
		for (int x0 = 0; x0 < v->width; x0 += TILE_SIZE) {
			float keys[TILE_PIXELS] = {0}, reflectances[TILE_PIXELS] = {0};
			int tile = y0 / TILE_SIZE * cols + x0 / TILE_SIZE;
			for (int i = 0; i < n; i++) {
				for (int32_t j = works[i]->first[tile]; j < works[i]->first[tile + 1]; j++) {
					const triangle *t = &works[i]->triangles[works[i]->members[j]];
					if (t->pattern != NET) add_middles(t, x0, y0, keys, reflectance ? reflectances : 0,
						s->materials[v->draws[t->draw].material].reflectance, 0, 0, 0);
				}
			}
			float rows[TILE_SIZE][TILE_SIZE], shown[TILE_SIZE][TILE_SIZE];
			for (int gy = 0; gy < TILE_SIZE / GROUP_H; gy++) {
				for (int gx = 0; gx < TILE_SIZE / GROUP_W; gx++) {
					vf x = (LANE_X + ((float)(x0 + gx * GROUP_W) + 0.5f) - v->lens[2]) * v->lens[0];
					vf y = (LANE_Y + ((float)(y0 + gy * GROUP_H) + 0.5f) - v->lens[3]) * v->lens[1];
					vec d = {fma_(set(r[0]), x, fma_(set(r[1]), y, set(r[2]))),
						fma_(set(r[3]), x, fma_(set(r[4]), y, set(r[5]))),
						fma_(set(r[6]), x, fma_(set(r[7]), y, set(r[8])))};
					vf floor = -v->eye[2] / d.z; // the ray has length 1 along the axis, so this is z
					vf px = abs_(fma_(d.x, floor, set(v->eye[0]))), py = abs_(fma_(d.y, floor, set(v->eye[1])));
					vm hit = and(gt(floor, set(0)), and(lt(px, set(s->hall_half[0])), lt(py, set(s->hall_half[1]))));
					int at = (gy * (TILE_SIZE / GROUP_W) + gx) * LANES;
					vf key = load(keys + at), reflects = load(reflectances + at);
					vf z = select(gt(key, set(0)), 1 / key, nothing);
					floor = select(hit, floor, nothing);
					vm on_carpet = and(lt(px, set(s->carpet_half[0])), lt(py, set(s->carpet_half[1])));
					reflects = select(lt(floor, z), select(on_carpet, set(s->carpet_reflectance),
						set(s->floor_reflectance)), reflects);
					z = min_(z, floor);
					if (s->solid) {
						vf wall = min_((with_sign(set(s->hall_half[0]), d.x) - v->eye[0]) / d.x,
							(with_sign(set(s->hall_half[1]), d.y) - v->eye[1]) / d.y);
						vm low = lt(fma_(d.z, wall, set(v->eye[2])), set(s->wall_height));
						wall = select(and(low, gt(wall, set(0))), wall, nothing);
						reflects = select(lt(wall, z), set(s->wall_reflectance), reflects);
						z = min_(z, wall);
					}
					z = select(lt(z, set(v->depth_limits[0])), set(0), select(gt(z, set(v->depth_limits[1])), nothing,
						z));
					store_rows(&rows[gy * GROUP_H][gx * GROUP_W], TILE_SIZE, z);
					store_rows(&shown[gy * GROUP_H][gx * GROUP_W], TILE_SIZE, reflects);
				}
			}
			int w = v->width - x0 < TILE_SIZE ? v->width - x0 : TILE_SIZE, h = v->height - y0 < TILE_SIZE
				? v->height - y0 : TILE_SIZE;
			for (int y = 0; y < h; y++) memcpy(to.z + (size_t)(y0 + y) * (size_t)to.stride + x0, rows[y],
				(size_t)w * sizeof(float));
			for (int y = 0; y < h && reflectance; y++) memcpy(reflectance + (size_t)(y0 + y) * v->width + x0,
				shown[y], (size_t)w * sizeof(float));
		}
		if (v->ranges) complete_rows(&v->ranging, &to, v->width, v->height, y0, y0 + TILE_SIZE < v->height
			? y0 + TILE_SIZE : v->height);
	}
}

#endif
