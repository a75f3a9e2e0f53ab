// Wrappers that call kernels, since Go cannot call C function pointers.
#ifndef CALL_H
#define CALL_H

#include "kernels/kernels.h"

static inline void call_draw_shadows(const kernels *k, const lightmap *m, const texels *restored, int32_t places,
	const caster *bodies, int32_t n, int32_t row0,
	int32_t row1) {
	k->draw_shadows(m, restored, places, bodies, n, row0, row1);
}
static inline void call_soften(const kernels *k, const lightmap *m, const texels *softened, int32_t places,
	int32_t row0, int32_t row1) {
	k->soften(m, softened, places, row0, row1);
}
static inline void call_mix_floor(const kernels *k, const hall *h, const uint64_t *changed, int32_t row0,
	int32_t row1) { k->mix_floor(h, changed, row0, row1); }
static inline int call_prepare(const kernels *k, const scene *s, const view *v, int32_t from, int32_t to, work *w) {
	return k->prepare(s, v, from, to, w); }
static inline void call_draw_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n,
	int32_t row0, int32_t row1, const float *dirt,
	uint8_t *pix, float *above) {
	k->draw_rows(s, v, works, n, row0, row1, dirt, pix, above);
}
static inline void call_measure_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n,
	int32_t row0, int32_t row1, float *depth, float *reflectance) {
	k->measure_rows(s, v, works, n, row0, row1, depth, reflectance);
}
static inline void call_develop_rows(const kernels *k, const chip *c, const planes *p, int32_t width, int32_t height,
	int32_t y0, int32_t y1, uint8_t *pix) {
	k->develop_rows(c, p, width, height, y0, y1, pix);
}

// PLANES_SPARE is the number of floats that must follow an image's planes, since vector loads read beyond them.
enum { PLANES_SPARE = 64 };

static inline void call_average_cells(const kernels *k, const planes *p, int32_t width, int32_t height) {
	k->average_cells(p, width, height, p->glare);
}

static inline void call_fill_columns(const kernels *k, const chip *c, const planes *p, int32_t width, int32_t height,
	float *spilt) {
	k->fill_columns(c, p, width, height, spilt);
}

// planes_in lays out the planes of a finished image in memory, for a chip that needs them: first the values per row,
// last the light that the lens scatters.
static inline planes planes_in(const chip *c, int32_t width, int32_t height, float *memory) {
	int32_t stride = (width + TILE_SIZE - 1) / TILE_SIZE * TILE_SIZE, rows = (height + TILE_SIZE - 1) / TILE_SIZE *
		TILE_SIZE;
	float *of_rows = memory;
	if (c->flicker) memory += rows;
	planes p = {{memory, 0, 0}, stride, of_rows, 0};
	for (int i = 1; i < 3 && c->light; i++) p.plane[i] = memory + (size_t)i * stride * rows;
	if (c->glare) p.glare = memory + (size_t)3 * stride * rows + PLANES_SPARE;
	return p;
}

// expose applies the part of a chip to a finished image in which pixels are independent of each other. average and fill
// prepare what planes need, and develop does the rest.
static inline void expose(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory,
	const float *decoded, const float *dirt, uint8_t *pix) {
	planes p = planes_in(c, width, height, memory);
	k->expose_rows(c, &p, width, 0, height, decoded, dirt, pix);
}
static inline void fill(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory, float *spilt) {
	planes p = planes_in(c, width, height, memory);
	k->fill_columns(c, &p, width, height, spilt);
}
static inline void average(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory) {
	planes p = planes_in(c, width, height, memory);
	k->average_cells(&p, width, height, p.glare);
}
static inline void develop(const kernels *k, const chip *c, int32_t width, int32_t height, float *memory,
	uint8_t *pix) {
	planes p = planes_in(c, width, height, memory);
	k->develop_rows(c, &p, width, height, 0, height, pix);
}

static inline void call_process(const kernels *k, int32_t width, int32_t height, int32_t factor, const uint8_t *steps,
	uint8_t *memory, uint8_t *pix) {
	k->process(width, height, factor, steps, memory, pix);
}

static inline void call_range_rows(const kernels *k, const view *v, const float *reflectance, int32_t y0, int32_t y1,
	float *to) {
	k->range_rows(&v->ranging, &v->truths, reflectance, v->width, v->height, y0, y1, to);
}

// apply_ranging measures the true distances of a finished image. memory has room for them and their border; stride is
// the stride of rows in memory.
static inline void apply_ranging(const kernels *k, const ranging *r, int32_t width, int32_t height, float *memory,
	int32_t stride, int32_t first, const float *reflectance, float *depth) {
	distances d = {memory + first, stride};
	for (int32_t y = 0; y < height; y++) memcpy(d.z + (size_t)y * (size_t)stride, depth + (size_t)y * (size_t)width,
		(size_t)width * sizeof *depth);
	k->complete_rows(r, &d, width, height, 0, height);
	k->range_rows(r, &d, reflectance, width, height, 0, height, depth);
}

static inline void call_truth_rows(const kernels *k, const scene *s, const view *v, work *const *works, int32_t n,
	int32_t row0, int32_t row1,
	uint16_t *labels, float *range, float *normals, float *flow) {
	k->truth_rows(s, v, works, n, row0, row1, (truth){labels, range, normals, flow});
}

static inline void call_take_census(const kernels *k, const matching *m, const uint8_t *left, const uint8_t *right) {
	k->take_census(m, left, right);
}
static inline void call_match_half(const kernels *k, const matching *m, int32_t backward, float *depth) {
	k->match_half(m, backward, depth);
}
static inline void call_finish(const kernels *k, const matching *m, float *depth) { k->finish(m, depth); }

#endif
