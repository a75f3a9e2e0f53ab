// Level rollers: every roller of every wheel is a barrel on a hinge. Its outline, an arc of the wheel's circle around
// the axle, touches the floor in one point, which is computed in closed form. Only rollers near the floor are bodies of
// libode. The others sleep until they are near the floor, with their mass added to their hub.
#include "world.h"

#include <math.h>

static const double wake_height = 5e-4; // m: a roller this low wakes. Measured: two are awake under a wheel.

// A wheel is elastic as a whole: axle, frame and carpet. If each roller were elastic, the wheel would rise whenever two
// share the load, the ends of rollers would hit the floor, and the wheel would hop at speed. Guesses: 0.4 mm under a
// quarter of a robot, damped slightly less than critically.
static const double stiffness = 2e5; // N/m
static const double damping = 2e3;   // N s/m

static double axle_distance(const omni_part *p) { return p->wheel_radius - p->roller_radius; }

static void cross(const double a[3], const double b[3], double out[3]) {
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		out[i] = a[j] * b[k] - a[k] * b[j];
	}
}

static void column(const dReal *r, int i, double out[3]) { out[0] = r[i], out[1] = r[4 + i], out[2] = r[8 + i]; }

static void set_hub_mass(const omni_part *p, omni_wheel *wheel) {
	int asleep = 0;
	for (int i = 0; i < p->rollers; i++) asleep += !wheel->roller[i].awake;
	double around = asleep * p->roller_mass, d = axle_distance(p), r = 0.8 * d;
	double axial = p->hub_mass * r * r / 2 + around * d * d;
	double across = p->hub_mass * (3 * r * r + p->row_gap * p->row_gap) / 12 +
	                around * (d * d / 2 + p->row_gap * p->row_gap / 4);
	dMass m;
	dMassSetParameters(&m, p->hub_mass + around, 0, 0, 0, across, across, axial, 0, 0, 0);
	dBodySetMass(wheel->hub, &m);
}

// A hub's z axis is the axle; its x axis points at roller 0.
static void hub_rotation(const omni_wheel *wheel, dMatrix3 r) {
	double s = sin(wheel->heading), c = cos(wheel->heading);
	// x: down; z: to the left of the heading, so that a positive rate rolls forwards; y = z × x: backwards
	dMatrix3 m = {0, -c, -s, 0, 0, -s, c, 0, -1, 0, 0, 0};
	for (int i = 0; i < 12; i++) r[i] = m[i];
}

void omni_build_rollers(omni_world *w, omni_part *p) {
	dMass m;
	double length = 2 * p->wheel_radius * sin(p->roller_angle), r = p->roller_radius;
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		wheel->hub = dBodyCreate(w->world);
		dBodySetFiniteRotationMode(wheel->hub, 1);
		set_hub_mass(p, wheel);
		for (int i = 0; i < p->rollers; i++) {
			omni_roller *roller = &wheel->roller[i];
			roller->body = dBodyCreate(w->world);
			dBodySetFiniteRotationMode(roller->body, 1);
			dMassSetParameters(&m, p->roller_mass, 0, 0, 0, p->roller_mass * (3 * r * r + length * length) / 12,
				p->roller_mass * (3 * r * r + length * length) / 12, p->roller_mass * r * r / 2, 0, 0, 0);
			dBodySetMass(roller->body, &m);
			dBodyDisable(roller->body);
		}
	}
}

// carried sets a body's velocity to the velocity of a point of another body.
static void carried(dBodyID by, dBodyID body) {
	const dReal *x = dBodyGetPosition(body), *o = dBodyGetAngularVel(by);
	dVector3 v;
	dBodyGetPointVel(by, x[0], x[1], x[2], v);
	dBodySetLinearVel(body, v[0], v[1], v[2]);
	dBodySetAngularVel(body, o[0], o[1], o[2]);
}

// omni_place_rollers places the wheels at their robot, with all rollers asleep.
void omni_place_rollers(omni_part *p) {
	dBodyID chassis = p->body;
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		dVector3 at;
		dMatrix3 local, world;
		dBodyGetRelPointPos(chassis, wheel->x, wheel->y, p->wheel_radius - p->com, at);
		hub_rotation(wheel, local);
		dMultiply0(world, dBodyGetRotation(chassis), local, 3, 3, 3);
		dBodySetPosition(wheel->hub, at[0], at[1], at[2]);
		dBodySetRotation(wheel->hub, world);
		carried(chassis, wheel->hub);
		double axis[3];
		column(dBodyGetRotation(wheel->hub), 2, axis);
		const dReal *o = dBodyGetAngularVel(wheel->hub);
		double r = wheel->rate;
		dBodySetAngularVel(wheel->hub, o[0] + axis[0] * r, o[1] + axis[1] * r, o[2] + axis[2] * r);
		if (wheel->axle) dJointDestroy(wheel->axle);
		wheel->axle = dJointCreateHinge(dBodyGetWorld(chassis), 0);
		dJointAttach(wheel->axle, wheel->hub, chassis);
		dJointSetHingeAnchor(wheel->axle, at[0], at[1], at[2]);
		dJointSetHingeAxis(wheel->axle, axis[0], axis[1], axis[2]);
		for (int i = 0; i < p->rollers; i++) {
			omni_roller *roller = &wheel->roller[i];
			if (roller->hinge) dJointDestroy(roller->hinge);
			roller->hinge = 0, roller->awake = 0, roller->spin = 0;
			dBodyDisable(roller->body);
		}
		set_hub_mass(p, wheel);
	}
}

// barrel is a roller's pose.
typedef struct {
	double centre[3], axis[3];
	double foot[3]; // its lowest point
	int flat;       // the lowest point is on its side, not at an end
} barrel;

static barrel look(const omni_part *p, const omni_wheel *wheel, int i) {
	const dReal *r = dBodyGetRotation(wheel->hub), *x = dBodyGetPosition(wheel->hub);
	barrel b;
	double angle = 2 * M_PI * i / p->rollers, c = cos(angle), s = sin(angle), row = (i % 2 ? -0.5 : 0.5) * p->row_gap;
	double d = axle_distance(p);
	for (int k = 0; k < 3; k++) {
		b.centre[k] = x[k] + d * (r[4 * k] * c + r[4 * k + 1] * s) + r[4 * k + 2] * row;
		b.axis[k] = -r[4 * k] * s + r[4 * k + 1] * c;
	}
	// Of all points at R·sin(f) along the axis and R·cos(f) − d across it, the lowest is where tan(f) is the slope.
	double across = sqrt(fmax(0, 1 - b.axis[2] * b.axis[2])), f = atan2(-b.axis[2], across);
	b.flat = fabs(f) <= p->roller_angle;
	f = fmax(-p->roller_angle, fmin(p->roller_angle, f));
	double along = p->wheel_radius * sin(f), beside = p->wheel_radius * cos(f) - d;
	for (int k = 0; k < 3; k++) {
		double down = across > 1e-9 ? (b.axis[2] * b.axis[k] - (k == 2)) / across : 0;
		b.foot[k] = b.centre[k] + along * b.axis[k] + beside * down;
	}
	return b;
}

// align places an awake roller exactly on its hub, as its hinge requires. A barrel is symmetric, so its own rotation
// does not matter. With the hinge alone, the axis of a fast roller on a fast wheel would be off by half the product of
// their angles in a step, and the wheel would steer.
static void align(omni_wheel *wheel, omni_roller *roller, const barrel *b, double spin) {
	dMatrix3 r;
	double axle[3], side[3];
	column(dBodyGetRotation(wheel->hub), 2, axle);
	cross(b->axis, axle, side);
	for (int k = 0; k < 3; k++) r[4 * k] = axle[k], r[4 * k + 1] = side[k], r[4 * k + 2] = b->axis[k], r[4 * k + 3] = 0;
	dBodySetPosition(roller->body, b->centre[0], b->centre[1], b->centre[2]);
	dBodySetRotation(roller->body, r);
	carried(wheel->hub, roller->body);
	const dReal *o = dBodyGetAngularVel(roller->body);
	dBodySetAngularVel(roller->body, o[0] + spin * b->axis[0], o[1] + spin * b->axis[1], o[2] + spin * b->axis[2]);
}

static void wake(omni_wheel *wheel, omni_roller *roller, const barrel *b) {
	dBodyEnable(roller->body);
	align(wheel, roller, b, roller->spin);
	roller->hinge = dJointCreateHinge(dBodyGetWorld(roller->body), 0);
	dJointAttach(roller->hinge, roller->body, wheel->hub);
	dJointSetHingeAnchor(roller->hinge, b->centre[0], b->centre[1], b->centre[2]);
	dJointSetHingeAxis(roller->hinge, b->axis[0], b->axis[1], b->axis[2]);
	roller->awake = 1;
}

static void lull(omni_roller *roller) {
	roller->spin = dJointGetHingeAngleRate(roller->hinge);
	dJointDestroy(roller->hinge);
	dBodyDisable(roller->body);
	roller->hinge = 0, roller->awake = 0;
}

// stand adds the contact of a roller, with its share of the wheel's load.
static void stand(omni_world *w, omni_roller *roller, const barrel *b, const double along[2], double share, double dt) {
	double k = stiffness * share, d = damping * share;
	dContact c = {0};
	c.surface.mode = dContactApprox1 | dContactFDir1 | dContactSoftERP | dContactSoftCFM;
	c.surface.soft_erp = dt * k / (dt * k + d);
	c.surface.soft_cfm = 1 / (dt * k + d);
	c.surface.mu = w->config.wheel_friction;
	c.fdir1[0] = along[0], c.fdir1[1] = along[1];
	for (int i = 0; i < 3; i++) c.geom.pos[i] = b->foot[i]; // below the floor: the rim is not elastic
	c.geom.normal[2] = 1;
	c.geom.depth = b->foot[2] < 0 ? -b->foot[2] : 0;
	dJointAttach(dJointCreateContact(w->world, w->joints, &c), roller->body, 0);
}

static void drive_axle(omni_part *p, omni_wheel *wheel, double dt) {
	const omni_motor *m = &p->motor;
	if (!m->on) {
		dJointSetHingeParam(wheel->axle, dParamVel, wheel->wanted);
		dJointSetHingeParam(wheel->axle, dParamFMax, m->force * p->wheel_radius);
		return;
	}
	wheel->law = omni_motor_law(m, wheel, m->inertia, p->voltage, dt);
	// The rotor turns with the axle. Its inertia is a further torque that is linear in the rate.
	double a = wheel->law.a + m->rotor * wheel->rate / dt, b = wheel->law.b + m->rotor / dt;
	if (b < 1e-9) {
		dJointSetHingeParam(wheel->axle, dParamFMax, 0);
		dJointAddHingeTorque(wheel->axle, a);
		return;
	}
	dJointSetHingeParam(wheel->axle, dParamVel, a / b);
	dJointSetHingeParam(wheel->axle, dParamCFM, 1 / b);
	dJointSetHingeParam(wheel->axle, dParamFMax, dInfinity);
}

// turn_rollers wakes a wheel's rollers or puts them to sleep, and adds their contacts.
static void turn_rollers(omni_world *w, omni_part *p, omni_wheel *wheel, double dt) {
	barrel b[OMNI_MAX_ROLLERS];
	double axle[3], lowest = 0;
	int changed = 0, flat = 0, last = -1;
	column(dBodyGetRotation(wheel->hub), 2, axle);
	double len = hypot(axle[0], axle[1]), along[2] = {1, 0};
	if (len > 0.1) along[0] = axle[1] / len, along[1] = -axle[0] / len;
	for (int i = 0; i < p->rollers; i++) {
		omni_roller *roller = &wheel->roller[i];
		b[i] = look(p, wheel, i);
		int near = b[i].foot[2] < wake_height;
		if (near != roller->awake) {
			changed = 1;
			if (near) wake(wheel, roller, &b[i]);
			else lull(roller);
		} else if (near) {
			align(wheel, roller, &b[i], dJointGetHingeAngleRate(roller->hinge));
		}
		flat += b[i].flat && b[i].foot[2] < 0;
		if (b[i].foot[2] < lowest) lowest = b[i].foot[2], last = i;
	}
	// Rollers that touch the floor with their side carry the load. If none does, because the robot leans far, the
	// lowest end carries it.
	for (int i = 0; i < p->rollers && flat; i++)
		if (b[i].flat && b[i].foot[2] < 0) stand(w, &wheel->roller[i], &b[i], along, 1.0 / flat, dt);
	if (!flat && last >= 0) stand(w, &wheel->roller[last], &b[last], along, 1, dt);
	if (changed) set_hub_mass(p, wheel);
}

void omni_drive_rollers(omni_world *w, omni_part *p, double dt) {
	for (int k = 0; k < p->wheels; k++) {
		drive_axle(p, &p->wheel[k], dt);
		turn_rollers(w, p, &p->wheel[k], dt);
	}
}

void omni_read_rollers(omni_part *p, double dt) {
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		double rate = dJointGetHingeAngleRate(wheel->axle);
		if (p->motor.on) // the floor's force, with which the next step predicts the rate
			wheel->force =
			(wheel->law.a - wheel->law.b * rate - p->motor.inertia * (rate - wheel->rate) / dt) / wheel->radius;
		else
			wheel->stuck = omni_stands(rate, wheel->wanted);
		wheel->rate = rate;
	}
}

void omni_enable_rollers(omni_part *p, int on) {
	if (p->kind != OMNI_ROBOT || p->level != OMNI_ROLLERS) return;
	for (int k = 0; k < p->wheels; k++) {
		omni_wheel *wheel = &p->wheel[k];
		if (on) dBodyEnable(wheel->hub);
		else dBodyDisable(wheel->hub);
		for (int i = 0; i < p->rollers; i++)
			if (wheel->roller[i].awake) {
				if (on) dBodyEnable(wheel->roller[i].body);
				else dBodyDisable(wheel->roller[i].body);
			}
	}
}
