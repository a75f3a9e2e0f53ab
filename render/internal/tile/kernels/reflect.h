// The light that surfaces of bodies send to the eye. The formulas of plain light are those of OpenGL's shader
// mesh.vert, those of natural light are of package render/internal/raycast.
#ifndef REFLECT_H
#define REFLECT_H

#include "light.h"
#include "work.h"

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

// spots_light is the light of the nearby lamps on a surface.
INLINE vec spots_light(const scene *s, vec p, vec n) {
	vec sum = {set(0), set(0), set(0)};
	for (int i = 0; i < s->spots; i++) {
		vec to = sub(vec_of(s->spot_at[i]), p);
		vf d2 = dot(to, to);
		sum = add(sum, scaled(vec_of(s->spot_light[i]), max_(dot(n, to), set(0)) / (d2 * sqrt_(d2))));
	}
	return sum;
}

// reflected is the light that a surface sends to the eye, in parts: light that no shadow removes, and light that
// shadows may remove, both with mirror reflection; and for surfaces with several colours, the same for what their
// colour reflects.
typedef struct {
	vec still, direct, ambient, direct_light;
} reflected;

// plain_light is the light of a distant lamp and from above.
INLINE reflected plain_light(const scene *s, const material *m, vec p, vec n, vec from_eye, vf facing_lamp) {
	vec lamp = vec_of(s->lamp), sky = vec_of(s->sky), bounce = vec_of(s->bounce), to_lamp = vec_of(s->to_lamp),
		color = vec_of(m->color);
	// Near the floor, below render.NearFloor, less of the hall's light arrives.
	vf share = fma_(set(0.45f), clamp(p.z * 4, set(0), set(1)), set(0.55f)) * (1 - m->gloss);
	vec around = scaled(mixed(bounce, sky, fma_(n.z, set(0.5f), set(0.5f))), share);
	if (s->spots > 0) around = add(around, scaled(spots_light(s, p, n), set(1 - m->gloss)));
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
	if (!has_colors(m->pattern)) {
		still = add(still, times(color, around));
		direct = add(direct, times(color, diffuse));
	}
	if (s->shadowless) {
		still = add(still, direct);
		ambient = add(ambient, direct_light);
	}
	return (reflected){still, direct, ambient, direct_light};
}

// probed is the natural light at a body's surface from around a direction, z metres high. by holds the values of a
// probe's basis functions there; own, unless it is 0, the coefficients around the vertices. Near the floor less light
// comes from below; see light.Probe.
INLINE vec probed(const hall *h, const draw *d, const float *own, vf z, vec n, const vf by[9]) {
	const probe *p = d->probe;
	vec inB = turned_back(d->rotWB, n);
	vf open = clamp(fma_(inB.x, set(d->open[1]), fma_(inB.y, set(d->open[2]), fma_(inB.z, set(d->open[3]),
		set(d->open[0])))), set(0), set(1));
	vf share = fma_((1 - clamp(z * h->per_clearance, set(0), set(1))) * -h->underneath,
		fma_(n.z, set(-0.5f), set(0.5f)), set(1)), sum[3];
	share = share * open;
	if (own) {
		for (int c = 0; c < 3; c++) {
			sum[c] = load(own + 9 * c * LIT_TOGETHER);
			for (int i = 1; i < 9; i++) sum[c] = fma_(by[i], load(own + (9 * c + i) * LIT_TOGETHER), sum[c]);
			sum[c] = max_(sum[c], set(0)) * share;
		}
		return (vec){sum[0], sum[1], sum[2]};
	}
	vf up = clamp((z - p->low) * p->per_height, set(0), set(1));
	for (int c = 0; c < 3; c++) {
		vf low = set(p->of[0][c][0]), high = set(p->of[1][c][0]);
		for (int i = 1; i < 9; i++) low = fma_(by[i], set(p->of[0][c][i]), low), high = fma_(by[i], set(p->of[1][c][i]),
			high);
		sum[c] = max_(mix(low, high, up), set(0)) * share;
	}
	return (vec){sum[0], sum[1], sum[2]};
}

// received is the light on a surface with a normal.
INLINE vec received(const hall *h, const draw *d, const float *own, vf z, vec n) {
	const vf by[9] = {set(1), n.x, n.y, n.z, n.x * n.y, n.y * n.z, n.x * n.z, n.z * n.z, fma_(n.x, n.x, -(n.y * n.y))};
	return probed(h, d, own, z, n, by);
}

// reflected_from is the light from a direction that a surface reflects like a mirror, as in light.Probe.
INLINE vec reflected_from(const hall *h, const material *m, const draw *d, const float *own, vf z, vec n) {
	const float first = m->sharper[0], second = m->sharper[1];
	const vf x = n.x * second, zz = fma_(n.z * n.z, set(second), set((1 - second) * (1.0f / 3)));
	const vf by[9] = {set(1), n.x * first, n.y * first, n.z * first, x * n.y, n.y * n.z * second, x * n.z, zz,
		fma_(x, n.x, -(n.y * n.y) * second)};
	return probed(h, d, own, z, n, by);
}

// natural_light is the ambient light that a surface reflects. The surface layer reflects a fraction of the light from
// the mirror direction that depends on the angle. Source: Karis, "Physically based shading on mobile", 2014, a fit of
// GGX's reflection.
INLINE reflected natural_light(const hall *h, const material *m, const draw *around, const float *own, vec p, vec n,
	vec from_eye) {
	vec nothing = {set(0), set(0), set(0)}, still = nothing, matt = received(h, around, own, p.z, n);
	if (m->metal || m->f0[0] > 0 || m->f0[1] > 0 || m->f0[2] > 0) {
		vec d = scaled(from_eye, 1 / sqrt_(dot(from_eye, from_eye)));
		vf facing = max_(-dot(n, d), set(0));
		const float r0 = 1 - m->roughness, r1 = 0.0425f - 0.0275f * m->roughness, r2 = 1.04f - 0.572f * m->roughness,
			r3 = 0.022f * m->roughness - 0.04f;
		vf a = fma_(min_(exp2_(facing * -9.28f), set(r0 * r0)), set(r0), set(r1));
		vf scale = fma_(a, set(-1.04f), set(r2)), bias = fma_(a, set(1.04f), set(r3));
		vf share[3];
		for (int i = 0; i < 3; i++) share[i] = clamp(fma_(scale, set(m->f0[i]), bias), set(0), set(1));
		vec layer = {share[0], share[1], share[2]};
		still = times(layer, reflected_from(h, m, around, own, p.z, add(d, scaled(n, 2 * facing))));
		matt = m->metal ? nothing : times(matt, (vec){1 - layer.x, 1 - layer.y, 1 - layer.z});
	}
	if (!has_colors(m->pattern)) still = add(still, times(vec_of(m->color), matt));
	return (reflected){still, nothing, matt, nothing};
}

#endif
