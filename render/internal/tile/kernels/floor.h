// Everything except bodies: carpet, markings, hall and a mirror's edge; and over it the result of the bodies' pass. The
// formulas are those of OpenGL's shader floor.frag.
#ifndef FLOOR_H
#define FLOOR_H

#include "natural.h"

// What is known about a tile, or a part of it: with CARPET it shows only carpet, with LIT no shadow, with UNMARKED no
// markings, with HALL no floor; with NATURAL its light is natural.
enum { CARPET = 1, LIT = 2, UNMARKED = 4, HALL = 8, NATURAL = 16 };

INLINE void fill(light *out, const float color[3]) {
	for (int i = 0; i < TILE_PIXELS; i += LANES) {
		store(out->r + i, set(color[0]));
		store(out->g + i, set(color[1]));
		store(out->b + i, set(color[2]));
	}
}

// find_rim determines, from a tile's middle and the distance of its corners, whether the tile is beyond a mirror's edge
// and the bright ring around it, and whether it may show part of them.
static void find_rim(const view *v, int x0, int y0, int *beyond, int *shows) {
	const float half = TILE_SIZE / 2;
	float x = ((float)x0 + half - v->cx) / v->fx, y = ((float)y0 + half - v->cy) / v->fy;
	float r = sqrtf(x * x + y * y), reach = sqrtf(half / v->fx * (half / v->fx) + half / v->fy * (half / v->fy));
	float soft = 2 / fminf(v->fx, v->fy);
	*beyond = r - reach > v->rim + soft;
	*shows = r + reach > v->edge - soft;
}

// may_be_shaded reports whether anything in a rectangle of the floor may have less than full light.
static int may_be_shaded(const lightmap *l, const float lo[2], const float hi[2]) {
	int from[2], to[2];
	for (int axis = 0; axis < 2; axis++) {
		float a = (lo[axis] * l->scale[axis] + l->offset[axis]) * SHADE_CELLS,
			b = (hi[axis] * l->scale[axis] + l->offset[axis]) * SHADE_CELLS;
		from[axis] = (int)fminf(fmaxf(a, 0), SHADE_CELLS - 1);
		to[axis] = (int)fminf(fmaxf(b, 0), SHADE_CELLS - 1);
	}
	for (int word = from[0] / 64; word <= to[0] / 64; word++) {
		uint64_t columns = ~0ull;
		if (word == from[0] / 64) columns &= ~0ull << from[0] % 64;
		if (word == to[0] / 64) columns &= ~0ull >> (63 - to[0] % 64);
		for (int y = from[1]; y <= to[1]; y++) {
			if (l->shaded[y * (SHADE_CELLS / 64) + word] & columns) return 1;
		}
	}
	return 0;
}

// classify returns what is known about pixels, from the bounds of their floor points.
static int classify(const scene *s, const view *v, const bounds *t, markings *m) {
	int carpet = 1, hall = 0, inside = 1;
	for (int axis = 0; axis < 2; axis++) {
		float size = t->hi[axis] - t->lo[axis] + 1e-4f; // wider than any footprint
		carpet = carpet && t->lo[axis] - size > -s->carpet_half[axis] && t->hi[axis] + size < s->carpet_half[axis];
		hall = hall || t->hi[axis] <= -s->hall_half[axis] || t->lo[axis] >= s->hall_half[axis];
		inside = inside && fabsf(v->eye[axis]) < s->hall_half[axis];
	}
	m->count = 0;
	const int natural = s->natural ? NATURAL : 0;
	if (hall && inside) return HALL | natural;
	find_markings(s, t, m);
	if (natural) return (carpet ? CARPET : 0) | (m->count == 0 ? UNMARKED : 0) | NATURAL;
	return (carpet ? CARPET : 0) | (m->count == 0 ? UNMARKED : 0) | (s->shadowless || !may_be_shaded(&s->light, t->lo,
		t->hi) ? LIT : 0);
}

// used adds a carpet's sheen to its reflectance where markings do not cover it, and the seams between its rolls. Wear
// is already in the floor's light.
INLINE void used(const scene *s, const sight *t, int at, vf cover, vf light[3]) {
	if (s->sheen[1] > 0) {
		vf dx = load(t->dx + at), dy = load(t->dy + at), dz = load(t->dz + at);
		vf c2 = dz * dz, all = fma_(dx, dx, fma_(dy, dy, c2)); // the ratio is the squared cosine
		vf over = fma_(all, set(s->sheen_near[0]), c2) * fma_(all, set(s->sheen_near[1]), c2);
		vf sheen = fma_(all * fma_(all, set(s->sheen[1]), c2 * s->sheen[0]), 1 / over, set(s->sheen[2])) * (1 - cover);
		for (int i = 0; i < 3; i++) light[i] = mix(light[i], set(s->sheen_tint[i]), sheen);
	}
	if (s->seam_dark > 0) {
		vf y = load(t->y + at), rolls = y * s->seams_per_metre, off = (rolls - floor_(rolls) - 0.5f) * s->seam_pitch;
		vf width = min_(abs_(across(y)) + abs_(down(y)) + 1e-5f, set(s->seam_pitch));
		vf rest = fma_(band(off, set(0.004f), width) * (1 - cover), set(-s->seam_dark), set(1));
		for (int i = 0; i < 3; i++) light[i] = light[i] * rest;
	}
}

// image_at is the reflectance of a floor with an image at the pixels of a group.
static __attribute__((noinline)) void image_at(const scene *s, vf x, vf y, vf ground[3]) {
	texture_at(&s->image, fma_(x, set(s->image_scale[0]), set(s->image_offset[0])), fma_(y, set(s->image_scale[1]),
		set(s->image_offset[1])), ground);
	for (int i = 0; i < 3; i++) ground[i] = ground[i] * s->image.color2[i];
}

// floor_of is the light from the floor at the pixels of a group.
INLINE void floor_of(const scene *s, const sight *sight, const markings *m, int at, int known, vf light[3]) {
	vf x = load(sight->x + at), y = load(sight->y + at), cover = set(0);
	vf grain = grain_at(s, x, y, load(sight->step2 + at)) - 0.5f;
	vf ground[3] = {set(s->carpet[0]), set(s->carpet[1]), set(s->carpet[2])};
	if (s->image.texture) image_at(s, x, y, ground);
	if (known & UNMARKED) {
		vf paint = fma_(grain, set(0.35f), set(1));
		for (int i = 0; i < 3; i++) light[i] = ground[i] * paint;
	} else {
		tape t = {set(1), set(1), set(0)};
		if (known & NATURAL && s->traces) t = tape_at(s, x, y, load(sight->step2 + at));
		cover = covered(s, m, x, y, t.shift) * t.there;
		vf paint = fma_(mix(set(0.35f), set(0.12f), cover), grain, set(1));
		for (int i = 0; i < 3; i++) light[i] = mix(ground[i], s->line[i] * t.clean, cover) * paint;
	}
	if (known & NATURAL) used(s, sight, at, cover, light);
	if (!(known & NATURAL) && s->wear > 0) {
		vf rest = fma_(wear_at(s, x, y), set(-s->wear), set(1));
		for (int i = 0; i < 3; i++) light[i] = light[i] * rest;
	}
	if (!(known & CARPET)) {
		vf wx = abs_(across(x)) + abs_(down(x)) + 1e-5f, wy = abs_(across(y)) + abs_(down(y)) + 1e-5f;
		vf inside = band(x, set(s->carpet_half[0]), wx) * band(y, set(s->carpet_half[1]), wy),
			bare = fma_(grain, set(0.08f), set(1));
		for (int i = 0; i < 3; i++) light[i] = mix(s->hall_floor[i] * bare, light[i], inside);
	}
	if (known & NATURAL) {
		vf arrives[3];
		on_natural_floor(&s->hall, x, y, arrives);
		for (int i = 0; i < 3; i++) light[i] = light[i] * arrives[i];
		return;
	}
	vf lamp = set(s->to_lamp[2]), share = set(1);
	if (!(known & LIT)) {
		floor_light(&s->light, x, y, &lamp, &share);
		lamp = lamp * s->to_lamp[2];
	}
	vf around[3] = {set(s->sky[0]), set(s->sky[1]), set(s->sky[2])};
	for (int k = 0; k < s->spots; k++) {
		vf tx = s->spot_at[k][0] - x, ty = s->spot_at[k][1] - y, tz = set(s->spot_at[k][2]);
		vf d2 = fma_(tx, tx, fma_(ty, ty, tz * tz)), near = max_(tz, set(0)) / (d2 * sqrt_(d2));
		for (int i = 0; i < 3; i++) around[i] = fma_(near, set(s->spot_light[k][i]), around[i]);
	}
	for (int i = 0; i < 3; i++) light[i] = light[i] * fma_(around[i], share, s->lamp[i] * lamp);
}

// on_floor returns which pixels of a group see the floor before a wall.
INLINE vm on_floor(const scene *s, const sight *t, int at) {
	vf x = with_sign(load(t->x + at), load(t->dx + at)), y = with_sign(load(t->y + at), load(t->dy + at));
	return and(lt(load(t->dz + at), set(0)), and(lt(x, set(s->hall_half[0])), lt(y, set(s->hall_half[1]))));
}

// hall_of is the light from the hall's walls and ceiling at the pixels of a group.
INLINE void hall_of(const scene *s, const view *v, const sight *t, int at, vf light[3]) {
	vf dx = load(t->dx + at), dy = load(t->dy + at), dz = load(t->dz + at);
	vf to_x = (with_sign(set(s->hall_half[0]), dx) - v->eye[0]) / dx,
		to_y = (with_sign(set(s->hall_half[1]), dy) - v->eye[1]) / dy;
	vf way = min_(to_x, to_y), rise = dz * way;
	vf height = (v->eye[2] + rise) / fmaxf(s->wall_height, 1e-3f);
	vf shade = fma_(height, set(0.5f), set(0.75f));
	for (int i = 0; i < 3; i++) light[i] = s->hall_wall[i] * shade;
	vm wall = lt(height, set(s->wall_height > 0 ? 1 : -INFINITY));
	if (s->crowd.levels > 0 && any(wall)) {
		vf ax = fma_(dx, way, set(v->eye[0])), ay = fma_(dy, way, set(v->eye[1])), az = v->eye[2] + rise;
		// Each wall starts at another column of the picture.
		vm side = lt(to_x, to_y);
		vf u = with_sign(select(side, ay + 37, 11 - ax), select(side, dx, dy));
		vf size = max_(max_(abs_(across(u)), abs_(down(u))), max_(abs_(across(az)), abs_(down(az))));
		vf shown[3];
		crowd_at(&s->crowd, u * s->crowd_repeats, 1 - height, size * s->crowd_texels, shown);
		for (int i = 0; i < 3; i++) light[i] = light[i] * shown[i] * (1 / 0.35f);
	}
	for (int i = 0; i < 3; i++) light[i] = select(wall, light[i], set(s->background[i]));
}

// edge is a mirror's edge, a thin ring, and the dark inside of the tube that holds the mirror.
INLINE void edge(const scene *s, const view *v, vf r, float pixel, vf light[3]) {
	vf ring = clamp((r - v->edge) / pixel + 0.5f, set(0), set(1)), tube = clamp((r - v->rim) / pixel + 0.5f, set(0),
		set(1));
	for (int i = 0; i < 3; i++) {
		light[i] = mix(light[i], set(0.10f * s->sky[i] + 0.02f * s->lamp[i]), ring);
		light[i] = mix(light[i], set(s->tube[i]), tube);
	}
}

// backdrop is a tile and the data from which its background is drawn.
typedef struct {
	const scene *s;
	const view *v;
	const bodies *b;
	light *out;
	int x0, y0, rim; // rim: whether it may show a mirror's edge
	aim a;
	sight t;
	markings m;
} backdrop;

// draw_groups draws across × down groups. known is a compile-time constant, so that the compiler removes code for what
// the groups cannot show.
INLINE void draw_groups(const backdrop *d, int first, int across, int down, int known) {
	const scene *s = d->s;
	const view *v = d->v;
	const sight *t = &d->t;
	for (int k = 0; k < across * down; k++) {
		int group = first + k / across * GROUPS_ACROSS + k % across, at = group * LANES;
		vf light[3] = {set(0), set(0), set(0)}, cover = d->b ? load(d->b->a + at) : set(0);
		if (!d->b || any(lt(cover, set(1)))) {
			vm floor = known & CARPET ? mask_of(~0u) : known & HALL ? mask_of(0) : on_floor(s, t, at);
			if (!(known & CARPET) && any(not(floor))) {
				if (known & NATURAL) natural_hall(s, v, t, at, light);
				else hall_of(s, v, t, at, light);
			}
			if (known & CARPET) {
				floor_of(s, t, &d->m, at, known, light);
			} else if (!(known & HALL) && any(floor)) {
				vf seen[3];
				floor_of(s, t, &d->m, at, known, seen);
				for (int i = 0; i < 3; i++) light[i] = select(floor, seen[i], light[i]);
			}
		}
		if (d->b) {
			light[0] = fma_(light[0], 1 - cover, load(d->b->r + at));
			light[1] = fma_(light[1], 1 - cover, load(d->b->g + at));
			light[2] = fma_(light[2], 1 - cover, load(d->b->b + at));
		}
		if (v->vignetting > 0 || d->rim) {
			vf r2 = radius2(&d->a, pixel_x(d->x0, group), pixel_y(d->y0, group));
			vf c2 = 1 / fma_(r2, set(d->a.square), set(1)), arrives = fma_(fma_(c2, c2, set(-1)), set(v->vignetting),
				set(1));
			for (int i = 0; i < 3; i++) light[i] = light[i] * arrives;
			if (d->rim) edge(s, v, sqrt_(r2), d->a.plane[0], light);
		}
		if (t->blind) {
			vm seeing = gt(max_(max_(abs_(load(t->dx + at)), abs_(load(t->dy + at))), abs_(load(t->dz + at))), set(0));
			for (int i = 0; i < 3; i++) light[i] = select(seeing, light[i], set(s->tube[i]));
		}
		store(d->out->r + at, light[0]);
		store(d->out->g + at, light[1]);
		store(d->out->b + at, light[2]);
	}
}

static void draw_part(backdrop *d, int part) {
	bounds b = part_bounds(&d->t, part);
	int known = classify(d->s, d->v, &b, &d->m), first = part_group(part);
	switch (known) {
	case CARPET | LIT | UNMARKED: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET | LIT | UNMARKED); break;
	case CARPET | LIT: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET | LIT); break;
	case CARPET | UNMARKED: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET | UNMARKED); break;
	case CARPET: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET); break;
	case HALL: draw_groups(d, first, PART_ACROSS, PART_DOWN, HALL); break;
	case CARPET | UNMARKED | NATURAL: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET | UNMARKED | NATURAL); break;
	case CARPET | NATURAL: draw_groups(d, first, PART_ACROSS, PART_DOWN, CARPET | NATURAL); break;
	case HALL | NATURAL: draw_groups(d, first, PART_ACROSS, PART_DOWN, HALL | NATURAL); break;
	case UNMARKED | NATURAL:
	case NATURAL: draw_groups(d, first, PART_ACROSS, PART_DOWN, (known & UNMARKED) | NATURAL); break;
	default: draw_groups(d, first, PART_ACROSS, PART_DOWN, known & (LIT | UNMARKED));
	}
}

// background is the light that reaches the sensor from a tile whose first pixel is (x0, y0): carpet, markings, hall, a
// mirror's edge and tube, with bodies over them (0 if the tile shows none).
static void background(const scene *s, const view *v, int x0, int y0, const bodies *b, light *out) {
	backdrop d;
	int beyond = 0;
	d.s = s, d.v = v, d.b = b, d.out = out, d.x0 = x0, d.y0 = y0, d.rim = 0;
	if (v->projection == MIRROR) find_rim(v, x0, y0, &beyond, &d.rim);
	if (beyond) {
		fill(out, s->tube);
		return;
	}
	d.a = aim_of(v);
	look(v, &d.a, x0, y0, &d.t);
	// Most tiles show only lit carpet, or no floor at all; others may do so in part.
	switch (classify(s, v, &d.t.all, &d.m)) {
	case CARPET | LIT | UNMARKED: draw_groups(&d, 0, GROUPS_ACROSS, GROUPS / GROUPS_ACROSS, CARPET | LIT | UNMARKED);
		break;
	case HALL: draw_groups(&d, 0, GROUPS_ACROSS, GROUPS / GROUPS_ACROSS, HALL); break;
	case HALL | NATURAL: draw_groups(&d, 0, GROUPS_ACROSS, GROUPS / GROUPS_ACROSS, HALL | NATURAL); break;
	case CARPET | UNMARKED | NATURAL: draw_groups(&d, 0, GROUPS_ACROSS, GROUPS / GROUPS_ACROSS,
		CARPET | UNMARKED | NATURAL); break;
	default:
		for (int part = 0; part < PARTS; part++) draw_part(&d, part);
	}
}

#endif
