// The exact state between two steps, as numbers.
#include "world.h"

#include <string.h>

// cursor walks through the numbers of a state. It saves fields there, or restores them from there.
typedef struct {
	double *at;
	int restore;
} cursor;

static void numbers(cursor *c, double *v, int n) {
	for (int i = 0; i < n; i++, c->at++) {
		if (c->restore) v[i] = *c->at;
		else *c->at = v[i];
	}
}

static void integer(cursor *c, int *v) {
	double x = *v;
	numbers(c, &x, 1);
	*v = (int)x;
}

// motion passes the numbers of a body's pose and velocity. libode's functions for poses normalise, which changes the
// last bits. Its functions that read poses return the addresses of the numbers, so these are written in place.
static void motion(cursor *c, dBodyID b) {
	dVector3 x;
	memcpy(x, dBodyGetPosition(b), sizeof x);
	numbers(c, x, 3);
	if (c->restore) dBodySetPosition(b, x[0], x[1], x[2]); // tells the body's shapes that it has moved
	numbers(c, (dReal *)dBodyGetQuaternion(b), 4);
	numbers(c, (dReal *)dBodyGetRotation(b), 12);
	numbers(c, (dReal *)dBodyGetLinearVel(b), 3);
	numbers(c, (dReal *)dBodyGetAngularVel(b), 3);
}

static void part(cursor *c, omni_part *p) {
	motion(c, p->body);
	numbers(c, &p->current, 1);
	numbers(c, &p->voltage, 1);
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		double *all[] = {&wheel->rate, &wheel->wanted, &wheel->integral, &wheel->force, &wheel->load};
		for (unsigned i = 0; i < sizeof all / sizeof *all; i++) numbers(c, all[i], 1);
		integer(c, &wheel->stuck);
	}
}

// asked passes what Go asks for between two steps.
static void asked(cursor *c, omni_body *b) {
	numbers(c, b->pos, 3);
	numbers(c, b->quat, 4);
	numbers(c, b->lin, 3);
	numbers(c, b->ang, 3);
	numbers(c, b->rate, OMNI_MAX_WHEELS);
	for (int k = 0; k < OMNI_MAX_WHEELS; k++) integer(c, &b->stuck[k]);
	numbers(c, &b->current, 1);
	numbers(c, &b->voltage, 1);
	numbers(c, b->twist, 3);
	numbers(c, b->push_sum, 3);
	numbers(c, b->push_at, 3);
	numbers(c, b->push_turn, 3);
	integer(c, &b->pushed);
	integer(c, &b->place);
}

int omni_exchange(omni_world *w, double *state, int restore) {
	cursor c = {state, restore};
	double seed = w->config.seed;
	numbers(&c, &seed, 1);
	w->config.seed = (unsigned long)seed;
	for (int i = 0; i < w->robots + w->obstacles; i++) {
		part(&c, &w->part[i]);
		asked(&c, &w->body[i]);
	}
	return c.at - state;
}
