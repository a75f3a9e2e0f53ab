// The choice of the solver for each body. The time of the exact solver grows with the cube of the contacts between
// bodies that touch each other, that of the iterative solver with their number. The iterative solver is less accurate
// for driving robots, and solves large piles only.
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number of contacts that take the exact solver as long as a robot's wheels and rollers with their hinges.
// Measured: five such robots take as long as a pile of 60 contacts.
static const int roller_contacts = 12;

void omni_part_all(omni_world *w) {
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		omni_part *p = &w->part[i];
		p->pile = p;
		p->pile_contacts = p->kind == OMNI_ROBOT && p->level == OMNI_ROLLERS ? roller_contacts : 0;
	}
}

static omni_part *pile_of(omni_part *p) {
	while (p->pile != p) p = p->pile = p->pile->pile;
	return p;
}

void omni_meet(omni_part *a, omni_part *b) {
	a = pile_of(a), b = pile_of(b);
	a->pile_contacts++;
	if (a == b) return;
	a->pile_contacts += b->pile_contacts;
	b->pile = a;
}

// choose enables the bodies in large piles, or the others, and reports whether there are any.
static int choose(omni_world *w, int large) {
	int any = 0;
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		omni_part *p = &w->part[i];
		if ((pile_of(p)->pile_contacts > w->config.pile) == large) {
			dBodyEnable(p->body);
			omni_enable_rollers(p, 1);
			any = 1;
		} else {
			dBodyDisable(p->body);
			omni_enable_rollers(p, 0);
		}
	}
	return any;
}

// omni_kept is a copy of a body's state before a step.
struct omni_kept {
	double pos[3], quat[4], lin[3], ang[3], force[3], torque[3];
};

static void keep(dBodyID b, omni_kept *k) {
	memcpy(k->pos, dBodyGetPosition(b), sizeof k->pos);
	memcpy(k->quat, dBodyGetQuaternion(b), sizeof k->quat);
	memcpy(k->lin, dBodyGetLinearVel(b), sizeof k->lin);
	memcpy(k->ang, dBodyGetAngularVel(b), sizeof k->ang);
	memcpy(k->force, dBodyGetForce(b), sizeof k->force);
	memcpy(k->torque, dBodyGetTorque(b), sizeof k->torque);
}

static void put_back(dBodyID b, omni_kept *k) {
	dBodySetPosition(b, k->pos[0], k->pos[1], k->pos[2]);
	dBodySetQuaternion(b, k->quat);
	dBodySetLinearVel(b, k->lin[0], k->lin[1], k->lin[2]);
	dBodySetAngularVel(b, k->ang[0], k->ang[1], k->ang[2]);
	dBodySetForce(b, k->force[0], k->force[1], k->force[2]);
	dBodySetTorque(b, k->torque[0], k->torque[1], k->torque[2]);
}

// each_enabled calls a function for the bodies of the next step, in a fixed order.
static void each_enabled(omni_world *w, void (*call)(dBodyID, omni_kept *)) {
	omni_kept *k = w->kept;
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		omni_part *p = &w->part[i];
		if (!dBodyIsEnabled(p->body)) continue;
		call(p->body, k++);
		if (p->kind != OMNI_ROBOT || p->level != OMNI_ROLLERS) continue;
		for (int n = 0; n < p->wheels; n++) {
			omni_wheel *wheel = &p->wheel[n];
			call(wheel->hub, k++);
			for (int r = 0; r < p->rollers; r++)
				if (wheel->roller[r].awake) call(wheel->roller[r].body, k++);
		}
	}
}

int omni_make_room(omni_world *w) {
	int bodies = 1;
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		const omni_part *p = &w->part[i];
		bodies += 1 + p->wheels * (1 + p->rollers);
	}
	w->kept = malloc(bodies * sizeof *w->kept);
	return w->kept ? 0 : -1;
}

// exactly takes a step with the exact solver. The solver fails on a degenerate problem; a hundred thousand steps of a
// brawl of ten robots have thirty. It then prints a message and leaves contacts without force, so that robots would
// fall through the floor. Such a step is repeated with the iterative solver.
static int exactly(omni_world *w, double dt) {
	each_enabled(w, keep);
	w->warning[0] = 0;
	int ok = dWorldStep(w->world, dt);
	if (!w->warning[0]) return ok;
	w->repeated++;
	each_enabled(w, put_back);
	return omni_iterate(w, dt);
}

void omni_solve(omni_world *w, double dt) {
	int ok = 1;
	if (choose(w, 1)) ok = omni_iterate(w, dt);
	if (choose(w, 0)) ok = exactly(w, dt) && ok;
	if (!ok) snprintf(w->error, sizeof w->error, "libode has no memory for a step");
}
