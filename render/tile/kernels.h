// The kernels, as the Go side calls them. Every kernel exists once for each set of instructions.
#ifndef KERNELS_H
#define KERNELS_H

#include "work.h"

typedef struct {
	const char *name;
	// draw_shadows and soften draw the shadows of bodies on some of the map's rows; see light.h.
	void (*draw_shadows)(const lightmap *m, const texels *restored, int32_t places, const caster *bodies, int32_t n, int32_t row0, int32_t row1);
	void (*soften)(const lightmap *m, const texels *softened, int32_t places, int32_t row0, int32_t row1);
	// mix_floor finds the natural light that arrives on some rows of the floor, in the blocks whose bits changed has: a word for each row.
	void (*mix_floor)(const hall *h, const uint64_t *changed, int32_t row0, int32_t row1);
	// prepare carries out the vertex and triangle stages of a view's draws, from one up to another. It returns 0 if memory ran out.
	int (*prepare)(const scene *s, const view *v, int32_t from, int32_t to, work *k);
	// draw_rows draws some of an image's rows of tiles from what prepare has left in n works: the bytes of its pixels, or its planes, from which
	// develop_rows makes them. dirt is of the view's chip, 0 without.
	void (*draw_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, const float *dirt, uint8_t *pix);
	// measure_rows does the same for its distances along z, metres; true ones if they are to be measured, which range_rows does.
	void (*measure_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, float *depth);
	// tell_rows does the same for the truth of its pixels; of a view with tables without flow.
	void (*tell_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, truth to);
	// develop_rows makes the bytes of rows of pixels from planes that are complete.
	void (*develop_rows)(const chip *c, const planes *p, int32_t width, int32_t height, int32_t y0, int32_t y1, uint8_t *pix);
	// expose_rows applies a chip to rows of pixels of a finished image: in place, or into planes. decoded is the light of each byte.
	void (*expose_rows)(const chip *c, const planes *p, int32_t width, int32_t y0, int32_t y1, const float *decoded, const float *dirt, uint8_t *pix);
	// average_cells makes of complete planes the light from which that is computed which the lens scatters.
	void (*average_cells)(const planes *p, int32_t width, int32_t height, float *glare);
	// process makes of a finished image what its camera does; memory is for that.
	void (*process)(int32_t width, int32_t height, int32_t factor, const uint8_t *steps, uint8_t *memory, uint8_t *pix);
	// complete_rows prepares rows of true distances for range_rows, which measures rows when all are complete.
	void (*complete_rows)(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1);
	void (*range_rows)(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1, float *to);
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
static inline void call_mix_floor(const kernels *k, const hall *h, const uint64_t *changed, int32_t row0, int32_t row1) { k->mix_floor(h, changed, row0, row1); }
static inline int call_prepare(const kernels *k, const scene *s, const view *v, int32_t from, int32_t to, work *w) { return k->prepare(s, v, from, to, w); }
static inline void call_draw_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, const float *dirt,
	uint8_t *pix) {
	k->draw_rows(s, v, works, n, row0, row1, dirt, pix);
}
static inline void call_measure_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, float *depth) {
	k->measure_rows(s, v, works, n, row0, row1, depth);
}
static inline void call_develop_rows(const kernels *k, const chip *c, const planes *p, int32_t width, int32_t height, int32_t y0, int32_t y1, uint8_t *pix) {
	k->develop_rows(c, p, width, height, y0, y1, pix);
}

// PLANES_SPARE is how many floats there must be behind an image's planes: vectors read beyond.
enum { PLANES_SPARE = 64 };

static inline void call_average_cells(const kernels *k, const planes *p, int32_t width, int32_t height) {
	k->average_cells(p, width, height, p->glare);
}

// planes_in returns the planes of a finished image with a chip that needs them, in memory; behind them is the light that the lens scatters.
static inline planes planes_in(const chip *c, int32_t width, int32_t height, float *memory) {
	int32_t stride = (width + TILE_SIZE - 1) / TILE_SIZE * TILE_SIZE, rows = (height + TILE_SIZE - 1) / TILE_SIZE * TILE_SIZE;
	planes p = {{memory, 0, 0}, stride, 0};
	for (int i = 1; i < 3 && c->light; i++) p.plane[i] = memory + (size_t)i * stride * rows;
	if (c->glare) p.glare = memory + (size_t)3 * stride * rows + PLANES_SPARE;
	return p;
}

// expose applies a chip to a finished image, as far as its pixels do not depend on each other, and develop the rest.
static inline void expose(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory, const float *decoded, const float *dirt, uint8_t *pix) {
	planes p = planes_in(c, width, height, memory);
	k->expose_rows(c, &p, width, 0, height, decoded, dirt, pix);
	if (c->glare) k->average_cells(&p, width, height, p.glare);
}
static inline void develop(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory, uint8_t *pix) {
	planes p = planes_in(c, width, height, memory);
	k->develop_rows(c, &p, width, height, 0, height, pix);
}

static inline void call_process(const kernels *k, int32_t width, int32_t height, int32_t factor, const uint8_t *steps, uint8_t *memory, uint8_t *pix) {
	k->process(width, height, factor, steps, memory, pix);
}

static inline void call_range_rows(const kernels *k, const view *v, int32_t y0, int32_t y1, float *to) {
	k->range_rows(&v->ranging, &v->truths, v->width, v->height, y0, y1, to);
}

// apply_ranging measures the true distances of a finished image. memory has room for them with their border; stride is of its rows.
static inline void apply_ranging(const kernels *k, const ranging *r, int32_t width, int32_t height, float *memory, int32_t stride, int32_t first, float *depth) {
	distances d = {memory + first, stride};
	for (int32_t y = 0; y < height; y++) memcpy(d.z + (size_t)y * (size_t)stride, depth + (size_t)y * (size_t)width, (size_t)width * sizeof *depth);
	k->complete_rows(r, &d, width, height, 0, height);
	k->range_rows(r, &d, width, height, 0, height, depth);
}

static inline void call_tell_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
	uint16_t *labels, float *range, float *normals, float *flow) {
	k->tell_rows(s, v, works, n, row0, row1, (truth){labels, range, normals, flow});
}

void free_work(work *k);

#endif
