// How robots push themselves: feet with directional friction at level wheels, a set velocity at level chassis.
#include "world.h"

#include <math.h>

static void drive_foot(omni_world *w, omni_part *p, omni_wheel *wheel, double rim, double turn) {
	const dReal *x = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	double foot[3];
	for (int i = 0; i < 3; i++)
		foot[i] = x[i] + r[4 * i] * wheel->x + r[4 * i + 1] * wheel->y - r[4 * i + 2] * p->com;
	wheel->feedback.f1[2] = 0;
	if (foot[2] > OMNI_LAYER) return;
	// Half a step ahead: the force acts along the wheel's mean direction during the step.
	double cs = cos(turn), sn = sin(turn);
	double ex = r[0] * wheel->ex + r[1] * wheel->ey, ey = r[4] * wheel->ex + r[5] * wheel->ey;
	double len = hypot(ex, ey);
	if (len < 0.5) return; // lying on its side
	dContact c = {0};
	// Rollers run freely, so the second friction direction has none.
	c.surface.mode = dContactMu2 | dContactFDir1 | dContactMotion1 | dContactApprox1_1;
	c.surface.mu = w->config.wheel_friction;
	if (wheel->load * c.surface.mu > wheel->force) c.surface.mu = wheel->force / wheel->load;
	c.surface.motion1 = rim;
	c.fdir1[0] = (cs * ex - sn * ey) / len;
	c.fdir1[1] = (sn * ex + cs * ey) / len;
	c.geom.pos[0] = foot[0], c.geom.pos[1] = foot[1];
	c.geom.normal[2] = 1;
	c.geom.depth = foot[2] < 0 ? -foot[2] : 0;
	omni_join(w, p, NULL, &c, &wheel->feedback);
}

// drive_rims keeps a tipped robot from sinking: the lowest point of the hull's lower and upper rim.
static void drive_rims(omni_world *w, omni_part *p) {
	const dReal *x = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	double len = hypot(r[8], r[9]);
	if (len < 0.1) return;
	double lx = -r[8] / len * p->radius, ly = -r[9] / len * p->radius;
	for (int end = 0; end < 2; end++) {
		double lz = end * p->height - p->com, at[3];
		for (int i = 0; i < 3; i++) at[i] = x[i] + r[4 * i] * lx + r[4 * i + 1] * ly + r[4 * i + 2] * lz;
		if (at[2] > 0) continue;
		dContact c = {0};
		c.surface.mode = dContactApprox1;
		c.surface.mu = w->config.body_friction;
		c.geom.pos[0] = at[0], c.geom.pos[1] = at[1];
		c.geom.normal[2] = 1;
		c.geom.depth = -at[2];
		omni_join(w, p, NULL, &c, NULL);
	}
}

void omni_drive_feet(omni_world *w, double dt) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		if (p->chassis) continue;
		double turn = dBodyGetAngularVel(p->body)[2] * dt / 2;
		for (int k = 0; k < p->wheels; k++) {
			omni_wheel *wheel = &p->wheel[k];
			drive_foot(w, p, wheel, w->body[i].rim[k], turn);
		}
		drive_rims(w, p);
	}
}

// omni_read_feet takes the loads, and finds out how fast the wheels turned: a motor too weak to make its wheel slip
// turns as fast as the floor passes; one that is strong enough keeps the wanted speed and slips.
void omni_read_feet(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		const dReal *r = dBodyGetRotation(p->body), *v = dBodyGetLinearVel(p->body), *o = dBodyGetAngularVel(p->body);
		for (int k = 0; k < p->wheels && !p->chassis; k++) {
			omni_wheel *wheel = &p->wheel[k];
			double arm[3], vel[3];
			wheel->load = wheel->feedback.f1[2];
			if (wheel->load <= 0 || wheel->load * w->config.wheel_friction <= wheel->force) continue;
			for (int j = 0; j < 3; j++) arm[j] = r[4 * j] * wheel->x + r[4 * j + 1] * wheel->y - r[4 * j + 2] * p->com;
			vel[0] = v[0] + o[1] * arm[2] - o[2] * arm[1];
			vel[1] = v[1] + o[2] * arm[0] - o[0] * arm[2];
			w->body[i].rim[k] = (r[0] * wheel->ex + r[1] * wheel->ey) * vel[0] + (r[4] * wheel->ex + r[5] * wheel->ey) * vel[1];
		}
	}
}

void omni_set_chassis(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		if (!p->chassis) continue;
		const dReal *r = dBodyGetRotation(p->body);
		double *t = w->body[i].twist, len = hypot(r[0], r[4]);
		double c = r[0] / len, s = r[4] / len;
		dBodySetLinearVel(p->body, c * t[0] - s * t[1], s * t[0] + c * t[1], 0);
		dBodySetAngularVel(p->body, 0, 0, t[2]);
	}
}

// omni_turn_chassis lets a robot's velocity turn with it: half a turn before and half after a step puts it on the arc.
void omni_turn_chassis(omni_world *w, double dt) {
	for (int i = 0; i < w->robots; i++) {
		dBodyID b = w->part[i].body;
		if (!w->part[i].chassis) continue;
		const dReal *v = dBodyGetLinearVel(b);
		double a = dBodyGetAngularVel(b)[2] * dt, c = cos(a), s = sin(a);
		dBodySetLinearVel(b, c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]);
	}
}

void omni_clamp_chassis(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		if (!p->chassis) continue;
		const dReal *r = dBodyGetRotation(p->body), *x = dBodyGetPosition(p->body), *v = dBodyGetLinearVel(p->body);
		double half = atan2(r[4], r[0]) / 2;
		dQuaternion q = {cos(half), 0, 0, sin(half)};
		dBodySetPosition(p->body, x[0], x[1], p->com);
		dBodySetLinearVel(p->body, v[0], v[1], 0);
		dBodySetAngularVel(p->body, 0, 0, dBodyGetAngularVel(p->body)[2]);
		dBodySetQuaternion(p->body, q);
	}
}
