#include "world.h"
#include "library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY = 1, JOINT = 3 }; // mjOBJ_BODY, mjOBJ_JOINT

#define AT(type, base, offset) ((type *)((char *)(base) + (offset)))
#define MODEL(type, field) (*AT(type, w->model, omni_mj_at->mjModel_##field))
#define DATA(type, field) (*AT(type, w->data, omni_mj_at->mjData_##field))

static void find(omni_mj *w) {
	w->nq = MODEL(int, nq), w->nv = MODEL(int, nv), w->nu = MODEL(int, nu);
	w->nbody = MODEL(int, nbody), w->ngeom = MODEL(int, ngeom);
	w->gain = MODEL(double *, actuator_biasprm), w->inertia = MODEL(double *, dof_M0);
	w->mobility = MODEL(double *, dof_invweight0), w->damping = MODEL(double *, dof_damping);
	w->contype = MODEL(int *, geom_contype), w->conaffinity = MODEL(int *, geom_conaffinity);
	w->geom_body = MODEL(int *, geom_bodyid);
	w->qpos_at = MODEL(int *, jnt_qposadr), w->dof_at = MODEL(int *, jnt_dofadr);
	w->qpos = DATA(double *, qpos), w->qvel = DATA(double *, qvel), w->warmstart = DATA(double *, qacc_warmstart);
	w->ctrl = DATA(double *, ctrl), w->effort = DATA(double *, actuator_force);
	w->xfrc = DATA(double *, xfrc_applied), w->xipos = DATA(double *, xipos), w->time = &DATA(double, time);
}

static void load(omni_mj *w, const char *text, int length, char *error, int size) {
	void *vfs = malloc(omni_mj_at->vfs);
	if (!vfs) {
		snprintf(error, size, "out of memory");
		return;
	}
	const char *name = "world.xml";
	omni_mj_lib.default_vfs(vfs);
	if (omni_mj_lib.make_file(vfs, name, length) == 0) {
		memcpy(AT(void *, vfs, omni_mj_at->mjVFS_filedata)[omni_mj_lib.find_file(vfs, name)], text, length);
		w->model = omni_mj_lib.load_xml(name, vfs, error, size);
	}
	omni_mj_lib.delete_vfs(vfs);
	free(vfs);
}

omni_mj *omni_mj_new(const char *text, int length, char *error, int size) {
	omni_mj *w = calloc(1, sizeof *w);
	jmp_buf jump;
	snprintf(error, size, "out of memory");
	if (!w) return NULL;
	if (setjmp(jump)) {
		omni_mj_jump = NULL;
		snprintf(error, size, "%s", omni_mj_message);
		omni_mj_free(w);
		return NULL;
	}
	omni_mj_jump = &jump;
	load(w, text, length, error, size);
	if (w->model && (w->data = omni_mj_lib.make_data(w->model))) {
		find(w);
		w->owner = calloc(w->nbody, sizeof *w->owner);
		w->push = calloc(w->nbody * 6, sizeof *w->push);
		w->foot = malloc(w->nbody * sizeof *w->foot);
		for (int i = 0; w->foot && i < w->nbody; i++) w->foot[i] = -1;
	}
	omni_mj_jump = NULL;
	if (w->owner && w->push && w->foot) return w;
	omni_mj_free(w);
	return NULL;
}

void omni_mj_free(omni_mj *w) {
	if (w->data) omni_mj_lib.delete_data(w->data);
	if (w->model) omni_mj_lib.delete_model(w->model);
	free(w->owner);
	free(w->foot);
	free(w->feet);
	free(w->push);
	free(w->touch);
	free(w);
}

int omni_mj_feet(omni_mj *w, int n) {
	w->nfeet = n;
	return n == 0 || (w->feet = calloc(n, sizeof *w->feet)) ? 0 : -1;
}

int omni_mj_body(const omni_mj *w, const char *name) { return omni_mj_lib.name2id(w->model, BODY, name); }
int omni_mj_joint(const omni_mj *w, const char *name) { return omni_mj_lib.name2id(w->model, JOINT, name); }

// set_push sets the forces that give the bodies their impulses within dt.
static void set_push(omni_mj *w, double dt) {
	for (int i = 1; i < w->nbody; i++) {
		double *p = w->push + 6 * i, *f = w->xfrc + 6 * i, *x = w->xipos + 3 * i;
		for (int k = 0; k < 3; k++) f[k] = p[k] / dt;
		for (int k = 0; k < 3; k++) {
			int a = (k + 1) % 3, b = (k + 2) % 3;
			f[3 + k] = (p[3 + k] - (x[a] * p[b] - x[b] * p[a])) / dt;
		}
	}
}

// velocity_at adds sign times the velocity of a body at a point.
static void velocity_at(omni_mj *w, int body, const double *at, double sign, double *v) {
	double r[6], *x = w->xipos + 3 * body, arm[3];
	omni_mj_lib.object_velocity(w->model, w->data, BODY, body, r, 0);
	for (int k = 0; k < 3; k++) arm[k] = at[k] - x[k];
	for (int k = 0; k < 3; k++) {
		int a = (k + 1) % 3, b = (k + 2) % 3;
		v[k] += sign * (r[3 + k] + r[a] * arm[b] - r[b] * arm[a]);
	}
}

static omni_touch *touch_of(omni_mj *w, int a, int b) {
	for (int i = 0; i < w->touches; i++)
		if (w->touch[i].a == a && w->touch[i].b == b) return &w->touch[i];
	if (w->touches == w->room) {
		int room = 2 * w->room + 16;
		omni_touch *more = realloc(w->touch, room * sizeof *more);
		if (!more) return NULL;
		w->touch = more, w->room = room;
	}
	omni_touch *t = &w->touch[w->touches++];
	*t = (omni_touch){.a = a, .b = b};
	return t;
}

// press adds a contact to the loads of a foot. The frame's first row is the contact's normal; sign is 1 if the normal
// points into the foot.
static void press(omni_foot *foot, const double *force, const double *frame, const double *pos, double sign) {
	for (int k = 0; k < 3; k++) {
		foot->force[k] += sign * (force[0] * frame[k] + force[1] * frame[3 + k] + force[2] * frame[6 + k]);
		foot->moment[k] += force[0] * pos[k];
	}
	foot->normal += force[0];
}

// add_touches adds the contacts of a part of the step, except those within a robot, to the loads of feet and to the
// touches. Contacts with the floor, which is geom 0, are no touches.
static int add_touches(omni_mj *w, double dt) {
	int n = DATA(int, ncon);
	char *contact = DATA(char *, contact);
	for (int i = 0; i < n; i++) {
		const char *c = contact + i * omni_mj_at->contact;
		int g1 = *AT(int, c, omni_mj_at->mjContact_geom1), g2 = *AT(int, c, omni_mj_at->mjContact_geom2);
		int b1 = w->geom_body[g1], b2 = w->geom_body[g2], a = w->owner[b1], b = w->owner[b2];
		int f1 = w->foot[b1], f2 = w->foot[b2], floor = g1 == 0 || g2 == 0;
		if ((floor && f1 < 0 && f2 < 0) || a == b || *AT(int, c, omni_mj_at->mjContact_efc_address) < 0) continue;
		double force[6], v[3] = {0}, *pos = AT(double, c, omni_mj_at->mjContact_pos);
		double *normal = AT(double, c, omni_mj_at->mjContact_frame); // from geom 1 to geom 2
		omni_mj_lib.contact_force(w->model, w->data, i, force);
		if (!(force[0] > 0)) continue;
		if (f1 >= 0) press(&w->feet[f1], force, normal, pos, -1);
		if (f2 >= 0) press(&w->feet[f2], force, normal, pos, 1);
		if (floor) continue;
		velocity_at(w, b1, pos, 1, v);
		velocity_at(w, b2, pos, -1, v);
		omni_touch *t = a < 0 || (b >= 0 && b < a) ? touch_of(w, b, a) : touch_of(w, a, b);
		if (!t) return -1;
		double impulse = force[0] * dt;
		t->impulse += impulse;
		t->closing = fmax(t->closing, v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2]);
		if (impulse > t->most) {
			t->most = impulse;
			memcpy(t->pos, pos, sizeof t->pos);
		}
	}
	return 0;
}

int omni_mj_step(omni_mj *w, int parts, double dt) {
	jmp_buf jump;
	w->touches = 0;
	if (w->nfeet) memset(w->feet, 0, w->nfeet * sizeof *w->feet);
	omni_mj_warned = 0;
	if (setjmp(jump)) {
		omni_mj_jump = NULL;
		return snprintf(w->error, sizeof w->error, "%s", omni_mj_message), -1;
	}
	omni_mj_jump = &jump;
	for (int i = 0; i < parts && !omni_mj_warned; i++) {
		omni_mj_lib.step1(w->model, w->data);
		if (i == 0 && w->pushed) set_push(w, dt);
		omni_mj_lib.step2(w->model, w->data);
		if (i == 0 && w->pushed) {
			memset(w->xfrc, 0, 6 * w->nbody * sizeof *w->xfrc);
			memset(w->push, 0, 6 * w->nbody * sizeof *w->push);
			w->pushed = 0;
		}
		if (add_touches(w, dt)) omni_mj_warned = 1, snprintf(omni_mj_message, sizeof omni_mj_message, "out of memory");
	}
	omni_mj_jump = NULL;
	if (omni_mj_warned) return snprintf(w->error, sizeof w->error, "%s", omni_mj_message), -1;
	return 0;
}
