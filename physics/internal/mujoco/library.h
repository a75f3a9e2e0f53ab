#ifndef OMNI_MUJOCO_LIBRARY_H
#define OMNI_MUJOCO_LIBRARY_H

#include <setjmp.h>
#include <stddef.h>

// omni_mj_calls are the functions of libmujoco that the engine calls. Models, data and files are opaque.
typedef struct omni_mj_calls {
	int (*version)(void);
	void (*default_vfs)(void *vfs);
	int (*make_file)(void *vfs, const char *name, int size);
	int (*find_file)(const void *vfs, const char *name);
	void (*delete_vfs)(void *vfs);
	void *(*load_xml)(const char *name, const void *vfs, char *error, int size);
	void *(*make_data)(const void *model);
	void (*delete_data)(void *data);
	void (*delete_model)(void *model);
	int (*name2id)(const void *model, int type, const char *name);
	void (*step1)(const void *model, void *data);
	void (*step2)(const void *model, void *data);
	void (*contact_force)(const void *model, const void *data, int id, double result[6]);
	void (*object_velocity)(const void *model, const void *data, int type, int id, double result[6], int local);
} omni_mj_calls;

// OMNI_MJ_FIELDS lists what is used of MuJoCo's structs: X(struct, field).
#define OMNI_MJ_FIELDS(X) \
	X(mjModel, nq) X(mjModel, nv) X(mjModel, nu) X(mjModel, nbody) X(mjModel, ngeom) X(mjModel, dof_M0) \
	X(mjModel, dof_invweight0) X(mjModel, dof_damping) \
	X(mjModel, jnt_qposadr) X(mjModel, jnt_dofadr) X(mjModel, geom_bodyid) X(mjModel, geom_contype) \
	X(mjModel, geom_conaffinity) X(mjModel, actuator_biasprm) \
	X(mjData, ncon) X(mjData, time) X(mjData, qpos) X(mjData, qvel) X(mjData, qacc_warmstart) X(mjData, ctrl) \
	X(mjData, xfrc_applied) X(mjData, xipos) X(mjData, contact) X(mjData, actuator_force) \
	X(mjContact, pos) X(mjContact, frame) X(mjContact, geom1) X(mjContact, geom2) X(mjContact, efc_address) \
	X(mjVFS, filedata)

// omni_mj_layout holds the offsets of these fields in a version, and the sizes of two structs.
typedef struct omni_mj_layout {
	int version;
#define X(type, field) size_t type##_##field;
	OMNI_MJ_FIELDS(X)
#undef X
	size_t contact, vfs;
} omni_mj_layout;

extern omni_mj_calls omni_mj_lib;
extern const omni_mj_layout *omni_mj_at;

// A call that may fail sets omni_mj_jump. If MuJoCo reports an error, it jumps there, and omni_mj_message says why.
// omni_mj_warned is set by a warning.
extern _Thread_local jmp_buf *omni_mj_jump;
extern _Thread_local char omni_mj_message[1000];
extern _Thread_local int omni_mj_warned;

#endif
