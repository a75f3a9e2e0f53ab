// All kernels, for the instructions that the including file has chosen. KERNELS is the identifier of their list, NAME
// its name.

#include "kernels.h"
#include "lanes.h"

#include "setup.h"
#include "raster.h"
#include "floor.h"
#include "truth.h"
#include "chip.h"
#include "columns.h"
#include "process.h"
#include "stereo.h"

// draw_tile draws a tile whose first pixel is (x0, y0).
static void draw_tile(const scene *s, const view *v, work *const *works, int32_t n, int x0, int y0, const float *dirt,
	uint8_t *pix, float *above) {
	int cols = (v->width + TILE_SIZE - 1) / TILE_SIZE;
	bodies shown;
	light all;
	int some = draw_bodies(s, v, works, n, y0 / TILE_SIZE * cols + x0 / TILE_SIZE, x0, y0, &shown);
	background(s, v, x0, y0, some ? &shown : 0, &all);
	float brighter[3];
	if (above) above_white(v, &all, x0, y0, above + 3 * (y0 / TILE_SIZE * cols + x0 / TILE_SIZE), brighter);
	const float *with = above && v->chip.on ? brighter : 0;
	if (seldom(&v->chip))
		develop_tile(v, &all, x0, y0, dirt, with, pix, 1);
	else
		develop_tile(v, &all, x0, y0, dirt, with, pix, 0);
}

static void draw_rows(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1,
	const float *dirt, uint8_t *pix,
	float *above) {
	for (int y0 = row0 * TILE_SIZE; y0 < row1 * TILE_SIZE && y0 < v->height; y0 += TILE_SIZE)
		for (int x0 = 0; x0 < v->width; x0 += TILE_SIZE) draw_tile(s, v, works, n, x0, y0, dirt, pix, above);
}

const kernels KERNELS = {NAME, draw_shadows, soften_places, mix_floor, prepare, draw_rows, measure_rows, truth_rows,
	develop_rows, expose_rows,
	average_cells, fill_columns, process, complete_rows, range_rows, take_census, match_half, finish};
