#include "contact.h"

#include <math.h>

// The hull's top is taken as a shallow cone of this slope, so that no ball stays up there. Guess.
static const double roof_slope = 0.2;

static const dReal unturned[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static double clamp(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }

omni_frame omni_base(const omni_part *p) {
	const dReal *x = dBodyGetPosition(p->body), *r = dBodyGetRotation(p->body);
	omni_frame f = {{x[0] - r[2] * p->com, x[1] - r[6] * p->com, x[2] - r[10] * p->com}, r};
	return f;
}

omni_frame omni_box_frame(const omni_box *b, double half[3]) {
	omni_frame f = {{0}, unturned};
	for (int i = 0; i < 3; i++) {
		double top = i == 2 ? b->ball_top : b->max[i];
		f.pos[i] = (b->min[i] + top) / 2;
		half[i] = (top - b->min[i]) / 2;
	}
	return f;
}

void omni_to_local(const omni_frame *f, const double world[3], double local[3]) {
	double d[3] = {world[0] - f->pos[0], world[1] - f->pos[1], world[2] - f->pos[2]};
	for (int i = 0; i < 3; i++) local[i] = f->rot[i] * d[0] + f->rot[4 + i] * d[1] + f->rot[8 + i] * d[2];
}

void omni_turn_out(const omni_frame *f, const double local[3], double world[3]) {
	for (int i = 0; i < 3; i++)
		world[i] = f->rot[4 * i] * local[0] + f->rot[4 * i + 1] * local[1] + f->rot[4 * i + 2] * local[2];
}

int omni_disc_rect(double x, double y, double radius, double half_x, double half_y, double n[2], double *depth) {
	double dx = x - clamp(x, -half_x, half_x), dy = y - clamp(y, -half_y, half_y), d = hypot(dx, dy);
	if (d >= radius) return 0;
	if (d > 0) {
		n[0] = dx / d, n[1] = dy / d;
		*depth = radius - d;
		return 1;
	}
	double out_x = half_x - fabs(x), out_y = half_y - fabs(y); // the centre is inside: leave by the nearest side
	n[0] = out_x <= out_y ? copysign(1, x) : 0;
	n[1] = out_x <= out_y ? 0 : copysign(1, y);
	*depth = radius + fmin(out_x, out_y);
	return 1;
}

static int touch(const double centre[3], double radius, const omni_frame *f, const double n[3], double depth, dContactGeom *g) {
	double normal[3];
	omni_turn_out(f, n, normal);
	for (int i = 0; i < 3; i++) {
		g->normal[i] = normal[i];
		g->pos[i] = centre[i] - normal[i] * radius;
	}
	g->depth = depth;
	return 1;
}

int omni_ball_box(const double centre[3], double radius, const omni_frame *f, const double half[3], dContactGeom *g) {
	double p[3], n[3], d = 0, nearest = INFINITY;
	int side = 0;
	omni_to_local(f, centre, p);
	for (int i = 0; i < 3; i++) {
		n[i] = p[i] - clamp(p[i], -half[i], half[i]);
		if (fabs(n[i]) >= radius) return 0;
		d += n[i] * n[i];
		if (half[i] - fabs(p[i]) < nearest) nearest = half[i] - fabs(p[i]), side = i;
	}
	d = sqrt(d);
	if (d >= radius) return 0;
	if (d > 0) {
		for (int i = 0; i < 3; i++) n[i] /= d;
		return touch(centre, radius, f, n, radius - d, g);
	}
	n[side] = copysign(1, p[side]);
	return touch(centre, radius, f, n, radius + nearest, g);
}

int omni_ball_hull(const double centre[3], double radius, const omni_part *robot, dContactGeom *g) {
	omni_frame f = omni_base(robot);
	double p[3];
	omni_to_local(&f, centre, p);
	double rho = hypot(p[0], p[1]);
	double c = rho > 0 ? p[0] / rho : 1, s = rho > 0 ? p[1] / rho : 0;
	double hull = c >= robot->mouth_cos ? robot->mouth_radius : robot->radius;
	double out = rho - fmin(rho, hull), up = p[2] - clamp(p[2], 0, robot->height), d = hypot(out, up);
	if (d >= radius) return 0;
	if (d == 0) {
		double n[3] = {c, s, 0};
		return touch(centre, radius, &f, n, radius + hull - rho, g);
	}
	if (up > 0) out += roof_slope * up;
	double len = hypot(out, up), n[3] = {c * out / len, s * out / len, up / len};
	return touch(centre, radius, &f, n, radius - d, g);
}
