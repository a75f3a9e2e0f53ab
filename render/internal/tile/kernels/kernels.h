// The kernels, as package tile calls them. Every kernel exists once for each set of instructions.
#ifndef KERNELS_H
#define KERNELS_H

#include "work.h"

typedef struct {
	const char *name;
	// draw_shadows and soften draw the shadows of bodies on some of the map's rows; see light.h.
	void (*draw_shadows)(const lightmap *m, const texels *restored, int32_t places, const caster *bodies, int32_t n,
		int32_t row0, int32_t row1);
	void (*soften)(const lightmap *m, const texels *softened, int32_t places, int32_t row0, int32_t row1);
	// mix_floor computes the natural light on some rows of the floor, in the blocks whose bits are set in changed: one
	// word per row.
	void (*mix_floor)(const hall *h, const uint64_t *changed, int32_t row0, int32_t row1);
	// prepare runs the vertex and triangle stages for the draw calls of a view from from to to, exclusive. It returns 0
	// if memory ran out.
	int (*prepare)(const scene *s, const view *v, int32_t from, int32_t to, work *k);
	// draw_rows draws some of an image's rows of tiles from the results of prepare in n works: the bytes of its pixels,
	// or its planes, from which develop_rows computes them. dirt is that of the view's chip, or 0; above is the image's
	// light above white, or 0 if the image does not record it.
	void (*draw_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
		const float *dirt, uint8_t *pix, float *above);
	// measure_rows does the same for distances along z, metres; for true distances if range_rows measures them later.
	// Unless reflectance is 0, it also stores the reflectance of what pixels show.
	void (*measure_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
		float *depth, float *reflectance);
	// truth_rows does the same for the truth of pixels; views with tables get no flow.
	void (*truth_rows)(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
		truth to);
	// develop_rows computes the bytes of rows of pixels from complete planes.
	void (*develop_rows)(const chip *c, const planes *p, int32_t width, int32_t height, int32_t y0, int32_t y1,
		uint8_t *pix);
	// expose_rows applies a chip to rows of pixels of a finished image: in place, or into planes. decoded is the light
	// of each byte value.
	void (*expose_rows)(const chip *c, const planes *p, int32_t width, int32_t y0, int32_t y1, const float *decoded,
		const float *dirt, uint8_t *pix);
	// average_cells computes, from complete planes, the means from which the lens's scattered light is computed.
	void (*average_cells)(const planes *p, int32_t width, int32_t height, float *glare);
	// fill_columns applies blooming and smear to complete planes.
	void (*fill_columns)(const chip *c, const planes *p, int32_t width, int32_t height, float *spilt);
	// process applies processing in the camera to a finished image; memory is scratch memory.
	void (*process)(int32_t width, int32_t height, int32_t factor, const uint8_t *steps, uint8_t *memory, uint8_t *pix);
	// complete_rows prepares rows of true distances for range_rows, which measures rows once all are complete.
	void (*complete_rows)(const ranging *r, const distances *d, int32_t width, int32_t height, int32_t y0, int32_t y1);
	void (*range_rows)(const ranging *r, const distances *d, const float *reflectance, int32_t width, int32_t height,
		int32_t y0, int32_t y1, float *to);
	// take_census prepares the images of a stereo pair. match_half then runs half of a pass, and after all halves,
	// finish turns disparities into distances; see stereo.h.
	void (*take_census)(const matching *m, const uint8_t *left, const uint8_t *right);
	void (*match_half)(const matching *m, int32_t backward, float *disparities);
	void (*finish)(const matching *m, float *depth);
} kernels;

// all_kernels lists the kernels that the processor supports, best first, followed by 0.
const kernels *const *all_kernels(void);

#endif
