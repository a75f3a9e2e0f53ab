// Contacts between robots, obstacles and static bodies. Pairs with an upright hull get two contacts, one low and one
// high, because the single contact of libccd tips robots over.
#include "world.h"

#include <math.h>

static const double inset = 0.0625; // distance of the two contacts from the ends of the common height, as a share of it

int omni_upright(const omni_world *w, const omni_part *p) {
	return dBodyGetRotation(p->body)[10] > w->config.upright_cos;
}

void omni_join(omni_world *w, omni_part *a, omni_part *b, dContact *c, dJointFeedback *feedback) {
	dJointID j = dJointCreateContact(w->world, w->joints, c);
	dJointAttach(j, a->body, b ? b->body : 0);
	if (feedback) dJointSetFeedback(j, feedback);
	if (!b) return;
	w->contacts++;
	omni_meet(a, b);
}

// join_noted adds a contact between two parts, or a part and a static body, and records the touch.
static void join_noted(omni_world *w, omni_part *a, omni_part *b, dContact *c) {
	if (w->touches == w->touch_room) { // further touches are not recorded
		omni_join(w, a, b, c, NULL);
		return;
	}
	omni_touched *t = &w->touch[w->touches++];
	const dReal *x = c->geom.pos, *n = c->geom.normal;
	dVector3 va, vb = {0};
	dBodyGetPointVel(a->body, x[0], x[1], x[2], va);
	if (b) dBodyGetPointVel(b->body, x[0], x[1], x[2], vb);
	t->a = a - w->part, t->b = b ? b - w->part : -1;
	t->closing = t->impulse = 0;
	for (int i = 0; i < 3; i++) {
		t->pos[i] = x[i], t->normal[i] = n[i];
		t->closing -= (va[i] - vb[i]) * n[i];
	}
	omni_join(w, a, b, c, &t->feedback);
}

// omni_read_touches adds the impulses of a substep to the touches.
void omni_read_touches(omni_world *w, double dt) {
	for (int i = 0; i < w->touches; i++) {
		omni_touched *t = &w->touch[i];
		for (int k = 0; k < 3; k++) t->impulse += t->feedback.f1[k] * t->normal[k] * dt;
		for (int k = 0; k < 3; k++) t->feedback.f1[k] = 0; // clears joints of earlier substeps
	}
}

// m/s: largest separating speed of bodies that overlap after an impact. Guess.
static const double push_out = 0.3;

static dContact body_contact(const omni_world *w, double depth) {
	dContact c = {0};
	c.surface.mode = dContactApprox1;
	c.surface.mu = w->config.body_friction;
	if (depth < 0) {
		// A gap: the bodies may approach by no more than the gap in this step.
		c.surface.mode |= dContactMotionN;
		c.surface.motionN = depth / w->dt;
	} else if (depth * OMNI_ERP > push_out * w->dt) {
		c.surface.mode |= dContactSoftERP;
		c.surface.soft_erp = push_out * w->dt / depth;
	}
	return c;
}

// join_pair adds two contacts at (x, y) between the heights lo and hi. Friction is horizontal only: with vertical
// friction robots would climb each other, and the solver's time grows with the cube of the number of rows.
static void join_pair(omni_world *w, omni_part *a, omni_part *b, double x, double y, const double n[2], double depth,
                      double lo, double hi) {
	dContact c = body_contact(w, depth);
	double margin = inset * (hi - lo);
	c.geom.pos[0] = x, c.geom.pos[1] = y;
	c.geom.normal[0] = n[0], c.geom.normal[1] = n[1];
	c.geom.depth = fmax(0, depth);
	c.surface.mode |= dContactMu2 | dContactFDir1; // and no mu2
	c.fdir1[0] = -n[1], c.fdir1[1] = n[0];
	c.geom.pos[2] = lo + margin;
	join_noted(w, a, b, &c);
	c.geom.pos[2] = hi - margin;
	join_noted(w, a, b, &c);
}

// join_geoms adds the contacts that libode finds for a pair, and returns their number.
static int join_geoms(omni_world *w, omni_part *a, omni_part *b, dGeomID other) {
	dContactGeom g[8];
	int n = dCollide(a->geom, b ? b->geom : other, 8, g, sizeof g[0]);
	for (int i = 0; i < n; i++) {
		dContact c = body_contact(w, g[i].depth);
		c.geom = g[i];
		if (other == w->floor) {
			c.surface.mu = w->config.obstacle_friction;
			omni_join(w, a, b, &c, NULL);
		} else {
			join_noted(w, a, b, &c);
		}
	}
	return n;
}

// way_of returns an upper bound of a part's displacement in this step. Contacts start before hulls overlap; otherwise
// robots that collide at 6 m/s would first overlap by 3 cm.
static double way_of(const omni_world *w, const omni_part *p) {
	const dReal *v = dBodyGetLinearVel(p->body);
	return sqrt(v[0] * v[0] + v[1] * v[1]) * w->dt + 5e-4; // including the speed that it gains in the step
}

// axis_of returns the point of a hull's axis at the height of its body, W.
static void axis_of(const omni_part *p, double at[3]) {
	const dReal *x = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	for (int i = 0; i < 3; i++) at[i] = x[i] - (r[4 * i] * p->com_x + r[4 * i + 1] * p->com_y);
}

static int apart(const dReal *a, const dReal *b, double reach) {
	double dx = a[0] - b[0], dy = a[1] - b[1];
	return dx * dx + dy * dy > reach * reach;
}

static int outside(const dReal *x, const omni_box *b, double reach) {
	return fabs(x[0] - (b->min[0] + b->max[0]) / 2) > b->wide[0] + reach ||
		fabs(x[1] - (b->min[1] + b->max[1]) / 2) > b->wide[1] + reach;
}

static double reach_of(const omni_world *w, const omni_part *p) {
	return p->kind == OMNI_ROBOT ? p->radius + (omni_upright(w, p) ? 0 : p->height)
		: p->half[0] + p->half[1] + p->half[2];
}

// disc_rect reports whether a disc overlaps a rectangle around the origin; n points from the rectangle to the disc.
static int disc_rect(double x, double y, double radius, double half_x, double half_y, double n[2], double *depth) {
	double dx = x - fmax(-half_x, fmin(x, half_x)), dy = y - fmax(-half_y, fmin(y, half_y)), d = hypot(dx, dy);
	if (d >= radius) return 0;
	if (d > 0) {
		n[0] = dx / d, n[1] = dy / d;
		*depth = radius - d;
		return 1;
	}
	double out_x = half_x - fabs(x), out_y = half_y - fabs(y); // the centre is inside
	n[0] = out_x <= out_y ? copysign(1, x) : 0;
	n[1] = out_x <= out_y ? 0 : copysign(1, y);
	*depth = radius + fmin(out_x, out_y);
	return 1;
}

// disc_box adds the contacts of an upright round hull and an upright box.
static void disc_box(omni_world *w, omni_part *p, omni_part *o, double height) {
	const dReal *r = dBodyGetRotation(o->body);
	double x[3], y[3];
	axis_of(p, x), axis_of(o, y);
	double len = hypot(r[0], r[4]), c = r[0] / len, s = r[4] / len, dx = x[0] - y[0], dy = x[1] - y[1], l[2], depth;
	double gap = p->way + o->way;
	if (!disc_rect(c * dx + s * dy, -s * dx + c * dy, p->radius + gap, o->half[0], o->half[1], l, &depth)) return;
	double n[2] = {c * l[0] - s * l[1], s * l[0] + c * l[1]};
	join_pair(w, p, o, x[0] - n[0] * p->radius, x[1] - n[1] * p->radius, n, depth - gap, 0, height);
}

// join_parts adds the contacts of two parts. An upright round hull needs no collision of libode's.
static void join_parts(omni_world *w, omni_part *a, omni_part *b) {
	double x[3], y[3];
	axis_of(a, x), axis_of(b, y);
	if (apart(x, y, reach_of(w, a) + reach_of(w, b) + a->way + b->way)) return;
	double dx = x[0] - y[0], dy = x[1] - y[1], d = hypot(dx, dy);
	int boxes = a->boxed + b->boxed;
	if (boxes == 2 || (boxes == 0 && d == 0) || !omni_upright(w, a) || !omni_upright(w, b)) {
		join_geoms(w, a, b, 0);
		return;
	}
	if (boxes == 1) {
		disc_box(w, a->boxed ? b : a, a->boxed ? a : b, fmin(a->height, b->height));
		return;
	}
	double n[2] = {dx / d, dy / d}, at = b->radius - (a->radius + b->radius - d) / 2;
	join_pair(w, a, b, y[0] + n[0] * at, y[1] + n[1] * at, n, a->radius + b->radius - d, 0, fmin(a->height, b->height));
}

// touch is where an upright hull of a robot touches a box, between two heights. n points from the box to the hull.
typedef struct {
	double n[2], depth, lo, hi;
} touch;

static int touch_box(const omni_part *p, const omni_box *b, touch *t) {
	double x[3];
	axis_of(p, x);
	double l[2], dx = x[0] - (b->min[0] + b->max[0]) / 2, dy = x[1] - (b->min[1] + b->max[1]) / 2;
	double c = b->cos, s = b->sin;
	t->lo = fmax(0, b->min[2]), t->hi = fmin(p->height, b->max[2]);
	if (t->lo >= t->hi) return 0;
	double half_x = (b->max[0] - b->min[0]) / 2, half_y = (b->max[1] - b->min[1]) / 2, radius = p->radius + p->way;
	if (b->round) radius += half_x, half_x = half_y = 0;
	if (!disc_rect(c * dx + s * dy, -s * dx + c * dy, radius, half_x, half_y, l, &t->depth))
		return 0;
	t->n[0] = c * l[0] - s * l[1], t->n[1] = s * l[0] + c * l[1];
	return 1;
}

static void join_touch(omni_world *w, omni_part *p, const touch *t) {
	double x[3];
	axis_of(p, x);
	join_pair(w, p, NULL, x[0] - t->n[0] * p->radius, x[1] - t->n[1] * p->radius, t->n, t->depth - p->way, t->lo,
		t->hi);
}

enum { most_sides = 8 };            // largest number of sides from which props touch a body
static const double same_side = 0.9; // cosine of the angle within which touches count as from the same side. Guess.

// add_touch adds a touch to a list. Touches from the same side, as of the many boxes of a round prop, become one: the
// deepest, between the heights of all.
static void add_touch(touch *all, int *n, const touch *t) {
	for (int i = 0; i < *n; i++) {
		touch *o = &all[i];
		if (o->n[0] * t->n[0] + o->n[1] * t->n[1] < same_side) continue;
		double lo = fmin(o->lo, t->lo), hi = fmax(o->hi, t->hi);
		if (t->depth > o->depth) *o = *t;
		o->lo = lo, o->hi = hi;
		return;
	}
	if (*n < most_sides) all[(*n)++] = *t;
}

// boxes_near and box_near return the number of the boxes that a part may touch, and one of them.
static int boxes_near(const omni_world *w, const omni_part *p) { return p->nears < 0 ? w->boxes : p->nears; }

static omni_box *box_near(omni_world *w, const omni_part *p, int i) { return &w->box[p->nears < 0 ? i : p->near[i]]; }

// join_boxes adds the contacts of a part with static boxes.
static void join_boxes(omni_world *w, omni_part *p) {
	double x[3];
	axis_of(p, x);
	touch props[most_sides];
	int upright = !p->boxed && omni_upright(w, p), n = 0, geoms = 0;
	for (int i = 0; i < boxes_near(w, p); i++) {
		omni_box *b = box_near(w, p, i);
		touch t;
		if (outside(x, b, reach_of(w, p) + p->way)) continue;
		if (!upright) {
			if (!b->prop || geoms < most_sides) geoms += join_geoms(w, p, NULL, b->geom) && b->prop;
		} else if (touch_box(p, b, &t)) {
			if (b->prop) add_touch(props, &n, &t);
			else join_touch(w, p, &t);
		}
	}
	for (int i = 0; i < n; i++) join_touch(w, p, &props[i]);
}

void omni_collide(omni_world *w) {
	int parts = w->robots + w->obstacles;
	for (int i = 0; i < parts; i++) w->part[i].way = way_of(w, &w->part[i]);
	for (int i = 0; i < parts; i++) {
		omni_part *p = &w->part[i];
		if (i >= w->robots) join_geoms(w, p, NULL, w->floor);
		for (int j = i + 1; j < parts; j++) join_parts(w, p, &w->part[j]);
		join_boxes(w, p);
	}
}
