// The C side of one simulated world: parts (robots, then obstacles), fixed boxes, and one step. It has no ball.
// SI units, world axes with z up. Go fills omni_body, calls omni_step, and reads omni_body again.
#ifndef OMNIPITCH_ODE_WORLD_H
#define OMNIPITCH_ODE_WORLD_H

#include <ode/ode.h>

#define OMNI_MAX_WHEELS 8
#define OMNI_MAX_CASTERS 8
#define OMNI_MAX_ROLLERS 40
#define OMNI_MAX_NEAR 64
#define OMNI_ERP 0.2    // share of a penetration that one step removes. Measured.
#define OMNI_LAYER 1e-4 // m: bodies sink in by this much, and within it count as lying on the floor. Measured.

// omni_body is the state of a body that Go and C exchange in every step.
typedef struct {
	double pos[3];  // origin of the part's frame, on the floor under it
	double quat[4]; // orientation, w x y z
	double lin[3];  // velocity of that origin
	double ang[3];  // rate of rotation
	double rate[OMNI_MAX_WHEELS]; // in: setpoints of the wheels, out: their rates; rad/s
	int stuck[OMNI_MAX_WHEELS];   // out: the motor is at a limit and the wheel does not turn
	double current, voltage;      // out: current of all motors, A; voltage at the motors, V
	double twist[3]; // in: setpoint of a chassis-level robot in its own axes, m/s and rad/s
	double push_sum[3], push_at[3], push_turn[3]; // in: impulse, N s, its point, and moment, N m s
	int pushed;      // in: there is an impulse; cleared by the step
	int place;       // in: take pose and velocity from here; cleared by the step
} omni_body;

// omni_motor is physics.Motor, converted to the wheel's side of the gear.
typedef struct {
	int on;                       // 0: an ideal motor, which follows at once up to a force
	double force;                 // of an ideal motor, at the rim, N
	double k;                     // torque constant times gear, N m/A and V s/rad
	double efficiency, resistance;
	double friction;       // N m
	double inertia, rotor; // of wheel and rotor, and of the rotor alone, kg m²
	double max_current, p, i, d, forward;
	double voltage, sag; // of the battery: V, Ohm
} omni_motor;

// omni_law is a motor's torque during a step: torque = a − b·rate at the step's end.
typedef struct {
	double a, b;
	int held; // a limit is reached, and the controller's integral is frozen
} omni_law;

// omni_roller is one barrel of a wheel. Off the floor it sleeps: its hub has its mass, and only its spin is kept.
typedef struct {
	dBodyID body;
	dJointID hinge;
	double spin;
	int awake;
} omni_roller;

// omni_wheel touches the floor at (x, y) in the robot's frame. It has grip along (ex, ey), and across if it has no
// rollers.
typedef struct {
	double x, y, ex, ey;
	double heading; // rolling direction, rad
	double radius;  // speed along (ex, ey) per rate, m
	int holds;
	double rate, wanted, integral; // rad/s, rad/s, rad
	double force;                  // of the floor along (ex, ey) during the last step, N
	double load;                   // normal force then, N
	int stuck;
	omni_law law;
	dJointFeedback feedback;
	dBodyID hub; // at level rollers
	dJointID axle;
	omni_roller roller[OMNI_MAX_ROLLERS];
} omni_wheel;

typedef enum { OMNI_ROBOT, OMNI_OBSTACLE } omni_kind;
typedef enum { OMNI_WHEELS, OMNI_CHASSIS, OMNI_ROLLERS } omni_level;

typedef struct omni_part {
	omni_kind kind;
	dBodyID body;
	dGeomID geom;      // for pairs that libode collides: obstacles, and fallen robots
	double com;        // height of body over the frame's origin
	double com_x, com_y; // place of body beside that origin; 0 but at level wheels
	double mass, inertia_z, com_height; // of the whole robot
	double radius, height; // of the hull; the radius of a round one
	double way;            // upper bound of its displacement in this substep
	int boxed;             // the hull is a box, of half sizes half
	double half[3];        // of an obstacle, or a robot's box
	omni_level level;
	int wheels, casters;
	omni_wheel wheel[OMNI_MAX_WHEELS];
	double caster[OMNI_MAX_CASTERS][2];
	omni_motor motor;
	double current, voltage;
	double wheel_radius, roller_radius, roller_angle, row_gap, roller_mass, hub_mass; // of level rollers
	int rollers;
	struct omni_part *pile; // parent in the tree of its pile: see solve.c
	int pile_contacts;      // contacts between moving bodies, valid at the pile's root
	int near[OMNI_MAX_NEAR]; // in: boxes that it can touch in a step, in ascending order
	int nears;               // in: number of them; -1 if it may touch any box
} omni_part;

// omni_box is a static box between min and max, turned by heading about the vertical axis through its centre, or the
// upright cylinder in a square box.
typedef struct {
	double min[3], max[3];
	int round;                // it is a cylinder
	double heading, sin, cos; // sine and cosine of heading
	double wide[2];           // how far it extends from its centre along the world's x and y axes
	int prop;                 // it is one of the boxes of a prop
	dGeomID geom;
} omni_box;

// omni_touched is a contact joint between two parts, or a part and a box.
typedef struct {
	int a, b; // parts; b is -1 for a box
	double pos[3], normal[3], closing, impulse;
	dJointFeedback feedback;
} omni_touched;

typedef struct {
	double gravity, wheel_friction, body_friction, obstacle_friction, upright_cos;
	int pile; // a pile of bodies with more contacts than this gets the iterative solver
	unsigned long seed;
} omni_config;

typedef struct omni_kept omni_kept; // solve.c

typedef struct {
	omni_config config;
	int robots, obstacles, boxes; // counts
	omni_part *part;              // robots, obstacles
	omni_body *body;              // the same order
	omni_box *box;
	omni_touched *touch; // out, of the last step
	int touches, touch_room;
	omni_kept *kept;  // the state before a step, of every body
	int repeated;   // out: steps that the exact solver failed to solve
	double dt;    // of the present substep
	int contacts; // out: contacts between moving bodies in the last substep
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
// omni_exchange saves the exact state between two steps into OMNI_STATE numbers per part and one more, or restores it.
// It returns how many it has used. It does not work at level rollers.
#define OMNI_STATE (27 + 6 * OMNI_MAX_WHEELS + 29 + 2 * OMNI_MAX_WHEELS)
int omni_exchange(omni_world *w, double *state, int restore);
void omni_free(omni_world *w);

// Shared by the C files only.
int omni_guarded(omni_world *w, void (*work)(omni_world *, double), double arg); // guard.c
int omni_iterate(omni_world *w, double dt);
int omni_make_room(omni_world *w); // solve.c; 0, or -1 without memory
void omni_part_all(omni_world *w);
void omni_meet(omni_part *a, omni_part *b);
void omni_solve(omni_world *w, double dt);
void omni_join(omni_world *w, omni_part *a, omni_part *b, dContact *c, dJointFeedback *feedback); // contact.c
int omni_upright(const omni_world *w, const omni_part *p);
void omni_collide(omni_world *w);
void omni_read_touches(omni_world *w, double dt);
omni_law omni_motor_law(const omni_motor *m, const omni_wheel *wheel, double inertia, double volts, double dt);
void omni_motor_turned(omni_part *p, omni_wheel *wheel, double rate, double dt, double *drawn);
int omni_stands(double rate, double wanted);
void omni_drive_feet(omni_world *w, double dt); // drive.c
void omni_read_feet(omni_world *w, double dt);
void omni_set_chassis(omni_world *w);
void omni_turn_chassis(omni_world *w, double dt);
void omni_clamp_chassis(omni_world *w);
void omni_build_rollers(omni_world *w, omni_part *p); // rollers.c
void omni_place_rollers(omni_part *p);
void omni_drive_rollers(omni_world *w, omni_part *p, double dt);
void omni_read_rollers(omni_part *p, double dt);
void omni_enable_rollers(omni_part *p, int on);

#endif
