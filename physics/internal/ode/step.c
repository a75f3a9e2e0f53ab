#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Rollers need shorter steps: at 5 m/s a wheel changes rollers every 5 ms. Measured: a circle at 2 ms equals one at
// 0.5 ms.
static const double roller_step = 2e-3; // s

// com_of returns the way from the origin of a part's frame to its body, W.
static void com_of(const omni_part *p, double com[3]) {
	const dReal *r = dBodyGetRotation(p->body);
	for (int i = 0; i < 3; i++) com[i] = r[4 * i] * p->com_x + r[4 * i + 1] * p->com_y + r[4 * i + 2] * p->com;
}

static void place(omni_part *p, omni_body *b) {
	dBodySetQuaternion(p->body, b->quat);
	double up[3];
	com_of(p, up);
	dBodySetPosition(p->body, b->pos[0] + up[0], b->pos[1] + up[1], b->pos[2] + up[2]);
	dBodySetAngularVel(p->body, b->ang[0], b->ang[1], b->ang[2]);
	dBodySetLinearVel(p->body, b->lin[0] + b->ang[1] * up[2] - b->ang[2] * up[1],
		b->lin[1] + b->ang[2] * up[0] - b->ang[0] * up[2], b->lin[2] + b->ang[0] * up[1] - b->ang[1] * up[0]);
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		wheel->rate = wheel->wanted = b->rate[k];
		wheel->integral = wheel->force = 0;
	}
	p->voltage = p->motor.voltage;
	if (p->kind == OMNI_ROBOT && p->level == OMNI_ROLLERS) omni_place_rollers(p);
	b->place = 0;
}

static void read_out(const omni_part *p, omni_body *b) {
	const dReal *x = dBodyGetPosition(p->body), *q = dBodyGetQuaternion(p->body);
	const dReal *v = dBodyGetLinearVel(p->body), *o = dBodyGetAngularVel(p->body);
	double up[3];
	com_of(p, up);
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		b->pos[i] = x[i] - up[i];
		b->lin[i] = v[i] - (o[j] * up[k] - o[k] * up[j]);
		b->ang[i] = o[i];
	}
	memcpy(b->quat, q, sizeof b->quat);
	for (int k = 0; k < p->wheels; k++) b->rate[k] = p->wheel[k].rate, b->stuck[k] = p->wheel[k].stuck;
	b->current = p->current, b->voltage = p->motor.on ? p->voltage : 0;
}

static int broken(const omni_body *b) {
	double sum = 0; // NaN and infinity propagate
	for (int i = 0; i < 3; i++) sum += b->pos[i] * 0 + b->lin[i] * 0 + b->ang[i] * 0;
	for (int i = 0; i < 4; i++) sum += b->quat[i] * 0;
	return sum != 0;
}

// push applies the impulses on bodies, distributed over the step.
static void push(omni_world *w, double seconds) {
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		omni_body *b = &w->body[i];
		if (!b->pushed) continue;
		dBodyAddForceAtPos(w->part[i].body, b->push_sum[0] / seconds, b->push_sum[1] / seconds,
			b->push_sum[2] / seconds,
			b->push_at[0], b->push_at[1], b->push_at[2]);
		dBodyAddTorque(w->part[i].body, b->push_turn[0] / seconds, b->push_turn[1] / seconds,
			b->push_turn[2] / seconds);
	}
}

static int substeps(omni_world *w, double seconds) {
	for (int i = 0; i < w->robots; i++)
		if (w->part[i].level == OMNI_ROLLERS) return ceil(seconds / roller_step - 1e-9);
	return 1;
}

static void substep(omni_world *w, double dt) {
	dJointGroupEmpty(w->joints);
	w->contacts = 0;
	w->dt = dt;
	omni_part_all(w);
	omni_turn_chassis(w, dt / 2);
	omni_drive_feet(w, dt);
	omni_collide(w);
	omni_solve(w, dt);
	omni_turn_chassis(w, dt / 2);
	omni_clamp_chassis(w);
	omni_read_feet(w, dt);
	omni_read_touches(w, dt);
}

static void step(omni_world *w, double seconds) {
	int parts = w->robots + w->obstacles;
	for (int i = 0; i < parts; i++) {
		if (!w->body[i].place) continue;
		if (broken(&w->body[i])) {
			snprintf(w->error, sizeof w->error, "body %d was placed without a finite state", i);
			return;
		}
		place(&w->part[i], &w->body[i]);
	}
	omni_set_chassis(w);
	w->touches = 0;
	int n = substeps(w, seconds);
	for (int i = 0; i < n && !w->error[0]; i++) {
		push(w, seconds);
		substep(w, seconds / n);
	}
	for (int i = 0; i < parts; i++) {
		read_out(&w->part[i], &w->body[i]);
		w->body[i].pushed = 0;
		if (broken(&w->body[i]) && !w->error[0])
			snprintf(w->error, sizeof w->error, "body %d has no finite state any more; %.150s", i, w->warning);
	}
}

int omni_step(omni_world *w, double seconds) { return omni_guarded(w, step, seconds); }
