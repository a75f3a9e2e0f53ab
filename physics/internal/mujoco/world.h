#ifndef OMNI_MUJOCO_H
#define OMNI_MUJOCO_H

// omni_touch is a contact between two bodies of our model during a step. a < b, or b is -1 for a static body.
typedef struct omni_touch {
	int a, b;
	double pos[3];  // where the impulse of a part of the step was largest
	double impulse; // sum of the normal impulses, N s
	double closing; // largest normal speed at which the bodies approached each other, m/s
	double most;    // largest impulse of a single contact
} omni_touch;

// omni_foot is a foot. Its forces are sums over the parts of a step.
typedef struct omni_foot {
	double force[3];  // of contacts on the foot, in the world, N
	double normal;    // normal forces of contacts, N
	double moment[3]; // sum of the places of contacts, times their normal forces, N m
} omni_foot;

// omni_mj is a world. The pointers from qpos on point into MuJoCo's memory.
typedef struct omni_mj {
	void *model, *data;
	int nq, nv, nu, nbody, ngeom;
	double *qpos, *qvel, *warmstart, *ctrl, *effort, *xfrc, *xipos, *time;
	double *gain;   // nu x 10: the constants of the actuators' forces; [1] and [2] are per position and velocity
	// nv: diagonal of M, and of its inverse, at the joints' Zero; damping of the joints
	double *inertia, *mobility, *damping;
	int *contype, *conaffinity, *geom_body, *qpos_at, *dof_at;
	int *owner;      // nbody: our BodyID; -1 for the world
	int *foot;       // nbody: index in feet; -1 for bodies that are no foot
	omni_foot *feet;
	int nfeet;
	double *push;    // nbody x 6: impulse, and its moment about the world's origin, for the next step
	int pushed;
	omni_touch *touch;
	int touches, room;
	char error[1000];
} omni_mj;

// omni_mj_open loads a version of libmujoco, once per process. It returns 0, or -1 with the reason in error.
int omni_mj_open(const char *name, char *error, int size);

// omni_mj_new makes a world of an MJCF text. It returns NULL, with the reason in error, if MuJoCo refuses it.
omni_mj *omni_mj_new(const char *text, int length, char *error, int size);
void omni_mj_free(omni_mj *w);

// omni_mj_body and omni_mj_joint return the index of what has a name, or -1.
int omni_mj_body(const omni_mj *w, const char *name);
int omni_mj_joint(const omni_mj *w, const char *name);

// omni_mj_feet makes room for n feet. It returns -1 without memory.
int omni_mj_feet(omni_mj *w, int n);

// omni_mj_step advances the world by parts steps of dt seconds each. It returns -1 after an error.
int omni_mj_step(omni_mj *w, int parts, double dt);

#endif
