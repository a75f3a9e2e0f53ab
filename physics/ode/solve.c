// Which solver a body gets. The exact one's time grows with the cube of the contacts between bodies that touch each
// other, the iterative one's with their number, but it lets driving robots stray: only large piles are left to it.
#include "world.h"

#include <stdio.h>

// What a robot's wheels and rollers with their hinges cost the exact solver, in contacts. Measured: five such robots take
// as long as a pile of 40 contacts.
static const int roller_contacts = 8;

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

// choose enables the bodies in large piles, or the others, and tells whether there are any.
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

void omni_solve(omni_world *w, double dt) {
	int ok = 1;
	if (choose(w, 1)) ok = omni_iterate(w, dt);
	if (choose(w, 0)) ok = dWorldStep(w->world, dt) && ok;
	if (!ok) snprintf(w->error, sizeof w->error, "libode has no memory for a step");
}
