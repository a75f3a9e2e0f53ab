// The vertex stage: places and lights the vertices of a view's draws. Formulas are those of OpenGL's shaders mesh.vert and project.glsl.
#ifndef VERTEX_H
#define VERTEX_H

#include "light.h"
#include "work.h"

// NEAR is the distance of the near plane, metres; as render/raster has it.
#define NEAR 0.02f

typedef struct {
	vf x, y, z;
} vec;

INLINE vec vec_of(const float *v) { return (vec){set(v[0]), set(v[1]), set(v[2])}; }
INLINE vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE vec scaled(vec a, vf k) { return (vec){a.x * k, a.y * k, a.z * k}; }
INLINE vec times(vec a, vec b) { return (vec){a.x * b.x, a.y * b.y, a.z * b.z}; }
INLINE vec mixed(vec a, vec b, vf t) { return (vec){mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t)}; }
INLINE vf dot(vec a, vec b) { return fma_(a.x, b.x, fma_(a.y, b.y, a.z * b.z)); }
INLINE vec rotated(const float *rot, vec v) {
	return (vec){
		fma_(set(rot[0]), v.x, fma_(set(rot[1]), v.y, rot[2] * v.z)),
		fma_(set(rot[3]), v.x, fma_(set(rot[4]), v.y, rot[5] * v.z)),
		fma_(set(rot[6]), v.x, fma_(set(rot[7]), v.y, rot[8] * v.z)),
	};
}
// turned_back is the inverse of rotated.
INLINE vec turned_back(const float *rot, vec v) {
	return (vec){
		fma_(set(rot[0]), v.x, fma_(set(rot[3]), v.y, rot[6] * v.z)),
		fma_(set(rot[1]), v.x, fma_(set(rot[4]), v.y, rot[7] * v.z)),
		fma_(set(rot[2]), v.x, fma_(set(rot[5]), v.y, rot[8] * v.z)),
	};
}

// spots_light is the light of the lamps nearby on a surface.
INLINE vec spots_light(const scene *s, vec p, vec n) {
	vec sum = {set(0), set(0), set(0)};
	for (int i = 0; i < s->spots; i++) {
		vec to = sub(vec_of(s->spot_at[i]), p);
		vf d2 = dot(to, to);
		sum = add(sum, scaled(vec_of(s->spot_light[i]), max_(dot(n, to), set(0)) / (d2 * sqrt_(d2))));
	}
	return sum;
}

// snapped rounds to 1/256 pixel, so that the edges that triangles share are the same.
INLINE vf snapped(vf x) { return floor_(fma_(x, set(256), set(0.5f))) * (1 / 256.0f); }

// placed is where vertices are in the image.
typedef struct {
	vf x, y, key, inverse;
} placed;

// place_by_table returns a negative key for what lies beyond the end of the table, and puts it there.
INLINE placed place_by_table(const view *v, vec p) {
	vf n = sqrt_(dot(p, p));
	vf w = max_(fma_(set(v->axis), p.z, n), n * 1e-4f);
	vf sx = p.x / w, sy = p.y / w, radius = sqrt_(fma_(sx, sx, sy * sy));
	vf within = min_(v->seen_edge / radius, set(1));
	sx = sx * within, sy = sy * within;
	float last = (float)(v->seen_size - 1);
	vf tx = clamp(fma_(sx, set(v->seen_scale), set(0.5f)) * (last + 1) - 0.5f, set(0), set(last));
	vf ty = clamp(fma_(sy, set(v->seen_scale), set(0.5f)) * (last + 1) - 0.5f, set(0), set(last));
	vf fx = min_(floor_(tx), set(last - 1)), fy = min_(floor_(ty), set(last - 1));
	vi at = (truncated(fy) * v->seen_size + truncated(fx)) * 2;
	tx -= fx, ty -= fy;
	vf corner[2];
	for (int k = 0; k < 2; k++) {
		vf up = mix(gather(v->seen, at + k), gather(v->seen, at + 2 + k), tx);
		vf low = mix(gather(v->seen, at + 2 * v->seen_size + k), gather(v->seen, at + 2 * v->seen_size + 2 + k), tx);
		corner[k] = mix(up, low, ty);
	}
	vf key = select(le(radius, set(v->seen_edge)), 1 / n, -1 / n);
	return (placed){snapped(corner[0] + 0.5f), snapped(corner[1] + 0.5f), where(ge(n, set(NEAR)), key), 1 / w};
}

INLINE placed place(const view *v, vec p) {
	if (v->projection == TABLE) return place_by_table(v, p);
	if (v->projection == MIRROR) {
		vf n = sqrt_(dot(p, p)), w = fma_(set(v->xi), n, -p.z);
		vm seen = and(gt(w, n * NEAR), ge(n, set(NEAR))); // elsewhere the mirror shows nothing, and the formula leaves its domain
		vf k = 1 / select(seen, w, set(1));
		return (placed){
			snapped(fma_(v->fx * p.x, k, set(v->cx))), snapped(fma_(v->fy * p.y, k, set(v->cy))),
			select(seen, 1 / n, set(0)), k,
		};
	}
	vm seen = ge(p.z, set(NEAR));
	vf k = select(seen, 1 / p.z, set(1));
	// What is behind the near plane stays in homogeneous coordinates: inverse is w itself.
	vf x = fma_(v->fx * p.x, k, v->cx * select(seen, set(1), p.z)), y = fma_(v->fy * p.y, k, v->cy * select(seen, set(1), p.z));
	return (placed){select(seen, snapped(x), x), select(seen, snapped(y), y), select(seen, k, set(0)), select(seen, k, p.z)};
}

// place_vertices computes the vertices of a draw: where they are in the image, and what the surface's light is interpolated from.
static void place_vertices(const scene *s, const view *v, const draw *d, work *k, float *numbers) {
	const material *m = &s->materials[d->material];
	vec lamp = vec_of(s->lamp), sky = vec_of(s->sky), bounce = vec_of(s->bounce), to_lamp = vec_of(s->to_lamp);
	vec eye = vec_of(v->eye), color = vec_of(m->color);
	const int fields = fields_of(m->pattern);
	for (int32_t i = 0; i < d->vertices; i += LANES) {
		int32_t at = d->first_vertex + i;
		vec pB = {load(s->position[0] + at), load(s->position[1] + at), load(s->position[2] + at)};
		vec nB = {load(s->normal[0] + at), load(s->normal[1] + at), load(s->normal[2] + at)};
		vec p = add(rotated(d->rotWB, pB), vec_of(d->posWB)), n = rotated(d->rotWB, nB);
		vec from_eye = sub(p, eye);

		placed q = place(v, turned_back(v->rotWC, from_eye));
		vf fours[PLACE] = {q.x, q.y, q.key, q.inverse};
		transpose(fours);
		for (int k4 = 0; k4 < PLACE; k4++) store_rows(k->places + PLACE * (i + k4), PLACE * PLACE, fours[k4]);

		// Near the floor, below render.NearFloor, less of the hall's light arrives.
		vf share = fma_(set(0.45f), clamp(p.z * 4, set(0), set(1)), set(0.55f)) * (1 - m->gloss);
		vec around = scaled(mixed(bounce, sky, fma_(n.z, set(0.5f), set(0.5f))), share);
		if (s->spots > 0) around = add(around, scaled(spots_light(s, p, n), set(1 - m->gloss)));
		vf facing_lamp = dot(n, to_lamp);
		vec diffuse = scaled(lamp, max_(facing_lamp, set(0)));
		vec still = {set(0), set(0), set(0)}, direct = still;
		if (m->gloss > 0) {
			// Highlight of the lamp, and the surroundings in the mirror direction: carpet below, hall above.
			vec to_eye = scaled(from_eye, -1 / sqrt_(dot(from_eye, from_eye)));
			vf facing = dot(n, to_eye), rz = fma_(2 * facing, n.z, -to_eye.z);
			vf away = 1 - max_(facing, set(0)), away2 = away * away;
			vf fresnel = fma_(set((1 - m->gloss) * 0.25f * m->gloss), away2 * away2 * away, set(m->gloss));
			vf t = clamp((rz + 0.05f) / 0.1f, set(0), set(1));
			vf above = t * t * (3 - 2 * t);
			vec floor_light = times(vec_of(s->carpet), add(scaled(lamp, set(s->to_lamp[2])), sky));
			vec hall = mixed(vec_of(s->hall_wall), vec_of(s->background), clamp(rz, set(0), set(1)));
			still = scaled(mixed(floor_light, hall, above), fresnel);
			vec half = add(to_eye, to_lamp);
			vf glance = max_(dot(n, half), set(0)) / sqrt_(dot(half, half));
			vf highlight = fresnel * power(glance, set(m->shininess)) * ((m->shininess + 8) / 25);
			direct = scaled(diffuse, highlight);
			diffuse = scaled(diffuse, set(1 - m->gloss));
		}
		vec ambient = around, direct_light = diffuse;
		if (m->pattern != SOCCER_BALL) {
			still = add(still, times(color, around));
			direct = add(direct, times(color, diffuse));
		}
		if (s->shadowless) {
			still = add(still, direct);
			ambient = add(ambient, direct_light);
		}
		// A surface does not shade itself: compare a little in front of it.
		vec a = add(p, scaled(n, set(0.014f)));
		vf shade_x = fma_(fma_(a.z, set(-s->light.slope[0]), a.x), set(s->light.scale[0]), set(s->light.offset[0]));
		vf shade_y = fma_(fma_(a.z, set(-s->light.slope[1]), a.y), set(s->light.scale[1]), set(s->light.offset[1]));
		if (!s->shadowless) store(k->lamp + i, select(gt(facing_lamp, set(0)), lit(&s->light, shade_x, shade_y, a.z + 0.014f), set(-1)));
		vf mesh[3];
		for (int axis = 0; axis < 3; axis++) mesh[axis] = load(s->mesh[axis] + at);

		float rows[MAX_FIELDS][LANES] __attribute__((aligned(64)));
		const vf all[MAX_FIELDS] = {
			still.x, still.y, still.z, direct.x, direct.y, direct.z, shade_x, shade_y, a.z + 0.014f,
			mesh[0], mesh[1], mesh[2], ambient.x, ambient.y, ambient.z, direct_light.x, direct_light.y, direct_light.z,
		};
		for (int f = 0; f < fields; f++) store(rows[f], all[f]);
		int32_t n_here = d->vertices - i < LANES ? d->vertices - i : LANES;
		for (int32_t lane = 0; lane < n_here; lane++, numbers += fields)
			for (int f = 0; f < fields; f++) numbers[f] = rows[f][lane];
	}
}

#endif
