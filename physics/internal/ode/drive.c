// The drives of robots: feet with directional friction at level wheels, a set velocity at level chassis.
#include "world.h"

#include <math.h>

// foot_at returns the position of a point (x, y) of the robot's underside, W.
static void foot_at(const omni_part *p, double x, double y, double foot[3]) {
	const dReal *o = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	x -= p->com_x, y -= p->com_y;
	for (int i = 0; i < 3; i++) foot[i] = o[i] + r[4 * i] * x + r[4 * i + 1] * y - r[4 * i + 2] * p->com;
}

static void drive_foot(omni_world *w, omni_part *p, omni_wheel *wheel, double turn, double dt) {
	const dReal *r = dBodyGetRotation(p->body);
	double foot[3];
	foot_at(p, wheel->x, wheel->y, foot);
	wheel->feedback.f1[0] = wheel->feedback.f1[1] = wheel->feedback.f1[2] = 0;
	if (p->motor.on) wheel->law = omni_motor_law(&p->motor, wheel, p->motor.inertia, p->voltage, dt);
	if (foot[2] > OMNI_LAYER) return;
	// The force acts along the wheel's direction half a step later, its mean during the step.
	double cs = cos(turn), sn = sin(turn);
	double ex = r[0] * wheel->ex + r[1] * wheel->ey, ey = r[4] * wheel->ex + r[5] * wheel->ey;
	double len = hypot(ex, ey);
	if (len < 0.5) return; // lying on its side
	dContact c = {0};
	c.surface.mode = dContactMu2 | dContactFDir1 | dContactMotion1 | dContactApprox1_1;
	c.surface.mu = w->config.wheel_friction;
	if (wheel->holds) {
		c.surface.mode |= dContactApprox1_2;
		c.surface.mu2 = c.surface.mu;
	} // otherwise rollers run freely: no friction in the second direction
	if (p->motor.on) {
		// The wheel and its motor are solved together with the contact, as a mass with a damper: v + slip·F = motion.
		double heavy = fmax(p->motor.inertia + dt * wheel->law.b, 1e-5);
		c.surface.mode |= dContactSlip1;
		c.surface.slip1 = wheel->radius * wheel->radius * dt / heavy;
		c.surface.motion1 = wheel->radius * (p->motor.inertia * wheel->rate + dt * wheel->law.a) / heavy;
	} else {
		if (wheel->load * c.surface.mu > p->motor.force) c.surface.mu = p->motor.force / wheel->load;
		c.surface.motion1 = wheel->wanted * wheel->radius;
	}
	c.fdir1[0] = (cs * ex - sn * ey) / len;
	c.fdir1[1] = (sn * ex + cs * ey) / len;
	c.geom.pos[0] = foot[0], c.geom.pos[1] = foot[1];
	c.geom.normal[2] = 1;
	c.geom.depth = foot[2] < 0 ? -foot[2] : 0;
	omni_join(w, p, NULL, &c, &wheel->feedback);
}

// drive_caster adds the contact of a caster, without friction.
static void drive_caster(omni_world *w, omni_part *p, const double at[2]) {
	double foot[3];
	foot_at(p, at[0], at[1], foot);
	if (foot[2] > OMNI_LAYER) return;
	dContact c = {0};
	c.geom.pos[0] = foot[0], c.geom.pos[1] = foot[1];
	c.geom.normal[2] = 1;
	c.geom.depth = foot[2] < 0 ? -foot[2] : 0;
	omni_join(w, p, NULL, &c, NULL);
}

// drive_rims adds contacts at the lowest points of the hull's lower and upper rim, for a tipped robot.
static void drive_rims(omni_world *w, omni_part *p) {
	const dReal *x = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	double len = hypot(r[8], r[9]);
	if (len < 0.1) return;
	double lx = -r[8] / len * p->radius - p->com_x, ly = -r[9] / len * p->radius - p->com_y;
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
		if (p->level == OMNI_CHASSIS) continue;
		for (int k = 0; k < p->wheels; k++) p->wheel[k].wanted = w->body[i].rate[k];
		for (int k = 0; k < p->casters; k++) drive_caster(w, p, p->caster[k]);
		drive_rims(w, p);
		if (p->level == OMNI_ROLLERS) {
			omni_drive_rollers(w, p, dt);
			continue;
		}
		double turn = dBodyGetAngularVel(p->body)[2] * dt / 2;
		for (int k = 0; k < p->wheels; k++) drive_foot(w, p, &p->wheel[k], turn, dt);
	}
}

// passing returns the speed of the floor under a wheel, along its grip.
static double passing(const omni_part *p, const omni_wheel *wheel) {
	const dReal *r = dBodyGetRotation(p->body), *v = dBodyGetLinearVel(p->body), *o = dBodyGetAngularVel(p->body);
	double arm[3], vel[3], x = wheel->x - p->com_x, y = wheel->y - p->com_y;
	for (int j = 0; j < 3; j++) arm[j] = r[4 * j] * x + r[4 * j + 1] * y - r[4 * j + 2] * p->com;
	vel[0] = v[0] + o[1] * arm[2] - o[2] * arm[1];
	vel[1] = v[1] + o[2] * arm[0] - o[0] * arm[2];
	return (r[0] * wheel->ex + r[1] * wheel->ey) * vel[0] + (r[4] * wheel->ex + r[5] * wheel->ey) * vel[1];
}

// read_foot computes a wheel's rate from its inertia, its motor and the floor's force. With an ideal motor it is the
// rate of rolling, or the setpoint if the motor is strong enough for the wheel to slip.
static void read_foot(omni_world *w, omni_part *p, omni_wheel *wheel, double dt, double *drawn) {
	const dReal *r = dBodyGetRotation(p->body);
	const double *f = wheel->feedback.f1;
	wheel->load = f[2];
	wheel->force = (r[0] * wheel->ex + r[1] * wheel->ey) * f[0] + (r[4] * wheel->ex + r[5] * wheel->ey) * f[1];
	if (p->motor.on) {
		double heavy = fmax(p->motor.inertia + dt * wheel->law.b, 1e-5);
		double rate = (p->motor.inertia * wheel->rate + dt * (wheel->law.a - wheel->force * wheel->radius)) / heavy;
		omni_motor_turned(p, wheel, rate, dt, drawn);
		return;
	}
	wheel->rate = wheel->wanted;
	wheel->stuck = 0;
	if (wheel->load > 0 && wheel->load * w->config.wheel_friction > p->motor.force) {
		wheel->rate = passing(p, wheel) / wheel->radius;
		wheel->stuck = fabs(wheel->force) > 0.99 * p->motor.force && omni_stands(wheel->rate, wheel->wanted);
	}
}

void omni_read_feet(omni_world *w, double dt) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		double drawn = 0;
		if (p->level == OMNI_CHASSIS) continue;
		p->current = 0;
		if (p->level == OMNI_ROLLERS) omni_read_rollers(p, dt);
		for (int k = 0; k < p->wheels; k++) {
			if (p->level == OMNI_WHEELS) read_foot(w, p, &p->wheel[k], dt, &drawn);
			else if (p->motor.on) omni_motor_turned(p, &p->wheel[k], p->wheel[k].rate, dt, &drawn);
		}
		if (p->motor.on) p->voltage = fmax(p->motor.voltage - p->motor.sag * drawn / p->voltage, p->motor.voltage / 4);
	}
}

void omni_set_chassis(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		if (p->level != OMNI_CHASSIS) continue;
		const dReal *r = dBodyGetRotation(p->body);
		double *t = w->body[i].twist, len = hypot(r[0], r[4]);
		double c = r[0] / len, s = r[4] / len;
		dBodySetLinearVel(p->body, c * t[0] - s * t[1], s * t[0] + c * t[1], 0);
		dBodySetAngularVel(p->body, 0, 0, t[2]);
	}
}

// omni_turn_chassis rotates a robot's velocity with the robot: by half of the step's angle before the step and by half
// after it, for an exact arc.
void omni_turn_chassis(omni_world *w, double dt) {
	for (int i = 0; i < w->robots; i++) {
		dBodyID b = w->part[i].body;
		if (w->part[i].level != OMNI_CHASSIS) continue;
		const dReal *v = dBodyGetLinearVel(b);
		double a = dBodyGetAngularVel(b)[2] * dt, c = cos(a), s = sin(a);
		dBodySetLinearVel(b, c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]);
	}
}

void omni_clamp_chassis(omni_world *w) {
	for (int i = 0; i < w->robots; i++) {
		omni_part *p = &w->part[i];
		if (p->level != OMNI_CHASSIS) continue;
		const dReal *r = dBodyGetRotation(p->body), *x = dBodyGetPosition(p->body), *v = dBodyGetLinearVel(p->body);
		double half = atan2(r[4], r[0]) / 2;
		dQuaternion q = {cos(half), 0, 0, sin(half)};
		dBodySetPosition(p->body, x[0], x[1], p->com);
		dBodySetLinearVel(p->body, v[0], v[1], 0);
		dBodySetAngularVel(p->body, 0, 0, dBodyGetAngularVel(p->body)[2]);
		dBodySetQuaternion(p->body, q);
	}
}
