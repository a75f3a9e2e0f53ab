// libmujoco, loaded at run time, so that programs run without it. Only the parts of MuJoCo's structs that are listed in
// layouts are used; their offsets differ between versions.
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

_Thread_local jmp_buf *omni_mj_jump;
_Thread_local char omni_mj_message[1000];
_Thread_local int omni_mj_warned;

omni_mj_calls omni_mj_lib;
const omni_mj_layout *omni_mj_at;

// The order is that of OMNI_MJ_FIELDS. A test compares the offsets with those of the header that is installed.
static const omni_mj_layout layouts[] = {
	{222, 0, 4, 8, 16, 24, 1480, 1472, 1464, 1288, 1296, 1520, 1496, 1504, 2784, 40332, 40336, 40376, 40384,
		40400, 40408, 40424, 40504, 40752, 41080, 8, 32, 508, 512, 520, 2008008, 528, 2024008},
	{231, 0, 4, 8, 16, 24, 1520, 1512, 1504, 1328, 1336, 1560, 1536, 1544, 2840, 40364, 40368, 40408, 40416,
		40432, 40448, 40464, 40560, 41016, 40944, 8, 32, 508, 512, 520, 2008008, 528, 2024008},
};

static void keep(const char *text) { snprintf(omni_mj_message, sizeof omni_mj_message, "%s", text); }

// on_error leaves the call that failed. MuJoCo's own handler would wait for a key, and end the program.
static void on_error(const char *text) {
	keep(text);
	if (omni_mj_jump) longjmp(*omni_mj_jump, 1);
}

static void on_warning(const char *text) {
	keep(text);
	omni_mj_warned = 1;
}

int omni_mj_open(const char *name, char *error, int size) {
	void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!lib) return snprintf(error, size, "%s", dlerror()), -1;
	const char *missing = NULL;
	omni_mj_calls calls;
#define FIND(to, symbol) if (!(*(void **)&to = dlsym(lib, symbol))) missing = symbol
	void (**user_error)(const char *), (**user_warning)(const char *);
	FIND(calls.version, "mj_version");
	FIND(calls.default_vfs, "mj_defaultVFS");
	FIND(calls.make_file, "mj_makeEmptyFileVFS");
	FIND(calls.find_file, "mj_findFileVFS");
	FIND(calls.delete_vfs, "mj_deleteVFS");
	FIND(calls.load_xml, "mj_loadXML");
	FIND(calls.make_data, "mj_makeData");
	FIND(calls.delete_data, "mj_deleteData");
	FIND(calls.delete_model, "mj_deleteModel");
	FIND(calls.name2id, "mj_name2id");
	FIND(calls.step1, "mj_step1");
	FIND(calls.step2, "mj_step2");
	FIND(calls.contact_force, "mj_contactForce");
	FIND(calls.object_velocity, "mj_objectVelocity");
	FIND(user_error, "mju_user_error");
	FIND(user_warning, "mju_user_warning");
	if (missing) return snprintf(error, size, "%s has no %s", name, missing), dlclose(lib), -1;
	int version = calls.version();
	const omni_mj_layout *at = NULL;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].version == version) at = &layouts[i];
	if (!at)
		return snprintf(error, size, "%s is version %d.%d.%d: must be 2.2.2 or 2.3.1", name, version / 100,
			version / 10 % 10, version % 10), dlclose(lib), -1;
	omni_mj_lib = calls;
	omni_mj_at = at;
	*user_error = on_error;
	*user_warning = on_warning;
	return 0;
}
