#include "world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The ball moves at most this share of its radius between two looks at its contacts; the other half is left for
// what moves towards it.
static const double ball_stride = 0.5;
static const int max_substeps = 32;

static void place(omni_part *p, omni_body *b) {
	const dReal *r;
	dBodySetQuaternion(p->body, b->quat);
	r = dBodyGetRotation(p->body);
	double up[3] = {r[2] * p->com, r[6] * p->com, r[10] * p->com};
	dBodySetPosition(p->body, b->pos[0] + up[0], b->pos[1] + up[1], b->pos[2] + up[2]);
	dBodySetAngularVel(p->body, b->ang[0], b->ang[1], b->ang[2]);
	dBodySetLinearVel(p->body, b->lin[0] + b->ang[1] * up[2] - b->ang[2] * up[1],
		b->lin[1] + b->ang[2] * up[0] - b->ang[0] * up[2], b->lin[2] + b->ang[0] * up[1] - b->ang[1] * up[0]);
	b->place = 0;
}

static void read_out(const omni_part *p, omni_body *b) {
	const dReal *x = dBodyGetPosition(p->body), *q = dBodyGetQuaternion(p->body), *r = dBodyGetRotation(p->body);
	const dReal *v = dBodyGetLinearVel(p->body), *o = dBodyGetAngularVel(p->body);
	double up[3] = {r[2] * p->com, r[6] * p->com, r[10] * p->com};
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		b->pos[i] = x[i] - up[i];
		b->lin[i] = v[i] - (o[j] * up[k] - o[k] * up[j]);
		b->ang[i] = o[i];
	}
	memcpy(b->quat, q, sizeof b->quat);
}

static int broken(const omni_body *b) {
	double sum = 0; // NaN and infinity survive it
	for (int i = 0; i < 3; i++) sum += b->pos[i] * 0 + b->lin[i] * 0 + b->ang[i] * 0;
	for (int i = 0; i < 4; i++) sum += b->quat[i] * 0;
	return sum != 0;
}

static int substeps(omni_world *w, double seconds) {
	const dReal *v = dBodyGetLinearVel(omni_ball(w)->body);
	double stride = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * seconds;
	if (w->held_by >= 0) return 1;
	double n = ceil(stride / (ball_stride * omni_ball(w)->radius));
	return n < 1 ? 1 : n > max_substeps ? max_substeps : (int)n;
}

static void substep(omni_world *w, double dt) {
	dJointGroupEmpty(w->joints);
	w->contacts = 0;
	w->ball_touched = 0;
	omni_part_all(w);
	omni_turn_chassis(w, dt / 2);
	omni_drive_feet(w, dt);
	omni_collide_robots(w);
	omni_collide_obstacles(w);
	omni_collide_ball(w, dt);
	omni_solve(w, dt);
	omni_turn_chassis(w, dt / 2);
	omni_clamp_chassis(w);
	if (!w->ball_touched && w->held_by < 0) {
		// libode moves a body by its velocity at the step's end; in free flight the mean of both ends is exact.
		const dReal *x = dBodyGetPosition(omni_ball(w)->body);
		dBodySetPosition(omni_ball(w)->body, x[0], x[1], x[2] + w->config.gravity * dt * dt / 2);
	}
}

static void step(omni_world *w, double seconds) {
	int parts = w->robots + w->obstacles + 1;
	for (int i = 0; i < parts; i++) {
		if (!w->body[i].place) continue;
		if (broken(&w->body[i])) {
			snprintf(w->error, sizeof w->error, "body %d was placed without a finite state", i);
			return;
		}
		place(&w->part[i], &w->body[i]);
	}
	if (w->held_by >= 0) dBodyDisable(omni_ball(w)->body);
	w->held_depth = 0;
	omni_set_chassis(w);
	int n = substeps(w, seconds);
	for (int i = 0; i < n && !w->error[0]; i++) substep(w, seconds / n);
	omni_read_feet(w);
	for (int i = 0; i < parts; i++) {
		read_out(&w->part[i], &w->body[i]);
		if (broken(&w->body[i]) && !w->error[0])
			snprintf(w->error, sizeof w->error, "body %d has no finite state any more; %.150s", i, w->warning);
	}
}

int omni_step(omni_world *w, double seconds) { return omni_guarded(w, step, seconds); }
