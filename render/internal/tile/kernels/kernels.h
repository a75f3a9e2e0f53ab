// The kernels, as package tile calls them. Every kernel exists once for each set of instructions.
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
	// develop_rows makes them. dirt is of the view's chip, 0 without; above is the image's light above white, 0 unless it is kept.
	void (*draw_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, const float *dirt, uint8_t *pix, float *above);
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
	// fill_columns makes of complete planes what a CCD's columns hold.
	void (*fill_columns)(const chip *c, const planes *p, int32_t width, int32_t height, float *spilt);
	// process makes of a finished image what its camera does; memory is for that.
	void (*process)(int32_t width, int32_t height, int32_t factor, const uint8_t *steps, uint8_t *memory, uint8_t *pix);
	// complete_rows prepares rows of true distances for range_rows, which measures rows when all are complete.
	void (*complete_rows)(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1);
	void (*range_rows)(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1, float *to);
} kernels;

// all_kernels lists those that the processor has, best first; the last is 0.
const kernels *const *all_kernels(void);

#endif
