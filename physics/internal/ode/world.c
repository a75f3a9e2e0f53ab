#include "world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double cfm = 1e-9, max_correcting_vel = 2; // measured: piles do not explode
static const int iterations = 60; // guess: with libode's default of 20, the feet of pushing robots sink in

// touch_room is the number of touches that can be recorded per body. Guess: two with each possible neighbour.
enum { touch_room = 24 };

omni_world *omni_new(const omni_config *config, int robots, int obstacles, int boxes) {
	omni_world *w = calloc(1, sizeof *w);
	if (!w) return NULL;
	w->config = *config;
	w->robots = robots, w->obstacles = obstacles, w->boxes = boxes;
	w->touch_room = touch_room * (robots + obstacles);
	w->part = calloc(robots + obstacles + 1, sizeof *w->part);
	w->body = calloc(robots + obstacles + 1, sizeof *w->body);
	w->box = calloc(boxes + 1, sizeof *w->box);
	w->touch = calloc(w->touch_room + 1, sizeof *w->touch);
	if (!w->part || !w->body || !w->box || !w->touch) {
		free(w->part), free(w->body), free(w->box), free(w->touch), free(w);
		return NULL;
	}
	return w;
}

// build_robot makes the body of a whole robot, or at level rollers of the robot without its wheels.
static void build_robot(omni_world *w, omni_part *p) {
	dMass mass;
	double m = p->mass, inertia = p->inertia_z;
	p->com = p->com_height;
	if (p->level == OMNI_ROLLERS) {
		double wheel = p->hub_mass + p->rollers * p->roller_mass;
		for (int k = 0; k < p->wheels; k++) {
			const omni_wheel *at = &p->wheel[k];
			m -= wheel;
			inertia -= wheel * (at->x * at->x + at->y * at->y);
		}
		p->com = (p->mass * p->com_height - (p->mass - m) * p->wheel_radius) / m;
		inertia = fmax(inertia, p->inertia_z / 4);
	}
	double side = m * (3 * p->radius * p->radius + p->height * p->height) / 12;
	dMassSetParameters(&mass, m, 0, 0, 0, side, side, inertia, 0, 0, 0);
	dBodySetMass(p->body, &mass);
	p->geom = p->boxed ? dCreateBox(w->space, 2 * p->half[0], 2 * p->half[1], p->height)
	                   : dCreateCylinder(w->space, p->radius, p->height);
	dGeomSetBody(p->geom, p->body);
	dGeomSetOffsetPosition(p->geom, -p->com_x, -p->com_y, p->height / 2 - p->com);
	if (p->level == OMNI_CHASSIS) dBodySetGravityMode(p->body, 0);
	for (int i = 0; i < p->wheels; i++) p->wheel[i].load = p->mass * w->config.gravity / (p->wheels + p->casters);
	p->voltage = p->motor.voltage;
	if (p->level == OMNI_ROLLERS) omni_build_rollers(w, p);
}

static void build_part(omni_world *w, omni_part *p) {
	dMass mass;
	p->body = dBodyCreate(w->world);
	dBodySetFiniteRotationMode(p->body, 1); // without it, 2 rad/s loses 4e-4 rad in 25 s
	if (p->kind == OMNI_ROBOT) {
		build_robot(w, p);
		return;
	}
	if (p->boxed) dMassSetBoxTotal(&mass, p->mass, 2 * p->half[0], 2 * p->half[1], 2 * p->half[2]);
	else dMassSetCylinderTotal(&mass, p->mass, 3, p->radius, p->height);
	dBodySetMass(p->body, &mass);
	p->geom = p->boxed ? dCreateBox(w->space, 2 * p->half[0], 2 * p->half[1], 2 * p->half[2])
	                   : dCreateCylinder(w->space, p->radius, p->height);
	dGeomSetBody(p->geom, p->body);
}

static void build(omni_world *w, double unused) {
	(void)unused;
	if (omni_make_room(w)) {
		snprintf(w->error, sizeof w->error, "no memory for the bodies");
		return;
	}
	w->threading = dThreadingAllocateSelfThreadedImplementation();
	w->world = dWorldCreate();
	dWorldSetStepThreadingImplementation(w->world, dThreadingImplementationGetFunctions(w->threading), w->threading);
	w->space = dSimpleSpaceCreate(0);
	w->joints = dJointGroupCreate(0);
	w->floor = dCreatePlane(w->space, 0, 0, 1, 0);
	dWorldSetGravity(w->world, 0, 0, -w->config.gravity);
	dWorldSetERP(w->world, OMNI_ERP);
	dWorldSetCFM(w->world, cfm);
	dWorldSetContactMaxCorrectingVel(w->world, max_correcting_vel);
	dWorldSetQuickStepNumIterations(w->world, iterations);
	dWorldSetContactSurfaceLayer(w->world, OMNI_LAYER);
	for (int i = 0; i < w->robots + w->obstacles; i++) build_part(w, &w->part[i]);
	for (int i = 0; i < w->boxes; i++) {
		omni_box *b = &w->box[i];
		double x = b->max[0] - b->min[0], y = b->max[1] - b->min[1], z = b->max[2] - b->min[2];
		b->geom = b->round ? dCreateCylinder(w->space, x / 2, z) : dCreateBox(w->space, x, y, z);
		dGeomSetPosition(b->geom, (b->min[0] + b->max[0]) / 2, (b->min[1] + b->max[1]) / 2,
			(b->min[2] + b->max[2]) / 2);
		if (b->heading == 0) continue;
		dMatrix3 turned;
		dRFromAxisAndAngle(turned, 0, 0, 1, b->heading);
		dGeomSetRotation(b->geom, turned);
	}
}

int omni_build(omni_world *w) { return omni_guarded(w, build, 0); }

static void destroy(omni_world *w, double unused) {
	(void)unused;
	dJointGroupDestroy(w->joints);
	dSpaceDestroy(w->space);
	dWorldDestroy(w->world);
	dThreadingFreeImplementation(w->threading);
}

void omni_free(omni_world *w) {
	// After an error the state of libode's memory is unknown, so it is leaked.
	if (!w->error[0]) omni_guarded(w, destroy, 0);
	free(w->part), free(w->body), free(w->box), free(w->touch), free(w->kept), free(w);
}
