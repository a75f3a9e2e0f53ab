// The kernels, as the Go side calls them. Every kernel exists once for each set of instructions.
#ifndef KERNELS_H
#define KERNELS_H

#include "work.h"

typedef struct {
	const char *name;
	// draw_shadows and soften draw the shadows of bodies on some of the map's rows; see light.h.
	void (*draw_shadows)(const lightmap *m, const texels *restored, int32_t places, const caster *bodies, int32_t n, int32_t row0, int32_t row1);
	void (*soften)(const lightmap *m, const texels *softened, int32_t places, int32_t row0, int32_t row1);
	// prepare carries out the vertex and triangle stages of a view's draws, from one up to another. It returns 0 if memory ran out.
	int (*prepare)(const scene *s, const view *v, int32_t from, int32_t to, work *k);
	// draw_rows draws some of an image's rows of tiles from what prepare has left in n works: the bytes of its pixels.
	void (*draw_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, uint8_t *pix);
	// measure_rows does the same for its distances along z, metres.
	void (*measure_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, float *depth);
	// tell_rows does the same for the truth of its pixels; of a view with tables without flow.
	void (*tell_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, truth to);
} kernels;

// all_kernels lists those that the processor has, best first; the last is 0.
const kernels *const *all_kernels(void);

static inline void call_draw_shadows(const kernels *k, const lightmap *m, const texels *restored, int32_t places, const caster *bodies, int32_t n, int32_t row0,
	int32_t row1) {
	k->draw_shadows(m, restored, places, bodies, n, row0, row1);
}
static inline void call_soften(const kernels *k, const lightmap *m, const texels *softened, int32_t places, int32_t row0, int32_t row1) {
	k->soften(m, softened, places, row0, row1);
}
static inline int call_prepare(const kernels *k, const scene *s, const view *v, int32_t from, int32_t to, work *w) { return k->prepare(s, v, from, to, w); }
static inline void call_draw_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, uint8_t *pix) {
	k->draw_rows(s, v, works, n, row0, row1, pix);
}
static inline void call_measure_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, float *depth) {
	k->measure_rows(s, v, works, n, row0, row1, depth);
}

static inline void call_tell_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
	uint16_t *labels, float *range, float *normals, float *flow) {
	k->tell_rows(s, v, works, n, row0, row1, (truth){labels, range, normals, flow});
}

void free_work(work *k);

#endif
