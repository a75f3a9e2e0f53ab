// Steps a model with MuJoCo alone, and prints the processor time in seconds.
// Usage: loop MODEL.xml STATE STEPS. STATE has qpos, qvel, ctrl, actuator_biasprm and dof_damping as doubles.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
	char error[1000] = "";
	FILE *f = argc == 4 ? fopen(argv[2], "rb") : NULL;
	mjModel *m = f ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
	if (!m) return fprintf(stderr, "loop: %s\n", error), 1;
	mjData *d = mj_makeData(m);
	double *to[] = {d->qpos, d->qvel, d->ctrl, m->actuator_biasprm, m->dof_damping};
	size_t n[] = {m->nq, m->nv, m->nu, 10 * m->nu, m->nv};
	for (int i = 0; i < 5; i++)
		if (fread(to[i], sizeof(double), n[i], f) != n[i]) return fprintf(stderr, "loop: the state is too short\n"), 1;
	clock_t from = clock();
	for (int i = atoi(argv[3]); i > 0; i--) mj_step(m, d);
	printf("%.9f\n", (double)(clock() - from) / CLOCKS_PER_SEC);
	return 0;
}
