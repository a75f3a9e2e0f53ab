// The C side of one simulated world: parts (robots, then obstacles, then the ball), fixed boxes, and one step.
// SI units, world axes with z up. Go fills omni_body, calls omni_step, and reads omni_body again.
#ifndef OMNIPITCH_ODE_WORLD_H
#define OMNIPITCH_ODE_WORLD_H

#include <ode/ode.h>

#define OMNI_MAX_WHEELS 8
#define OMNI_UPRIGHT_COS 0.955 // a robot tilted by more than 0.3 rad has fallen over. Guess.
#define OMNI_ERP 0.2    // share of a penetration that one step undoes. Measured.
#define OMNI_LAYER 1e-4 // m: bodies sink in by this much, and within it count as lying on the floor. Measured.

// omni_body is what crosses the border to Go, in and out, once per step.
typedef struct {
	double pos[3];  // origin of the part's frame: on the floor for robots and obstacles, the ball's centre
	double quat[4]; // orientation, w x y z
	double lin[3];  // velocity of that origin
	double ang[3];  // rate of rotation
	double rim[OMNI_MAX_WHEELS]; // in: wanted rim speeds, out: those the wheels had; m/s
	double twist[3]; // in: wanted velocity of a chassis-level robot in its own axes, m/s and rad/s
	int place;       // in: take pose and velocity from here; cleared by the step
} omni_body;

// omni_wheel touches the floor at (x, y) in the robot's frame and holds on to it along (ex, ey) only.
typedef struct {
	double x, y, ex, ey;
	double force; // largest force of the motor along (ex, ey), N
	double load;  // normal force during the last step, N
	dJointFeedback feedback;
} omni_wheel;

typedef enum { OMNI_ROBOT, OMNI_OBSTACLE, OMNI_BALL } omni_kind;

typedef struct omni_part {
	omni_kind kind;
	dBodyID body;
	dGeomID geom;      // for pairs that libode collides: obstacles, and robots that have tipped over
	double com;        // height of the centre of mass over the frame's origin
	double mass, inertia_z;
	double radius, height; // of a robot; the ball's radius
	double half[3];        // of an obstacle
	int chassis;           // velocity set instead of wheels
	int wheels;
	omni_wheel wheel[OMNI_MAX_WHEELS];
	double mouth_radius, mouth_cos; // within the bearing acos(mouth_cos) the hull ends at mouth_radius for the ball
	double hold;                    // distance of a held ball before the centre
	struct omni_part *pile; // the pile that it is in, by way of others: see solve.c
	int pile_contacts;      // contacts between moving bodies, valid at the pile's root
} omni_part;

typedef struct {
	double min[3], max[3];
	double ball_top; // the ball flies over this height; max[2] is for robots and obstacles
	double friction, bounce; // of the ball
	dGeomID geom;
} omni_box;

typedef struct {
	double gravity, wheel_friction, body_friction;
	double ball_bounce, ball_friction, ball_rho; // rho: rolling friction, m
	double hull_bounce;                          // of the ball off robots and obstacles
	int pile;                                    // a pile of bodies with more contacts than this gets the iterative solver
	unsigned long seed;
} omni_config;

typedef struct {
	omni_config config;
	int robots, obstacles, boxes; // counts
	omni_part *part;              // robots, obstacles, ball
	omni_body *body;              // the same order
	omni_box *box;
	int held_by;       // in: robot that holds the ball, -1 for none
	double held_depth; // out: how deep the held ball was pressed into something, m
	int contacts;      // out: contacts between moving bodies in the last sub-step
	int ball_touched;
	char error[256], warning[256];
	dWorldID world;
	dSpaceID space;
	dGeomID floor;
	dJointGroupID joints;
	dThreadingImplementationID threading;
} omni_world;

// omni_new allocates a world with room for its parts, whose shape fields the caller fills before omni_build.
omni_world *omni_new(const omni_config *config, int robots, int obstacles, int boxes);
// omni_build, omni_step return 0, or -1 with w->error set; then only omni_free may follow.
int omni_build(omni_world *w);
int omni_step(omni_world *w, double seconds);
void omni_free(omni_world *w);

// Shared by the C files only.
static inline omni_part *omni_ball(omni_world *w) { return &w->part[w->robots + w->obstacles]; }
int omni_guarded(omni_world *w, void (*work)(omni_world *, double), double arg); // guard.c
int omni_iterate(omni_world *w, double dt);                                      // guard.c
void omni_part_all(omni_world *w);                                               // solve.c
void omni_touch(omni_part *a, omni_part *b);
void omni_solve(omni_world *w, double dt);
void omni_join(omni_world *w, omni_part *a, omni_part *b, dContact *c, dJointFeedback *feedback);
int omni_upright(const omni_part *p);
void omni_collide_robots(omni_world *w);
void omni_collide_obstacles(omni_world *w);
void omni_collide_ball(omni_world *w, double dt);
void omni_drive_feet(omni_world *w, double dt);
void omni_read_feet(omni_world *w);
void omni_set_chassis(omni_world *w);
void omni_turn_chassis(omni_world *w, double dt);
void omni_clamp_chassis(omni_world *w);

#endif
