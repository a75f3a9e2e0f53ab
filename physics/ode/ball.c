// The ball's contacts: as a body of its own, or, while a robot holds it, as a bumper of that robot.
#include "contact.h"

#include <math.h>

static const double bounce_vel = 0.1; // m/s: slower impacts do not bounce. Measured.

// m/s: a ball that an impact has let in deep is not pushed out faster; else no net would catch it. Guess.
static const double push_out = 0.3;

static void soften(dContact *c, double dt) {
	if (c->geom.depth * OMNI_ERP <= push_out * dt) return;
	c->surface.mode |= dContactSoftERP;
	c->surface.soft_erp = push_out * dt / c->geom.depth;
}

static void roll(omni_world *w, omni_part *ball, double dt) {
	const dReal *x = dBodyGetPosition(ball->body), *v = dBodyGetLinearVel(ball->body), *o = dBodyGetAngularVel(ball->body);
	double gap = x[2] - ball->radius;
	// A ball that rises faster than it would be pushed out is in free flight.
	if (gap > OMNI_LAYER || v[2] > fmin(push_out, fmax(bounce_vel, -gap * OMNI_ERP / dt))) return;
	dContact c = {0};
	c.surface.mode = dContactBounce | dContactRolling | dContactApprox1;
	c.surface.mu = w->config.ball_friction;
	c.surface.rho = c.surface.rho2 = c.surface.rhoN = w->config.ball_rho;
	c.surface.bounce = w->config.ball_bounce;
	c.surface.bounce_vel = bounce_vel;
	c.geom.pos[0] = x[0], c.geom.pos[1] = x[1];
	c.geom.normal[2] = 1;
	c.geom.depth = gap < 0 ? -gap : 0;
	soften(&c, dt);
	// libode's friction acts along two axes at once: the first has to be that of the motion, or a ball slows down
	// faster along diagonals, and turns.
	double along[2] = {v[0] - o[1] * ball->radius, v[1] + o[0] * ball->radius}, slip = hypot(along[0], along[1]);
	if (slip < 1e-3) along[0] = v[0], along[1] = v[1], slip = hypot(v[0], v[1]);
	if (slip > 1e-9) {
		c.surface.mode |= dContactFDir1;
		c.fdir1[0] = along[0] / slip, c.fdir1[1] = along[1] / slip;
	}
	omni_join(w, ball, NULL, &c, NULL);
	w->ball_touched = 1;
}

// meet joins what the ball has run into.
static void meet(omni_world *w, const dContactGeom *g, omni_part *other, double friction, double bounce, double dt) {
	omni_part *ball = omni_ball(w);
	dContact c = {0};
	c.geom = *g;
	c.surface.mode = dContactApprox1;
	c.surface.mu = friction;
	if (w->held_by < 0) {
		c.surface.mode |= dContactBounce;
		c.surface.bounce = bounce;
		c.surface.bounce_vel = bounce_vel;
		soften(&c, dt);
		w->ball_touched = 1;
		omni_join(w, ball, other, &c, NULL);
		return;
	}
	// Held, the ball passes the push on to its robot, at the height of the centre of mass so that nothing tips.
	omni_part *holder = &w->part[w->held_by];
	double len = hypot(g->normal[0], g->normal[1]);
	if (len < 0.5) return;
	w->held_depth = fmax(w->held_depth, g->depth);
	c.geom.normal[0] /= len, c.geom.normal[1] /= len, c.geom.normal[2] = 0;
	if (!other || other->kind == OMNI_ROBOT) c.geom.pos[2] = holder->com;
	omni_join(w, holder, other, &c, NULL);
}

void omni_collide_ball(omni_world *w, double dt) {
	omni_part *ball = omni_ball(w);
	const dReal *x = dBodyGetPosition(ball->body);
	double at[3] = {x[0], x[1], x[2]}, half[3], r = ball->radius;
	dContactGeom g = {0};
	if (w->held_by >= 0) {
		omni_part *holder = &w->part[w->held_by];
		omni_frame f = omni_base(holder);
		double len = hypot(f.rot[0], f.rot[4]);
		at[0] = f.pos[0] + holder->hold * f.rot[0] / len;
		at[1] = f.pos[1] + holder->hold * f.rot[4] / len;
		at[2] = r;
	} else {
		roll(w, ball, dt);
	}
	for (int i = 0; i < w->robots; i++) {
		const dReal *y = dBodyGetPosition(w->part[i].body);
		double dx = at[0] - y[0], dy = at[1] - y[1], reach = r + w->part[i].radius + w->part[i].height;
		if (i == w->held_by || dx * dx + dy * dy > reach * reach) continue;
		if (omni_ball_hull(at, r, &w->part[i], &g)) meet(w, &g, &w->part[i], w->config.body_friction, w->config.hull_bounce, dt);
	}
	for (int i = 0; i < w->obstacles; i++) {
		omni_part *o = &w->part[w->robots + i];
		omni_frame f = {{0}, dBodyGetRotation(o->body)};
		const dReal *y = dBodyGetPosition(o->body);
		for (int k = 0; k < 3; k++) f.pos[k] = y[k];
		if (omni_ball_box(at, r, &f, o->half, &g)) meet(w, &g, o, w->config.body_friction, w->config.hull_bounce, dt);
	}
	for (int i = 0; i < w->boxes; i++) {
		omni_frame f = omni_box_frame(&w->box[i], half);
		if (omni_ball_box(at, r, &f, half, &g)) meet(w, &g, NULL, w->box[i].friction, w->box[i].bounce, dt);
	}
}
