// Motors. Over a step the torque is linear in the rate at the step's end, so that stiff controllers and light wheels
// are stable at any step; limits are evaluated at the expected rate. See physics.Motor for the equations.
#include "world.h"

#include <math.h>

// rad/s: below it dry friction grows with the rate, and a wheel is at rest. Guess.
static const double creep = 0.5;
static const double wish = 2;         // rad/s: smallest setpoint of a stuck wheel, which is at rest. Guess.
static const double least_inertia = 1e-5; // kg m²: inertia of a wheel whose configuration gives none

static double clamp(double v, double limit) { return v < -limit ? -limit : v > limit ? limit : v; }

static double inertia_of(double inertia) { return inertia > least_inertia ? inertia : least_inertia; }

// expected returns the rate at the step's end under a law, with the floor's force of the previous step.
static double expected(const omni_wheel *wheel, const omni_law *law, double inertia, double dt) {
	return (inertia * wheel->rate + dt * (law->a - wheel->force * wheel->radius)) / (inertia + dt * law->b);
}

omni_law omni_motor_law(const omni_motor *m, const omni_wheel *wheel, double inertia, double volts, double dt) {
	double w0 = wheel->rate, want = wheel->wanted, per_volt = m->efficiency * m->k / m->resistance;
	double rubs = m->friction * clamp(w0 / creep, 1);
	inertia = inertia_of(inertia);
	// u = u0 − u1·w
	double u0 = m->forward * m->k * want + m->p * want + m->i * (wheel->integral + dt * want) + m->d * w0 / dt;
	double u1 = m->p + m->i * dt + m->d / dt;
	omni_law law = {per_volt * u0 - rubs, per_volt * (u1 + m->k), 0};
	double w = expected(wheel, &law, inertia, dt), u = u0 - u1 * w;
	if (fabs(u) > volts) {
		u = clamp(u, volts);
		law.a = per_volt * u - rubs, law.b = per_volt * m->k, law.held = 1;
		w = expected(wheel, &law, inertia, dt);
	}
	double current = (u - m->k * w) / m->resistance;
	if (fabs(current) > m->max_current) {
		law.a = m->efficiency * m->k * clamp(current, m->max_current) - rubs;
		law.b = 0;
		law.held = 1;
	}
	return law;
}

// omni_stands reports whether a wheel is stuck: it is at rest although its setpoint is not 0.
int omni_stands(double rate, double wanted) { return fabs(rate) < creep && fabs(wanted) > wish; }

// omni_motor_turned sets the rate at the end of a step, and adds the current that the motor has drawn.
void omni_motor_turned(omni_part *p, omni_wheel *wheel, double rate, double dt, double *drawn) {
	const omni_motor *m = &p->motor;
	double torque = wheel->law.a - wheel->law.b * rate + m->friction * clamp(wheel->rate / creep, 1);
	double current = clamp(torque / (m->efficiency * m->k), m->max_current);
	wheel->rate = rate;
	if (!wheel->law.held) wheel->integral += dt * (wheel->wanted - rate);
	wheel->stuck = wheel->law.held && omni_stands(rate, wheel->wanted);
	p->current += fabs(current);
	*drawn += fmax(0, current * (m->k * rate + current * m->resistance));
}
