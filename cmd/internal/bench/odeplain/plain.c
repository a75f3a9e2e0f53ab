// Ten robots and a ball as a user of libode would write them: hulls and walls as geoms in a space, pairs from its near
// callback, four feet with directional friction per robot, a rolling ball, and the exact solver. There are no motors,
// events, substeps or snapshots.
#include "plain.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>

enum { wheels = 4, most_contacts = 8 };

static const double radius = 0.25, height = 0.8, mass = 31, inertia_z = 2.86, com = 0.15, wheel_distance = 0.203;
static const double ball_radius = 0.11, ball_mass = 0.43;
static const double friction = 0.75, hull_friction = 0.25;
static const double speed = 1, turn = 1.5; // commanded, m/s and rad/s

struct plain {
	int robots;
	dWorldID world;
	dSpaceID space;
	dJointGroupID joints;
	dGeomID floor, wall[4], ball_geom;
	dBodyID *robot, ball;
};

static void near(void *data, dGeomID a, dGeomID b) {
	plain *p = data;
	dBodyID x = dGeomGetBody(a), y = dGeomGetBody(b);
	dContact c[most_contacts];
	if (!x && !y) return;
	// Robots stand on their feet.
	if ((a == p->floor && y != p->ball) || (b == p->floor && x != p->ball)) return;
	int n = dCollide(a, b, most_contacts, &c[0].geom, sizeof c[0]);
	for (int i = 0; i < n; i++) {
		c[i].surface.mode = dContactApprox1;
		c[i].surface.mu = hull_friction;
		if (x == p->ball || y == p->ball) {
			c[i].surface.mode |= dContactBounce | dContactRolling;
			c[i].surface.mu = 0.5;
			c[i].surface.bounce = 0.65;
			c[i].surface.bounce_vel = 0.1;
			c[i].surface.rho = c[i].surface.rho2 = c[i].surface.rhoN = 0.0065;
		}
		dJointAttach(dJointCreateContact(p->world, p->joints, &c[i]), x, y);
	}
}

static void feet(plain *p, dBodyID body) {
	const dReal *x = dBodyGetPosition(body), *r = dBodyGetRotation(body);
	for (int k = 0; k < wheels; k++) {
		double a = M_PI / 4 + k * M_PI / 2, ex = sin(a), ey = -cos(a);
		double lx = wheel_distance * cos(a), ly = wheel_distance * sin(a);
		double rim = ex * speed + (lx * ey - ly * ex) * turn, foot[3];
		for (int i = 0; i < 3; i++) foot[i] = x[i] + r[4 * i] * lx + r[4 * i + 1] * ly - r[4 * i + 2] * com;
		if (foot[2] > 1e-4) continue;
		dContact c = {0};
		c.surface.mode = dContactMu2 | dContactFDir1 | dContactMotion1 | dContactApprox1_1;
		c.surface.mu = friction;
		c.surface.motion1 = rim;
		double fx = r[0] * ex + r[1] * ey, fy = r[4] * ex + r[5] * ey, len = hypot(fx, fy);
		c.fdir1[0] = fx / len, c.fdir1[1] = fy / len;
		c.geom.pos[0] = foot[0], c.geom.pos[1] = foot[1];
		c.geom.normal[2] = 1;
		c.geom.depth = foot[2] < 0 ? -foot[2] : 0;
		dJointAttach(dJointCreateContact(p->world, p->joints, &c), body, 0);
	}
}

plain *plain_new(int robots) {
	plain *p = calloc(1, sizeof *p);
	dMass m;
	dInitODE2(0);
	dAllocateODEDataForThread(dAllocateMaskAll);
	p->robots = robots;
	p->world = dWorldCreate();
	p->space = dHashSpaceCreate(0);
	p->joints = dJointGroupCreate(0);
	dWorldSetGravity(p->world, 0, 0, -9.81);
	dWorldSetERP(p->world, 0.2);
	dWorldSetCFM(p->world, 1e-9);
	dWorldSetContactMaxCorrectingVel(p->world, 2);
	dWorldSetContactSurfaceLayer(p->world, 1e-4);
	p->floor = dCreatePlane(p->space, 0, 0, 1, 0);
	for (int i = 0; i < 4; i++) {
		int side = i % 2 ? -1 : 1;
		p->wall[i] = dCreateBox(p->space, i < 2 ? 2 : 23, i < 2 ? 17 : 2, 1);
		dGeomSetPosition(p->wall[i], i < 2 ? side * 11.5 : 0, i < 2 ? 0 : side * 8.5, 0.5);
	}
	p->robot = calloc(robots, sizeof *p->robot);
	for (int i = 0; i < robots; i++) {
		double a = 2 * M_PI * i / 10 + 0.1, d = 4;
		dMatrix3 r;
		p->robot[i] = dBodyCreate(p->world);
		dMassSetParameters(&m, mass, 0, 0, 0, 2, 2, inertia_z, 0, 0, 0);
		dBodySetMass(p->robot[i], &m);
		dBodySetFiniteRotationMode(p->robot[i], 1);
		dRFromAxisAndAngle(r, 0, 0, 1, a + M_PI);
		dBodySetRotation(p->robot[i], r);
		dBodySetPosition(p->robot[i], d * cos(a), d * sin(a), com);
		dGeomID g = dCreateCylinder(p->space, radius, height);
		dGeomSetBody(g, p->robot[i]);
		dGeomSetOffsetPosition(g, 0, 0, height / 2 - com);
	}
	p->ball = dBodyCreate(p->world);
	double hollow = 2 * ball_mass * ball_radius * ball_radius / 3;
	dMassSetParameters(&m, ball_mass, 0, 0, 0, hollow, hollow, hollow, 0, 0, 0);
	dBodySetMass(p->ball, &m);
	dBodySetPosition(p->ball, 0, 0, ball_radius);
	p->ball_geom = dCreateSphere(p->space, ball_radius);
	dGeomSetBody(p->ball_geom, p->ball);
	return p;
}

void plain_step(plain *p, double dt) {
	dJointGroupEmpty(p->joints);
	dSpaceCollide(p->space, p, near);
	for (int i = 0; i < p->robots; i++) feet(p, p->robot[i]);
	dWorldStep(p->world, dt);
}

void plain_place(const plain *p, int robot, double at[2]) {
	const dReal *x = dBodyGetPosition(p->robot[robot]);
	at[0] = x[0], at[1] = x[1];
}

void plain_free(plain *p) {
	dJointGroupDestroy(p->joints);
	dSpaceDestroy(p->space);
	dWorldDestroy(p->world);
	free(p->robot);
	free(p);
}
