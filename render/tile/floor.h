#ifndef FLOOR_H
#define FLOOR_H
#include "vertex.h"
static void background(const scene *s, const view *v, int x0, int y0, const bodies *b, light *out) {
	(void)v; (void)x0; (void)y0;
	for (int i = 0; i < TILE_PIXELS; i += LANES) {
		vf a = b ? load(b->a + i) : set(0);
		store(out->r + i, (b ? load(b->r + i) : set(0)) + (1 - a) * s->carpet[0]);
		store(out->g + i, (b ? load(b->g + i) : set(0)) + (1 - a) * s->carpet[1]);
		store(out->b + i, (b ? load(b->b + i) : set(0)) + (1 - a) * s->carpet[2]);
	}
}
INLINE vi encoded(const scene *s, vf l) {
	(void)s;
	vf x = clamp(l, set(0), set(1));
	return truncated(fma_(select(lt(x, set(0.0031308f)), x * 12.92f, 1.055f * power(x, set(1/2.4f)) - 0.055f), set(255), set(0.5f)));
}
#endif
