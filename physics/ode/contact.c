// Contacts between robots, obstacles and what stands still. Pairs with an upright hull are made by hand, with one
// contact low and one high: libccd's single contact point tips robots over.
#include "contact.h"

#include <math.h>

static const double inset = 0.0625; // the two contacts stand this share of the common height away from its ends

int omni_upright(const omni_part *p) { return dBodyGetRotation(p->body)[10] > OMNI_UPRIGHT_COS; }

void omni_join(omni_world *w, omni_part *a, omni_part *b, dContact *c, dJointFeedback *feedback) {
	dJointID j = dJointCreateContact(w->world, w->joints, c);
	dJointAttach(j, a->body, b ? b->body : 0);
	if (feedback) dJointSetFeedback(j, feedback);
	if (!b) return;
	w->contacts++;
	omni_touch(a, b);
}

static dContact body_contact(const omni_world *w) {
	dContact c = {0};
	c.surface.mode = dContactApprox1;
	c.surface.mu = w->config.body_friction;
	return c;
}

// join_pair puts two contacts at (x, y) between heights lo and hi.
static void join_pair(omni_world *w, omni_part *a, omni_part *b, double x, double y, const double n[2], double depth, double lo, double hi) {
	dContact c = body_contact(w);
	double margin = inset * (hi - lo);
	c.geom.pos[0] = x, c.geom.pos[1] = y;
	c.geom.normal[0] = n[0], c.geom.normal[1] = n[1];
	c.geom.depth = depth;
	c.geom.pos[2] = lo + margin;
	omni_join(w, a, b, &c, NULL);
	c.geom.pos[2] = hi - margin;
	omni_join(w, a, b, &c, NULL);
}

// join_geoms leaves a pair to libode.
static void join_geoms(omni_world *w, omni_part *a, omni_part *b, dGeomID other) {
	dContactGeom g[8];
	int n = dCollide(a->geom, b ? b->geom : other, 8, g, sizeof g[0]);
	for (int i = 0; i < n; i++) {
		dContact c = body_contact(w);
		c.geom = g[i];
		omni_join(w, a, b, &c, NULL);
	}
}

static int apart(const dReal *a, const dReal *b, double reach) {
	double dx = a[0] - b[0], dy = a[1] - b[1];
	return dx * dx + dy * dy > reach * reach;
}

static int outside(const dReal *x, const omni_box *b, double reach) {
	return x[0] + reach < b->min[0] || x[0] - reach > b->max[0] || x[1] + reach < b->min[1] || x[1] - reach > b->max[1];
}

static double reach_of(const omni_part *p) {
	return p->kind == OMNI_ROBOT ? p->radius + (omni_upright(p) ? 0 : p->height) : p->half[0] + p->half[1] + p->half[2];
}

static void robot_robot(omni_world *w, omni_part *a, omni_part *b) {
	const dReal *x = dBodyGetPosition(a->body), *y = dBodyGetPosition(b->body);
	if (apart(x, y, reach_of(a) + reach_of(b))) return;
	double dx = x[0] - y[0], dy = x[1] - y[1], d = hypot(dx, dy);
	if (!omni_upright(a) || !omni_upright(b) || d == 0) {
		join_geoms(w, a, b, 0);
		return;
	}
	double n[2] = {dx / d, dy / d}, at = b->radius - (a->radius + b->radius - d) / 2;
	join_pair(w, a, b, y[0] + n[0] * at, y[1] + n[1] * at, n, a->radius + b->radius - d, 0, fmin(a->height, b->height));
}

static void robot_box(omni_world *w, omni_part *p, omni_box *b) {
	const dReal *x = dBodyGetPosition(p->body);
	double n[2], depth;
	if (outside(x, b, reach_of(p))) return;
	if (!omni_upright(p)) {
		join_geoms(w, p, NULL, b->geom);
		return;
	}
	double lo = fmax(0, b->min[2]), hi = fmin(p->height, b->max[2]);
	if (lo >= hi) return;
	if (!omni_disc_rect(x[0] - (b->min[0] + b->max[0]) / 2, x[1] - (b->min[1] + b->max[1]) / 2, p->radius,
			(b->max[0] - b->min[0]) / 2, (b->max[1] - b->min[1]) / 2, n, &depth))
		return;
	join_pair(w, p, NULL, x[0] - n[0] * p->radius, x[1] - n[1] * p->radius, n, depth, lo, hi);
}

static void robot_obstacle(omni_world *w, omni_part *p, omni_part *o) {
	const dReal *x = dBodyGetPosition(p->body), *y = dBodyGetPosition(o->body), *r = dBodyGetRotation(o->body);
	if (apart(x, y, reach_of(p) + reach_of(o))) return;
	if (!omni_upright(p) || !omni_upright(o)) {
		join_geoms(w, p, o, 0);
		return;
	}
	double len = hypot(r[0], r[4]), c = r[0] / len, s = r[4] / len, dx = x[0] - y[0], dy = x[1] - y[1], l[2], depth;
	if (!omni_disc_rect(c * dx + s * dy, -s * dx + c * dy, p->radius, o->half[0], o->half[1], l, &depth)) return;
	double n[2] = {c * l[0] - s * l[1], s * l[0] + c * l[1]};
	join_pair(w, p, o, x[0] - n[0] * p->radius, x[1] - n[1] * p->radius, n, depth, 0, fmin(p->height, 2 * o->half[2]));
}

void omni_collide_robots(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		for (int j = i + 1; j < w->robots; j++) robot_robot(w, p, &w->part[j]);
		for (int j = 0; j < w->obstacles; j++) robot_obstacle(w, p, &w->part[w->robots + j]);
		for (int j = 0; j < w->boxes; j++) robot_box(w, p, &w->box[j]);
	}
}

void omni_collide_obstacles(omni_world *w) {
	for (int i = 0; i < w->obstacles; i++) {
		omni_part *o = &w->part[w->robots + i];
		const dReal *x = dBodyGetPosition(o->body);
		join_geoms(w, o, NULL, w->floor);
		for (int j = i + 1; j < w->obstacles; j++) {
			omni_part *other = &w->part[w->robots + j];
			if (!apart(x, dBodyGetPosition(other->body), reach_of(o) + reach_of(other))) join_geoms(w, o, other, 0);
		}
		for (int j = 0; j < w->boxes; j++)
			if (!outside(x, &w->box[j], reach_of(o))) join_geoms(w, o, NULL, w->box[j].geom);
	}
}
