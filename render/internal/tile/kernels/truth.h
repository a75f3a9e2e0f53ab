// The truth of pixels' middles, as render.Truth defines it: the label, the distance along the ray, the normal, and the
// displacement in the image. Nets are ignored.
#ifndef TRUTH_H
#define TRUTH_H

#include "distance.h"
#include "floor.h"

enum { LABEL_NOTHING, LABEL_HALL, LABEL_FLOOR, LABEL_MARK, LABEL_BODY = 8 }; // as package render

// tile_truth is the truth of a tile.
typedef struct {
	int32_t label[TILE_PIXELS];
	float range[TILE_PIXELS], normal[3][TILE_PIXELS], flow[2][TILE_PIXELS];
} tile_truth;

// from_before is the displacement of the points p, C, in the image, by a row of view.before: NaN where the optics did
// not image them.
INLINE void from_before(const view *v, const float *row, vec p, vf px, vf py, vf flow[2]) {
	vec q = add(rotated(row, p), vec_of(row + 9));
	vf w = q.z;
	vm ok = gt(w, set(0));
	if (v->projection == MIRROR) {
		w = fma_(set(v->xi), sqrt_(dot(q, q)), -q.z);
		ok = and(gt(w, set(0)), le(fma_(q.x, q.x, q.y * q.y), w * w * (v->edge * v->edge)));
	}
	flow[0] = select(ok, px - fma_(v->fx * q.x, 1 / w, set(v->cx)), set(NAN));
	flow[1] = select(ok, py - fma_(v->fy * q.y, 1 / w, set(v->cy)), set(NAN));
}

// surface is a triangle in its body's frame, with the eye there.
typedef struct {
	float eye[3], from_eye[3]; // from_eye: the first corner relative to the eye
	float across[3];           // normal of the triangle, of any length
	float distance;            // distance of the eye from the triangle's plane, times the length of across
	// dot products with a vector from the first corner give its barycentric coordinates of the second and third corner
	float to_u[3], to_v[3];
	float normal[3][3];        // of the first corner, and the differences of the others
} surface;

INLINE float dot3(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
INLINE void cross3(const float *a, const float *b, float *out) {
	for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void find_surface(const scene *s, const view *v, const work *k, const triangle *t, surface *out) {
	const draw *d = &v->draws[t->draw];
	const int32_t fields = fields_of(s->materials[d->material].pattern, s->shadowless);
	const int32_t start = k->starts[t->draw - k->first_draw];
	float corner[3][3];
	for (int c = 0; c < 3; c++) {
		int32_t at = d->first_vertex + (t->lit[c] - start) / fields;
		for (int i = 0; i < 3; i++) corner[c][i] = s->position[i][at], out->normal[c][i] = s->normal[i][at];
	}
	float u[3], w[3], to_eye[3], inner[3];
	for (int i = 0; i < 3; i++) to_eye[i] = v->eye[i] - d->posWB[i];
	for (int i = 0; i < 3; i++) {
		out->eye[i] = d->rotWB[i] * to_eye[0] + d->rotWB[3 + i] * to_eye[1] + d->rotWB[6 + i] * to_eye[2];
		out->from_eye[i] = corner[0][i] - out->eye[i];
		u[i] = corner[1][i] - corner[0][i], w[i] = corner[2][i] - corner[0][i];
		out->normal[1][i] -= out->normal[0][i], out->normal[2][i] -= out->normal[0][i];
	}
	cross3(u, w, out->across);
	out->distance = dot3(out->across, out->from_eye);
	float square = fmaxf(dot3(out->across, out->across), 1e-30f);
	cross3(w, out->across, out->to_u);
	cross3(out->across, u, inner);
	for (int i = 0; i < 3; i++) out->to_u[i] /= square, out->to_v[i] = inner[i] / square;
}

// add_surface_truth adds the pixels of a group that show a triangle. d holds their rays, W, of unit length; key their
// keys; in selects those that show the triangle.
INLINE void add_surface_truth(const scene *s, const view *v, const work *k, const triangle *t, vec d, vf length, vf key,
	vm in, vf px, vf py, int at, tile_truth *out) {
	const draw *drawn = &v->draws[t->draw];
	surface f;
	find_surface(s, v, k, t, &f);
	vec dB = turned_back(drawn->rotWB, d);
	// The ray meets the triangle's plane. Outside of the triangle, where a curved image may show it, that may be
	// anywhere.
	vf near = length / key, range = clamp(f.distance / dot(vec_of(f.across), dB), near * 0.8f, near * 1.25f);
	vec p = sub(scaled(dB, range), vec_of(f.from_eye));
	vf u = clamp(dot(vec_of(f.to_u), p), set(0), set(1)), w = clamp(dot(vec_of(f.to_v), p), set(0), 1 - u);
	vec n = add(vec_of(f.normal[0]), add(scaled(vec_of(f.normal[1]), u), scaled(vec_of(f.normal[2]), w)));
	n = turned_back(v->rotWC, rotated(drawn->rotWB, scaled(n, 1 / sqrt_(dot(n, n)))));
	istore(out->label + at, iselect(in, iset(LABEL_BODY + drawn->body), iload(out->label + at)));
	store(out->range + at, select(in, range, load(out->range + at)));
	const vf normal[3] = {n.x, n.y, n.z};
	for (int i = 0; i < 3; i++) store(out->normal[i] + at, select(in, normal[i], load(out->normal[i] + at)));
	if (!v->before) return;
	vf flow[2];
	from_before(v, v->before + 12 * (1 + drawn->body), turned_back(v->rotWC, scaled(d, range)), px, py, flow);
	for (int i = 0; i < 2; i++) store(out->flow[i] + at, select(in, flow[i], load(out->flow[i] + at)));
}

// add_background_truth computes the truth of a group's pixels that show floor or hall.
INLINE void add_background_truth(const scene *s, const view *v, const aim *a, const sight *t, const markings *m, vec d,
	vf px,
	vf py, int at, tile_truth *out) {
	const vi minus = iset(INT32_MIN);
	vf half_x = float_of(bits_of(set(s->hall_half[0])) | (bits_of(d.x) & minus)),
		half_y = float_of(bits_of(set(s->hall_half[1])) | (bits_of(d.y) & minus));
	vf to_x = (half_x - v->eye[0]) / d.x, to_y = (half_y - v->eye[1]) / d.y, range = min_(to_x, to_y);
	vm side = lt(to_x, to_y), floor = and(lt(d.z, set(0)), gt(set(-v->eye[2]), d.z * range));
	vf one = float_of(bits_of(set(1)) | (~bits_of(select(side, d.x, d.y)) & minus));
	vec n = {where(side, one), where(not(side), one), set(0)};
	vi label = iset(LABEL_HALL);
	if (any(floor)) {
		range = select(floor, -v->eye[2] / d.z, range);
		n = (vec){select(floor, set(0), n.x), select(floor, set(0), n.y), where(floor, set(1))};
		vm marked = gt(covered(s, m, load(t->x + at), load(t->y + at), set(0)), set(0.5f));
		label = iselect(floor, iselect(marked, iset(LABEL_MARK), iset(LABEL_FLOOR)), label);
	}
	n = turned_back(v->rotWC, n);
	vf flow[2] = {set(0), set(0)};
	if (v->before) from_before(v, v->before, turned_back(v->rotWC, scaled(d, range)), px, py, flow);
	vm nothing = mask_of(0);
	if (v->projection == MIRROR) nothing = gt(radius2(a, px, py), set(v->edge * v->edge));
	if (t->blind) nothing = le(max_(max_(abs_(load(t->dx + at)), abs_(load(t->dy + at))), abs_(load(t->dz + at))),
		set(0));
	vf lost = set(v->before ? NAN : 0);
	istore(out->label + at, iselect(nothing, iset(LABEL_NOTHING), label));
	store(out->range + at, select(nothing, set(INFINITY), range));
	const vf normal[3] = {n.x, n.y, n.z};
	for (int i = 0; i < 3; i++) store(out->normal[i] + at, where(not(nothing), normal[i]));
	for (int i = 0; i < 2; i++) store(out->flow[i] + at, select(nothing, lost, flow[i]));
}

static void truth_of_tile(const scene *s, const view *v, const aim *a, work *const *works, int n, int x0, int y0,
	tile_truth *out) {
	int tile = y0 / TILE_SIZE * ((v->width + TILE_SIZE - 1) / TILE_SIZE) + x0 / TILE_SIZE;
	float keys[TILE_PIXELS] = {0};
	int32_t shown[2][TILE_PIXELS]; // work and index of triangles
	for (int i = 0; i < n; i++) {
		for (int32_t j = works[i]->first[tile]; j < works[i]->first[tile + 1]; j++) {
			const triangle *t = &works[i]->triangles[works[i]->members[j]];
			if (t->pattern != NET) add_middles(t, x0, y0, keys, 0, 0, shown, i, works[i]->members[j]);
		}
	}
	sight t;
	markings m;
	look(v, a, x0, y0, &t);
	find_markings(s, &t.all, &m);
	for (int g = 0; g < GROUPS; g++) {
		int at = g * LANES;
		vf px = pixel_x(x0, g), py = pixel_y(y0, g);
		vec d = {load(t.dx + at), load(t.dy + at), load(t.dz + at)};
		vf length = sqrt_(dot(d, d));
		d = scaled(d, 1 / max_(length, set(1e-30f)));
		add_background_truth(s, v, a, &t, &m, d, px, py, at, out);
		vf key = load(keys + at);
		vm seeing = not(ieq(iload(out->label + at), iset(LABEL_NOTHING)));
		vi by[2] = {iload(shown[0] + at), iload(shown[1] + at)};
		for (unsigned left = bits(and(gt(key, set(0)), seeing)); left;) {
			int lane = __builtin_ctz(left);
			int32_t in_work = shown[0][at + lane], index = shown[1][at + lane];
			vm in = and(and(ieq(by[0], iset(in_work)), ieq(by[1], iset(index))), mask_of(left));
			left &= ~bits(in);
			const work *k = works[in_work];
			add_surface_truth(s, v, k, &k->triangles[index], d, v->projection == PINHOLE ? length : set(1), key, in, px,
				py,
				at, out);
		}
	}
}

static void truth_rows(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
	truth to) {
	aim a = aim_of(v);
	for (int y0 = row0 * TILE_SIZE; y0 < row1 * TILE_SIZE && y0 < v->height; y0 += TILE_SIZE) {
		for (int x0 = 0; x0 < v->width; x0 += TILE_SIZE) {
			tile_truth all;
			truth_of_tile(s, v, &a, works, n, x0, y0, &all);
			for (int at = 0; at < TILE_PIXELS; at++) {
				int g = at / LANES, lane = at % LANES;
				int x = x0 + g % GROUPS_ACROSS * GROUP_W + lane % GROUP_W,
					y = y0 + g / GROUPS_ACROSS * GROUP_H + lane / GROUP_W;
				if (x >= v->width || y >= v->height) continue;
				size_t i = (size_t)y * v->width + x;
				to.labels[i] = (uint16_t)all.label[at];
				if (to.range) to.range[i] = all.range[at];
				for (int c = 0; c < 3 && to.normals; c++) to.normals[3 * i + c] = all.normal[c][at];
				for (int c = 0; c < 2 && to.flow; c++) to.flow[2 * i + c] = all.flow[c][at];
			}
		}
	}
}

#endif
