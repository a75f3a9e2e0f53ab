// All kernels, for the instructions that the including file has chosen: KERNELS is what their list is called, NAME what it is called outside.

#include "kernels.h"
#include "lanes.h"

#include "setup.h"
#include "raster.h"
#include "floor.h"
#include "truth.h"

INLINE vi encoded(const scene *s, vf l) {
	(void)s;
	vf x = clamp(l, set(0), set(1));
	return truncated(fma_(select(lt(x, set(0.0031308f)), x * 12.92f, 1.055f * power(x, set(1/2.4f)) - 0.055f), set(255), set(0.5f)));
}

// draw_tile draws a tile whose first pixel is (x0, y0).
static void draw_tile(const scene *s, const view *v, work *const *works, int32_t n, int x0, int y0, uint8_t *pix) {
	int cols = (v->width + TILE_SIZE - 1) / TILE_SIZE;
	bodies shown;
	light all;
	int some = draw_bodies(s, v, works, n, y0 / TILE_SIZE * cols + x0 / TILE_SIZE, x0, y0, &shown);
	background(s, v, x0, y0, some ? &shown : 0, &all);
	uint8_t rows[TILE_SIZE][3 * TILE_SIZE];
	for (int gy = 0; gy < TILE_SIZE / GROUP_H; gy++) {
		for (int gx = 0; gx < TILE_SIZE / GROUP_W; gx++) {
			int at = (gy * (TILE_SIZE / GROUP_W) + gx) * LANES;
			const float *planes[3] = {all.r + at, all.g + at, all.b + at};
			for (int c = 0; c < 3; c++) {
				int32_t code[LANES];
				istore(code, encoded(s, load(planes[c])));
				for (int i = 0; i < LANES; i++) rows[gy * GROUP_H + i / GROUP_W][3 * (gx * GROUP_W + i % GROUP_W) + c] = (uint8_t)code[i];
			}
		}
	}
	int w = v->width - x0 < TILE_SIZE ? v->width - x0 : TILE_SIZE, h = v->height - y0 < TILE_SIZE ? v->height - y0 : TILE_SIZE;
	for (int y = 0; y < h; y++) memcpy(pix + 3 * ((size_t)(y0 + y) * v->width + x0), rows[y], 3 * (size_t)w);
}

static void draw_rows(const scene *s, const view *v, work *const *works, int32_t n, int32_t row0, int32_t row1, uint8_t *pix) {
	for (int y0 = row0 * TILE_SIZE; y0 < row1 * TILE_SIZE && y0 < v->height; y0 += TILE_SIZE)
		for (int x0 = 0; x0 < v->width; x0 += TILE_SIZE) draw_tile(s, v, works, n, x0, y0, pix);
}

const kernels KERNELS = {NAME, draw_shadows, soften_places, prepare, draw_rows, measure_rows, tell_rows};
