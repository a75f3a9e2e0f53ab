// The vertex stage: places and lights the vertices of a view's draw calls. The formulas are those of OpenGL's shaders
// mesh.vert and project.glsl.
#ifndef VERTEX_H
#define VERTEX_H

#include "reflect.h"
#include "work.h"

_Static_assert(LIT_TOGETHER % LANES == 0, "the light around vertices is loaded by vectors within blocks");
_Static_assert(SPARE >= LANES, "the vectors of the last vertices end in the spare elements");

// NEAR is the distance of the near plane, metres, as in render/internal/raster.
#define NEAR 0.02f

// snapped rounds to 1/256 pixel, so that shared edges of triangles are identical.
INLINE vf snapped(vf x) { return floor_(fma_(x, set(256), set(0.5f))) * (1 / 256.0f); }

// placed is the position of vertices in the image.
typedef struct {
	vf x, y, key, inverse;
} placed;

// place_by_table returns a negative key for points beyond the end of the table, and puts them at the end.
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
		// elsewhere the mirror shows nothing, and the formula is outside of its domain
		vm seen = and(gt(w, n * NEAR), ge(n, set(NEAR)));
		vf k = 1 / select(seen, w, set(1));
		return (placed){
			snapped(fma_(v->fx * p.x, k, set(v->cx))), snapped(fma_(v->fy * p.y, k, set(v->cy))),
			select(seen, 1 / n, set(0)), k,
		};
	}
	vm seen = ge(p.z, set(NEAR));
	vf k = select(seen, 1 / p.z, set(1));
	// Points behind the near plane stay in homogeneous coordinates: inverse is then w itself.
	vf x = fma_(v->fx * p.x, k, v->cx * select(seen, set(1), p.z)),
		y = fma_(v->fy * p.y, k, v->cy * select(seen, set(1), p.z));
	return (placed){select(seen, snapped(x), x), select(seen, snapped(y), y), select(seen, k, set(0)),
		select(seen, k, p.z)};
}

// place_vertices computes the vertices of a draw call: their positions in the image, and the values from which light is
// interpolated.
static void place_vertices(const scene *s, const view *v, const draw *d, work *k, float *numbers) {
	const material *m = &s->materials[d->material];
	vec to_lamp = vec_of(s->to_lamp), eye = vec_of(v->eye);
	const int fields = fields_of(m->pattern, s->shadowless), n = fields / 3, direct = direct_field(m->pattern) / 3;
	for (int32_t i = 0; i < d->vertices; i += LANES) {
		int32_t at = d->first_vertex + i;
		vec pB = {load(s->position[0] + at), load(s->position[1] + at), load(s->position[2] + at)};
		vec nB = {load(s->normal[0] + at), load(s->normal[1] + at), load(s->normal[2] + at)};
		vec p = add(rotated(d->rotWB, pB), vec_of(d->posWB)), normal = rotated(d->rotWB, nB);
		vec from_eye = sub(p, eye);

		placed q = place(v, turned_back(v->rotWC, from_eye));
		vf fours[PLACE] = {q.x, q.y, q.key, q.inverse};
		transpose(fours);
		for (int k4 = 0; k4 < PLACE; k4++) store_rows(k->places + PLACE * (i + k4), PLACE * PLACE, fours[k4]);

		vf facing_lamp = dot(normal, to_lamp);
		const float *own = d->own ? d->own + i / LIT_TOGETHER * LIT_TOGETHER * PROBE_SIZE + i % LIT_TOGETHER : 0;
		const reflected l = s->natural ? natural_light(&s->hall, m, d, own, p, normal, from_eye) : plain_light(s, m, p,
			normal, from_eye, facing_lamp);
		vec all[MAX_FIELDS / 3] = {[STILL / 3] = l.still};
		if (m->pattern != PLAIN)
			all[MESH / 3] = (vec){load(s->mesh[0] + at), load(s->mesh[1] + at), load(s->mesh[2] + at)};
		if (has_colors(m->pattern)) all[AMBIENT / 3] = l.ambient;
		if (!s->shadowless) {
			// Compare slightly in front of the surface, so that it does not shade itself.
			vec a = add(p, scaled(normal, set(0.014f)));
			vec shade = {fma_(fma_(a.z, set(-s->light.slope[0]), a.x), set(s->light.scale[0]), set(s->light.offset[0])),
				fma_(fma_(a.z, set(-s->light.slope[1]), a.y), set(s->light.scale[1]), set(s->light.offset[1])),
				a.z + 0.014f};
			store(k->lamp + i, select(gt(facing_lamp, set(0)), lit(&s->light, shade.x, shade.y, shade.z), set(-1)));
			all[direct] = l.direct, all[direct + 1] = shade;
			if (has_colors(m->pattern)) all[direct + 2] = l.direct_light;
		}
		float rows[MAX_FIELDS / 3][4][LANES] __attribute__((aligned(64)));
		for (int f = 0; f < n; f++) {
			vf three[4] = {all[f].x, all[f].y, all[f].z, all[f].z};
			transpose(three);
			for (int row = 0; row < 4; row++) store(rows[f][row], three[row]);
		}
		// Four numbers are written for three. The fourth is the first of the next three, which are written later, or
		// one of the SPARE elements.
		int32_t n_here = d->vertices - i < LANES ? d->vertices - i : LANES;
		for (int32_t lane = 0; lane < n_here; lane++, numbers += fields)
			for (int f = 0; f < n; f++) memcpy(numbers + 3 * f, rows[f][lane % 4] + lane / 4 * 4, 4 * sizeof *numbers);
	}
}

#endif
